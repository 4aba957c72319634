# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import yaml

from robo_orch.catalogue import Kind, parse_kind
from robo_orch.sim.scenes import load_scene

DOC = (Path(__file__).parents[3] / "docs" / "scenes.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", DOC, re.DOTALL)


def test_the_documented_kind_is_one():
    tin = parse_kind(blocks("yaml")[0], "tin")
    assert tin.grasps and tin.surfaces


def test_the_documented_furniture_is_some():
    hatch, lid = (Kind.model_validate(part) for part in yaml.safe_load(blocks("yaml")[1]).values())
    assert hatch.fixed and lid.joint.parent == "hatch"


def test_the_documented_seeds_are_those_of_the_kitchen():
    sets = load_scene("kitchen").sets
    for name, strata in (("test", sets.test), ("validation", sets.validation)):
        for stratum, described in strata.items():
            assert f"| {name}, `{stratum}` | {described.seeds[0]} to {described.seeds[1]} |" in DOC


def test_the_documented_calls_print_what_is_said():
    (code,) = blocks("python")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    said = [line.split("#")[1].strip() for line in code.splitlines() if "#" in line]
    assert printed.getvalue().splitlines() == said
