# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.bench import render
from robo_orch.bench.cells import Cell


def test_every_camera_has_a_reference_in_each_size():
    arms = render.bench().arms
    ours = [arm for arm in arms if arm.startswith("ours ")]
    assert len(ours) == 6
    assert len(arms) == 12
    assert {arm.partition(" ")[2] for arm in arms} == {arm.partition(" ")[2] for arm in ours}


def test_rows_have_the_keys_of_the_contract():
    rows = [
        {"arm": "ours front 96x96", "times_ms": [2.0, 2.0, 4.0]},
        {"arm": "mujoco.Renderer front 96x96", "times_ms": [4.0, 4.0, 4.0]},
    ]
    ours, reference = render.summarise(rows)["rows"]
    assert ours.keys() >= {"name", "p50_ms", "p95_ms", "p99_ms", "ratio_to", "ratio", "fps"}
    assert (ours["p50_ms"], ours["ratio"], ours["ratio_to"]) == (2.0, 0.5, reference["name"])
    assert ours["fps"] == 375.0
    assert reference["ratio"] == 1.0


def test_without_a_reference_there_is_no_ratio():
    (row,) = render.summarise([{"arm": "ours front 96x96", "times_ms": [2.0]}])["rows"]
    assert (row["ratio_to"], row["ratio"]) == (None, None)


@pytest.mark.gl
@pytest.mark.parametrize("who", ["ours", render.REFERENCE])
def test_pictures_are_taken_and_timed(who, monkeypatch):
    monkeypatch.setattr(render, "SHOTS", 3)
    times = render.work(Cell(f"{who} wrist 96x96", 0, 0, None, {"scene": "kitchen"}))["times_ms"]
    assert len(times) == 3
    assert min(times) > 0.0
