# SPDX-License-Identifier: Apache-2.0
"""What is not perceived, or too vaguely, is not touched."""

from __future__ import annotations

import numpy as np
import pytest

from robo_orch.catalogue import make_object
from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.known import known
from robo_orch.robots import load_robot
from robo_orch.types import Code, Observation, Pose, PoseEstimate, RobotState

CUBE = make_object("cube", "red_cube", "red", 1.0)
ROBOT = load_robot("panda")


def seen(sigma: float | None) -> Observation:
    n = np.zeros(7)
    state = RobotState(0.0, ROBOT.names, n, n, n, Pose.of(), 0.08)
    given = (
        {} if sigma is None else {"red_cube": PoseEstimate("red_cube", Pose.of(), sigma**2 * np.eye(6), 0.0, "test")}
    )
    return Observation(0.0, state, given)


def test_what_is_known_to_its_tolerance_is_given_back():
    look = seen(0.9 * CUBE.tolerance)
    assert known("red_cube", look, {"red_cube": CUBE}) is look.objects["red_cube"]


@pytest.mark.parametrize(("sigma", "code"), [(None, Code.NOT_PERCEIVED), (1.1 * CUBE.tolerance, Code.IMPRECISE_POSE)])
def test_what_is_not_is_refused_with_its_code(sigma, code):
    with pytest.raises(MotionFailure, match="red_cube") as failure:
        known("red_cube", seen(sigma), {"red_cube": CUBE})
    assert failure.value.code is code
