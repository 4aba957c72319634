# SPDX-License-Identifier: Apache-2.0
"""docs/goals.md says what is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from robo_orch.errors import GoalError
from robo_orch.planners.grounding import ground
from tests.scenes import house, house_facts

PAGE = Path(__file__).parents[2] / "docs" / "goals.md"
CUBES = ("red_cube", "green_cube", "blue_cube", "yellow_cube", "yellow_cube_2")
HOUSE = house(*CUBES, "white_mug", "blue_mug", "green_can", "green_bottle", "brown_box", blue_cube=1.11)
PLACES = dict.fromkeys(CUBES[:2], ("on", "middle")) | {"blue_cube": ("on", "plate"), "green_can": ("on", "tray")}


def examples() -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```goals\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        for line in block.splitlines():
            if line.startswith("    "):
                found[-1][1].append(line.strip())
            else:
                found.append((line, []))
    return found


@pytest.mark.parametrize(("text", "promised"), examples())
def test_every_example_in_the_documentation_is_true(text, promised):
    try:
        got = [str(p) for p in ground(text, HOUSE, house_facts(HOUSE, PLACES)).predicates]
    except GoalError as error:
        got = [str(error.code)]
    assert got == promised


def test_the_documentation_has_examples():
    assert len(examples()) > 80
