# SPDX-License-Identifier: Apache-2.0
"""Nothing reaches a robot unchecked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.execution.adapters import ChunkRefused, check_chunk, check_step, to_targets
from robo_orch.robots import load_robot
from robo_orch.types import ActionChunk, ActionKind, ActionSpace, Code, GripperEncoding, JointTarget

ROBOT = load_robot("panda")
N = len(ROBOT.joints)
SPACE = ActionSpace(ActionKind.JOINT_TRAJECTORY, 2 * N + 1)


def chunk(values=None, **changes) -> ActionChunk:
    if values is None:
        values = np.tile(np.concatenate([ROBOT.home, np.zeros(N), [0.04]]), (5, 1))
    return replace(ActionChunk(np.asarray(values, dtype=float), 0.0, ROBOT.period, SPACE), **changes)


def refusal(function, *args) -> Code:
    with pytest.raises(ChunkRefused) as error:
        function(*args)
    return error.value.code


def test_a_good_chunk_becomes_one_setpoint_per_period():
    check_chunk(chunk(), SPACE, ROBOT)
    targets = list(to_targets(chunk(), ROBOT, "me"))
    assert len(targets) == 5
    np.testing.assert_array_equal(targets[0].q, ROBOT.home)
    assert targets[0].gripper == 0.04 and targets[0].source == "me"


def test_an_empty_chunk_is_an_error_and_never_zeros():  # case C11
    assert refusal(check_chunk, chunk(np.empty((0, 2 * N + 1))), SPACE, ROBOT) is Code.EMPTY_CHUNK


@given(st.integers(0, 4), st.integers(0, 2 * N), st.sampled_from([np.nan, np.inf, -np.inf]))
def test_one_bad_number_anywhere_refuses_the_chunk(step, column, value):
    values = chunk().values.copy()
    values[step, column] = value
    assert refusal(check_chunk, chunk(values), SPACE, ROBOT) is Code.NON_FINITE_ACTION


def test_shape_space_and_period_must_be_the_declared_ones():  # case C26
    assert refusal(check_chunk, chunk(np.zeros((3, 4))), SPACE, ROBOT) is Code.WRONG_ACTION_SHAPE
    assert refusal(check_chunk, chunk(np.zeros(15)), SPACE, ROBOT) is Code.WRONG_ACTION_SHAPE
    other = replace(SPACE, gripper=GripperEncoding.OPEN_FRACTION)
    assert refusal(check_chunk, chunk(), other, ROBOT) is Code.CONTRACT
    assert refusal(check_chunk, chunk(period=0.1), SPACE, ROBOT) is Code.CONTRACT


def test_a_space_that_cannot_be_commanded_is_refused_by_name():
    velocity = replace(SPACE, kind=ActionKind.JOINT_VELOCITY)
    assert refusal(lambda: list(to_targets(chunk(space=velocity), ROBOT, "me"))) is Code.CONTRACT
    narrow = replace(SPACE, dim=9)
    assert refusal(lambda: list(to_targets(chunk(np.zeros((1, 9)), space=narrow), ROBOT, "me"))) is Code.WRONG_ACTION_SHAPE


@given(st.integers(0, N - 1), st.floats(0.0, 3.0), st.sampled_from([-1.0, 1.0]))
def test_a_step_is_refused_exactly_when_one_period_does_not_allow_it(joint, factor, sign):
    allowed = ROBOT.limits.velocity[joint] * ROBOT.period
    q = ROBOT.home.copy()
    q[joint] += sign * factor * allowed
    target = JointTarget(q, np.zeros(N), 0.04)
    if factor > 1.06:
        assert refusal(check_step, ROBOT.home, target, ROBOT) is Code.LIMIT_EXCEEDED
    elif factor < 1.04:
        check_step(ROBOT.home, target, ROBOT)


def test_joint_limits_speed_and_gripper_range_are_kept():
    still = np.zeros(N)
    beyond = ROBOT.limits.upper + 0.001
    assert refusal(check_step, beyond, JointTarget(beyond, still, 0.04), ROBOT) is Code.LIMIT_EXCEEDED
    fast = 1.2 * ROBOT.limits.velocity
    assert refusal(check_step, ROBOT.home, JointTarget(ROBOT.home, fast, 0.04), ROBOT) is Code.LIMIT_EXCEEDED
    for width in (-0.001, ROBOT.gripper.max_width + 0.001):
        assert refusal(check_step, ROBOT.home, JointTarget(ROBOT.home, still, width), ROBOT) is Code.LIMIT_EXCEEDED
