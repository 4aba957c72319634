# SPDX-License-Identifier: Apache-2.0
"""What docs/simulation.md shows works, and its figures are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from robo_orch.robots.grasp import LOST, RELEASED
from robo_orch.sim.mujoco.render import SMALL
from robo_orch.sim.mujoco.sight import POINTS
from robo_orch.sim.perception import LATENCY, PART_SEEN, RATE, SEEN, SIGMA
from robo_orch.types import ActionKind

TEXT = Path(__file__).parents[2].joinpath("docs", "simulation.md").read_text()


def test_the_example_of_training_runs():
    pytest.importorskip("gymnasium", reason="the train extra is not installed")
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    names: dict = {}
    exec(example, names)
    assert names["observation"] in names["env"].observation_space


def test_every_precision_and_action_kind_is_described_with_its_figures():
    for precision, (position, angle) in SIGMA.items():
        assert f"| `{precision}` | {1000 * position:.0f} mm | {angle:g} rad |" in TEXT
    for kind in ActionKind:
        assert f"| `{kind}` |" in TEXT


def test_figures_are_those_of_the_code():
    assert (RATE, LATENCY, SEEN, PART_SEEN) == (10.0, 0.05, 0.25, 0.05)
    assert "at 10 Hz, 50 ms late" in TEXT and "a quarter" in TEXT and "a twentieth" in TEXT
    assert f"to {POINTS} points" in TEXT and f"{SMALL.width} x {SMALL.height}" in TEXT
    assert (RELEASED[0], LOST[0]) == (0.004, 0.03)
