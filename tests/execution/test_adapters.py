# SPDX-License-Identifier: Apache-2.0
"""Nothing reaches a robot unchecked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.execution.adapters import ChunkRefused, check_chunk, to_targets
from robo_orch.robots import load_robot
from robo_orch.types import ActionChunk, ActionKind, ActionSpace, Code, GripperEncoding, JointTarget

ROBOT = load_robot("panda")
N = len(ROBOT.joints)
SPACE = ActionSpace(ActionKind.JOINT_TRAJECTORY, 2 * N + 1)


def chunk(values=None, **changes) -> ActionChunk:
    if values is None:
        values = np.tile(np.concatenate([ROBOT.home, np.zeros(N), [0.04]]), (5, 1))
    return replace(ActionChunk(np.asarray(values, dtype=float), 0.0, ROBOT.period, SPACE), **changes)


def targets(values) -> list[JointTarget]:
    return to_targets(chunk(values), ROBOT.home, ROBOT, "me")


def refusal(function, *args) -> Code:
    with pytest.raises(ChunkRefused) as error:
        function(*args)
    return error.value.code


def test_a_good_chunk_becomes_one_setpoint_per_period():
    check_chunk(chunk(), SPACE, ROBOT)
    given_out = targets(chunk().values)
    assert len(given_out) == 5
    np.testing.assert_array_equal(given_out[0].q, ROBOT.home)
    assert given_out[0].gripper == 0.04 and given_out[0].source == "me"


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
    assert refusal(to_targets, chunk(space=velocity), ROBOT.home, ROBOT, "me") is Code.CONTRACT
    narrow = replace(SPACE, dim=9)
    short = chunk(np.zeros((1, 9)), space=narrow)
    assert refusal(to_targets, short, ROBOT.home, ROBOT, "me") is Code.WRONG_ACTION_SHAPE


@given(st.integers(0, 4), st.integers(0, N - 1), st.floats(0.0, 3.0), st.sampled_from([-1.0, 1.0]))
def test_a_step_is_refused_exactly_when_one_period_does_not_allow_it(step, joint, factor, sign):
    values = chunk().values.copy()
    values[step:, joint] += sign * factor * ROBOT.limits.velocity[joint] * ROBOT.period
    if factor > 1.06:
        assert refusal(targets, values) is Code.LIMIT_EXCEEDED
    elif factor < 1.04:
        assert len(targets(values)) == 5


def test_the_first_step_is_measured_from_the_last_command():  # case C52
    away = ROBOT.home + 0.5
    with pytest.raises(ChunkRefused, match="in step 0"):
        to_targets(chunk(), away, ROBOT, "me")


def test_joint_limits_speed_and_gripper_range_are_kept():
    values = chunk().values
    beyond = values.copy()
    beyond[:, 3] = ROBOT.limits.upper[3] + 0.001
    with pytest.raises(ChunkRefused, match="panda_joint4 is sent to"):
        to_targets(chunk(beyond), beyond[0, :N], ROBOT, "me")
    fast = values.copy()
    fast[2, N + 1] = 1.2 * ROBOT.limits.velocity[1]
    assert refusal(targets, fast) is Code.LIMIT_EXCEEDED
    for width in (-0.001, ROBOT.gripper.max_width + 0.001):
        wide = values.copy()
        wide[-1, -1] = width
        assert refusal(targets, wide) is Code.LIMIT_EXCEEDED
