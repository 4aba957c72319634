# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.motion.kinematics import Kinematics
from robo_orch.motion.planner import MotionPlanner
from robo_orch.motion.scene import PlanningScene
from robo_orch.objects import Geom, ObjectSpec, Shape
from robo_orch.robots import load_robot
from robo_orch.types import Observation, Pose, RobotState
from tests.scenes import cube, estimate

PANDA = load_robot("panda")
DOWN = (1.0, 0.0, 0.0, 0.0)


def box(name: str, half, **changes) -> ObjectSpec:
    return ObjectSpec(name, name.split("_")[-1], (Geom(Shape.BOX, tuple(half), Pose.of()),), **changes)


TABLE = box("table", (0.5, 0.6, 0.02), fixed=True)
WALL = box("wall", (0.15, 0.01, 0.25), fixed=True)
CUBES = tuple(cube(f"{colour}_cube") for colour in ("red", "green", "blue"))
INVENTORY = {o.name: o for o in (TABLE, WALL, *CUBES)}
#: The table's top is at z = 0; the wall stands across the way from the right to the left.
PLACES = {
    "table": (0.45, 0.0, -0.02),
    "wall": (0.5, 0.0, 0.25),
    "red_cube": (0.5, -0.25, 0.02),
    "green_cube": (0.5, 0.25, 0.02),
    "blue_cube": (0.4, -0.4, 0.02),
}


def estimates(sigma: float = 0.0, only=None, **moved):
    places = PLACES | moved
    return {name: estimate(name, at, sigma) for name, at in places.items() if only is None or name in only}


def observe(kinematics: Kinematics, q, objects, holding=None, gripper=0.08, commanded=None) -> Observation:
    zero = np.zeros_like(q)
    tool = kinematics.forward(q)
    state = RobotState(0.0, PANDA.names, q, zero, zero, tool, gripper, holding is not None, holding, commanded)
    return Observation(0.0, state, objects)


@pytest.fixture(scope="session")
def kinematics() -> Kinematics:
    return Kinematics(PANDA)


@pytest.fixture
def scene() -> PlanningScene:
    return PlanningScene(PANDA, INVENTORY)


@pytest.fixture(scope="session")
def _planner() -> MotionPlanner:
    return MotionPlanner(PANDA, INVENTORY)


@pytest.fixture
def planner(_planner) -> MotionPlanner:
    _planner.reset(0)
    return _planner


def at(kinematics: Kinematics, position, near=None) -> np.ndarray:
    """Joint angles with the tool at a position, pointing down."""
    q = PANDA.home if near is None else near
    return kinematics.inverse(Pose.of(position, DOWN), q, np.random.default_rng(0))
