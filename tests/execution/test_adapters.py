# SPDX-License-Identifier: Apache-2.0
"""Nothing reaches a robot unchecked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.execution.adapters import GROSS, ChunkRefused, check_chunk, translate
from robo_orch.robots import load_robot
from robo_orch.robots.actions import Decoder, Setpoint
from robo_orch.types import ActionChunk, ActionKind, ActionSpace, Code, DeltaReference, GripperEncoding

ROBOT = load_robot("panda")
N = len(ROBOT.joints)
SPACE = ActionSpace(ActionKind.JOINT_TRAJECTORY, 2 * N + 1)
POSITION = ActionSpace(ActionKind.JOINT_POSITION, N + 1)
DELTA = ActionSpace(ActionKind.JOINT_DELTA, N + 1, reference=DeltaReference.COMMAND)
DECODER = Decoder(ROBOT)


def chunk(values=None, **changes) -> ActionChunk:
    if values is None:
        values = np.tile(np.concatenate([ROBOT.home, np.zeros(N), [0.04]]), (5, 1))
    return replace(ActionChunk(np.asarray(values, dtype=float), 0.0, ROBOT.period, SPACE), **changes)


def translated(made: ActionChunk, start=ROBOT.home):
    return translate(made, Setpoint(start, np.zeros(N), 0.04), start, DECODER, "me")


def targets(values):
    return translated(chunk(values)).targets


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
    for period in (0.03, 0.001, 0.0, -0.02, float("nan")):
        assert refusal(check_chunk, chunk(period=period), SPACE, ROBOT) is Code.CONTRACT
    check_chunk(chunk(period=0.1), SPACE, ROBOT)


def test_a_space_that_cannot_be_commanded_is_refused_in_words():
    nowhere = ActionSpace(ActionKind.EE_POSE, 7, "tool", "rotvec")
    assert refusal(translated, chunk(np.zeros((1, 7)), space=nowhere)) is Code.CONTRACT
    narrow = replace(SPACE, dim=9)
    with pytest.raises(ChunkRefused, match="expected 15 components"):
        translated(chunk(np.zeros((1, 9)), space=narrow))


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
        translated(chunk(), away)


def test_joint_limits_speed_and_gripper_range_are_kept():
    values = chunk().values
    beyond = values.copy()
    beyond[:, 3] = ROBOT.limits.upper[3] + 0.001
    with pytest.raises(ChunkRefused, match="panda_joint4 is sent to"):
        translated(chunk(beyond), beyond[0, :N])
    fast = values.copy()
    fast[2, N + 1] = 1.2 * ROBOT.limits.velocity[1]
    assert refusal(targets, fast) is Code.LIMIT_EXCEEDED
    for width in (-0.001, ROBOT.gripper.max_width + 0.001):
        wide = values.copy()
        wide[-1, -1] = width
        assert refusal(targets, wide) is Code.LIMIT_EXCEEDED


def test_slow_actions_become_a_setpoint_per_control_period():
    """C26, C30: what the numbers mean is the card's; the robot gets the same kind of setpoint from all."""
    values = np.tile(np.append(np.full(N, 0.02), 0.04), (4, 1))
    motion = translated(chunk(values, space=DELTA, period=5 * ROBOT.period))
    assert len(motion.targets) == 20 and motion.clipped == 0
    np.testing.assert_allclose(motion.after.goal, ROBOT.home + 0.08)
    following = translate(chunk(values, space=DELTA, period=0.1), motion.after, ROBOT.home, DECODER, "me")
    np.testing.assert_allclose(following.after.goal, ROBOT.home + 0.16)


def test_a_little_too_much_is_clipped_and_counted_and_far_too_much_is_refused():
    fastest = ROBOT.limits.velocity * ROBOT.period
    for factor in (0.9, 1.5, 2.9):
        values = np.append(factor * fastest, 0.04)[None]
        assert translated(chunk(values, space=DELTA)).clipped == (N if factor > 1 else 0)
    with pytest.raises(ChunkRefused, match="is to move by"):
        translated(chunk(np.append(1.1 * GROSS * fastest, 0.04)[None], space=DELTA))


def test_the_first_of_absolute_actions_may_not_jump():  # case C52
    values = np.tile(np.append(ROBOT.home, 0.04), (3, 1))
    values[:, 0] += 1.5 * ROBOT.limits.velocity[0] * ROBOT.period
    assert refusal(translated, chunk(values, space=POSITION)) is Code.LIMIT_EXCEEDED
    values[0, 0] = ROBOT.home[0]
    assert translated(chunk(values, space=POSITION)).clipped == 1


def test_deltas_to_what_was_measured_decode_against_their_own_observation():  # case C09
    space = replace(DELTA, reference=DeltaReference.MEASURED)
    values = np.array([np.append(np.full(N, 0.01 * k), 0.04) for k in (1, 2, 3)])
    seen = ROBOT.home + 0.005
    motion = translate(
        chunk(values, space=space, period=0.1), Setpoint(ROBOT.home, np.zeros(N), 0.04), seen, DECODER, ""
    )
    np.testing.assert_allclose(motion.after.goal, seen + 0.03)
