# SPDX-License-Identifier: Apache-2.0
"""Giving way: small motions from rest to rest, within the joints' limits."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.policies.tamp.feeling import eased
from robo_orch.robots import load_robot
from robo_orch.types import Pose, RobotState

ROBOT = load_robot("panda")


def state(q, commanded) -> RobotState:
    n = np.zeros(7)
    return RobotState(0.0, ROBOT.names, q, n, n, Pose.of(), 0.04, commanded=commanded)


@given(st.lists(st.floats(-0.05, 0.05), min_size=7, max_size=7), st.integers(0, 6))
def test_an_arm_that_presses_is_told_to_be_where_it_is_but_never_beyond_a_limit(off, joint):
    commanded = ROBOT.home.copy()
    commanded[joint] = ROBOT.limits.upper[joint]
    q = commanded + np.array(off)
    rows, speeds = eased(ROBOT, state(q, commanded))
    assert np.allclose(rows[-1], np.clip(q, ROBOT.limits.lower, ROBOT.limits.upper)) and not speeds[-1].any()
    assert (rows <= ROBOT.limits.upper + 1e-12).all() and (rows >= ROBOT.limits.lower - 1e-12).all()
    assert np.abs(np.diff(rows, axis=0)).max(initial=0.0) <= np.abs(off).max()
