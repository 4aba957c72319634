# SPDX-License-Identifier: Apache-2.0
"""The simulator's true state judges; it decides nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import robo_orch

ROOT = Path(robo_orch.__file__).parent
#: What decides or acts in a run, on what a robot would have.
DECIDES = [
    *("planners", "policies", "motion", "memory", "bridge", "understanding", "execution", "robots", "kernels"),
    *("router.py", "recovery.py", "orchestrator.py", "verification.py", "capability.py", "predicates.py", "plan.py"),
]
#: Who may read the state of MuJoCo's objects in the simulation itself.
READS = {"contacts.py", "places.py", "referee.py", "sight.py", "world.py", "render.py"}
TRUE = {"xpos", "xquat", "xmat", "qpos", "qvel", "sensordata", "cfrc_ext"}


def attributes(path: Path) -> set[str]:
    return {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}


def sources(name: str) -> list[Path]:
    path = ROOT / name
    return [path] if path.suffix == ".py" and path.exists() else sorted(path.rglob("*.py"))


@pytest.mark.parametrize("name", DECIDES)
def test_nobody_who_decides_asks_the_referee_or_the_world(name):
    for path in sources(name):
        assert not attributes(path) & {"referee", "scan"}, path


def test_in_the_simulation_only_the_world_its_referee_and_what_looks_for_perception_read_the_state():
    readers = {path.name for path in (ROOT / "sim").rglob("*.py") if attributes(path) & TRUE}
    assert readers <= READS, readers - READS


def test_robot_and_perception_reach_no_further_than_scan_and_body():
    for name in ("robot.py", "perception.py", "memory.py"):
        assert not attributes(ROOT / "sim" / name) & {"referee", "_data", "_model"}, name
