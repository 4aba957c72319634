# SPDX-License-Identifier: Apache-2.0
"""A tiny world built by hand, for tests of what decides on estimates."""

from __future__ import annotations

import numpy as np

from robo_orch.objects import Geom, Grasp, ObjectSpec, Shape, Surface
from robo_orch.predicates import Facts
from robo_orch.types import Observation, Pose, PoseEstimate, Precision, RobotState

DOWN = (1.0, 0.0, 0.0, 0.0)


def cube(name: str, half: float = 0.02, **changes) -> ObjectSpec:
    colour, kind = name.split("_")[:2]
    options = {
        "geoms": (Geom(Shape.BOX, (half,) * 3, Pose.of()),),
        "surfaces": (Surface("top", np.array([0.0, 0.0, half]), (half, half)),),
        "grasps": (Grasp("top", Pose.of((0, 0, 0), DOWN), 2 * half),),
    }
    return ObjectSpec(name, kind, colour=colour, **options | changes)


TABLE = ObjectSpec(
    "table",
    "table",
    (Geom(Shape.BOX, (0.5, 0.5, 0.02), Pose.of((0, 0, -0.02))),),
    fixed=True,
    surfaces=(Surface("top", np.zeros(3), (0.5, 0.5)),),
)
PLATE = ObjectSpec(
    "plate",
    "plate",
    (Geom(Shape.CYLINDER, (0.09, 0.006), Pose.of()),),
    surfaces=(Surface("top", np.array([0.0, 0.0, 0.006]), (0.08, 0.08), round=True),),
)
INVENTORY = {o.name: o for o in (TABLE, PLATE, cube("red_cube"), cube("green_cube"), cube("blue_cube"))}
PLACES = {
    "table": (0.5, 0.0, 0.0),
    "plate": (0.6, 0.2, 0.006),
    "red_cube": (0.4, -0.2, 0.02),
    "green_cube": (0.5, -0.2, 0.02),
    "blue_cube": (0.6, -0.2, 0.02),
}


def estimate(name: str, at, sigma: float = 0.001, stamp: float = 0.0, precision=Precision.FIDUCIAL) -> PoseEstimate:
    pose = at if isinstance(at, Pose) else Pose.of(at)
    return PoseEstimate(name, pose, np.eye(6) * sigma**2, stamp, "test", precision)


def facts(holding: str | None = None, sigma: float = 0.001, missing=(), **moved) -> Facts:
    places = {name: at for name, at in (PLACES | moved).items() if name not in missing}
    return Facts(INVENTORY, {name: estimate(name, at, sigma) for name, at in places.items()}, holding)


def observation(stamp: float, holding: str | None = None, sigma: float = 0.001, missing=(), **moved) -> Observation:
    places = {name: at for name, at in (PLACES | moved).items() if name not in missing}
    state = RobotState(stamp, (), np.zeros(0), np.zeros(0), np.zeros(0), Pose.of(), 0.08, holding=holding)
    return Observation(stamp, state, {name: estimate(name, at, sigma, stamp) for name, at in places.items()})


ON_PLATE = (0.6, 0.2, 0.032)
