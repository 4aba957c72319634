# SPDX-License-Identifier: Apache-2.0
"""One way from actions to setpoints, whatever they are written in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.motion.kinematics import Kinematics
from robo_orch.robots import load_robot
from robo_orch.robots.actions import Decoder, Setpoint, problem_of, width_of
from robo_orch.types import ActionKind, ActionSpace, DeltaReference, GripperEncoding, Pose

ROBOT = load_robot("panda")
N, LIMITS, OPEN = len(ROBOT.joints), ROBOT.limits, ROBOT.gripper.max_width
DECODER, KINEMATICS = Decoder(ROBOT), Kinematics(ROBOT)
START = Setpoint(ROBOT.home, np.zeros(N), 0.04)


def space(kind, gripper=GripperEncoding.WIDTH, **options) -> ActionSpace:
    if kind.endswith("_delta"):
        options.setdefault("reference", DeltaReference.COMMAND)
    bare = ActionSpace(ActionKind(kind), 0, gripper=gripper, **options)
    return ActionSpace(**{f: getattr(bare, f) for f in bare.__slots__} | {"dim": width_of(bare, ROBOT)})


JOINT = [space(k) for k in ("joint_position", "joint_velocity", "joint_delta", "joint_trajectory")]
JOINT += [space("joint_delta", reference=DeltaReference.MEASURED)]
TURNED = [space("ee_pose", rotation=r) for r in ("rotvec", "xyzw")]
TURNED += [
    space("ee_delta", rotation=rotation, frame=frame, reference=reference)
    for rotation in ("rotvec", "xyzw")
    for frame in ("base", "tool")
    for reference in (DeltaReference.COMMAND, DeltaReference.MEASURED)
]
STRAIGHT = [space("ee_pose"), space("ee_delta"), space("ee_delta", frame="tool")]

near = st.lists(st.floats(-0.1, 0.1), min_size=N, max_size=N).map(lambda d: ROBOT.home + np.array(d))
close = st.lists(st.floats(-0.02, 0.02), min_size=N, max_size=N).map(np.array)
opening = st.floats(0.0, OPEN)


def title(s: ActionSpace) -> str:
    return f"{s.kind}-{s.frame}-{s.rotation}-{s.reference}-{s.gripper}"


def run(rows, s, before=START, periods=5):
    """Setpoints from decoding rows one after the other, ``(T, n)`` each, and the last state."""
    targets = []
    for row in rows:
        decoded = DECODER.decode(row, s, before, before.q, periods)
        targets += decoded.targets
        before = decoded.after
    return np.array([t.q for t in targets]), np.array([t.qd for t in targets]), before


@pytest.mark.parametrize("s", JOINT, ids=title)
@settings(deadline=None)
@given(q=near, width=opening, off=close)
def test_joints_written_as_an_action_are_read_back(s, q, width, off):
    row = DECODER.encode(q, width, s, START, ROBOT.home + off, 10)
    assert row.shape == (s.dim,)
    decoded = DECODER.decode(row, s, START, ROBOT.home + off, 10)
    np.testing.assert_allclose(decoded.after.goal, q, atol=1e-9)
    assert decoded.after.width == pytest.approx(width)
    assert (decoded.clipped, decoded.excess) == (0, 1.0)


@pytest.mark.parametrize("s", TURNED, ids=title)
@settings(max_examples=30, deadline=None)
@given(q=near, off=close)
def test_tool_poses_written_as_an_action_are_read_back(s, q, off):
    row = DECODER.encode(q, 0.03, s, START, ROBOT.home + off, 20)
    decoded = DECODER.decode(row, s, START, ROBOT.home + off, 20)
    distance, angle = DECODER.tool(decoded.after.goal).distance(DECODER.tool(q))
    assert distance < 1e-4 and angle < 1e-4


@pytest.mark.parametrize("s", STRAIGHT, ids=title)
@settings(max_examples=30, deadline=None)
@given(q=near)
def test_without_a_rotation_the_tool_goes_there_and_keeps_its_orientation(s, q):
    row = DECODER.encode(q, 0.03, s, START, ROBOT.home, 20)
    there = DECODER.tool(DECODER.decode(row, s, START, ROBOT.home, 20).after.goal)
    np.testing.assert_allclose(there.position, DECODER.tool(q).position, atol=1e-4)
    assert there.distance(DECODER.tool(ROBOT.home))[1] < 1e-4


def test_deltas_are_along_the_axes_of_their_frame():
    here = DECODER.tool(ROBOT.home)
    step = np.array([0.02, 0.0, 0.01, 0.04])
    _, _, after = run([step], space("ee_delta"), periods=20)
    np.testing.assert_allclose(DECODER.tool(after.goal).position - here.position, step[:3], atol=1e-4)
    _, _, after = run([step], space("ee_delta", frame="tool"), periods=20)
    np.testing.assert_allclose(DECODER.tool(after.goal).position, here.apply(step[:3]), atol=1e-4)


def test_deltas_to_the_command_add_up_and_deltas_to_the_measurement_do_not():
    row = np.append(np.full(N, 0.01), 0.04)
    _, _, after = run([row] * 10, space("joint_delta"))
    np.testing.assert_allclose(after.goal, ROBOT.home + 0.1)
    decoded = START
    for _ in range(10):
        decoded = DECODER.decode(
            row, space("joint_delta", reference=DeltaReference.MEASURED), decoded, ROBOT.home, 5
        ).after
    np.testing.assert_allclose(decoded.goal, ROBOT.home + 0.01)


@settings(deadline=None)
@given(st.floats(0.0, 1.0))
def test_all_gripper_encodings_mean_the_same_opening(share):
    """C27: one polarity, metres of opening."""
    encodings = {
        GripperEncoding.WIDTH: share * OPEN,
        GripperEncoding.OPEN_FRACTION: share,
        GripperEncoding.CLOSE_FRACTION: 1.0 - share,
    }
    for encoding, value in encodings.items():
        s = space("joint_position", gripper=encoding)
        decoded = DECODER.decode(np.append(ROBOT.home, value), s, START, ROBOT.home)
        assert decoded.targets[0].gripper == pytest.approx(share * OPEN)
        assert DECODER.encode(ROBOT.home, share * OPEN, s, START, ROBOT.home)[-1] == pytest.approx(value)


def test_an_action_that_does_not_speak_of_the_gripper_leaves_it():
    s = space("joint_position", gripper=GripperEncoding.NONE)
    assert DECODER.decode(ROBOT.home, s, START, ROBOT.home, 3).targets[-1].gripper == START.width


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 5]), st.floats(0.05, 4.0))
def test_whatever_is_asked_setpoints_keep_position_velocity_and_acceleration(seed, periods, wildness):
    rng = np.random.default_rng(seed)
    rows = np.column_stack([rng.normal(0.0, wildness, (40, N)), np.full(40, 0.04)])
    q, qd, _ = run(rows, space("joint_velocity"), periods=periods)
    assert (q >= LIMITS.lower - 1e-9).all() and (q <= LIMITS.upper + 1e-9).all()
    assert (np.abs(qd) <= LIMITS.velocity + 1e-9).all()
    change = np.diff(np.vstack([START.qd, qd]), axis=0) / ROBOT.period
    assert (np.abs(change) <= LIMITS.acceleration + 1e-9).all()
    moved = np.diff(np.vstack([START.q, q]), axis=0)
    middle = 0.5 * ROBOT.period * (np.vstack([START.qd, qd[:-1]]) + qd)
    np.testing.assert_allclose(moved, middle, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_after_any_motion_the_arm_comes_to_rest_at_its_aim_without_swinging(seed):
    rng = np.random.default_rng(seed)
    moving = np.column_stack([rng.uniform(-0.5, 0.5, (10, N)), np.full(10, 0.04)])
    _, _, before = run(moving, space("joint_velocity"))
    still = np.tile(np.append(np.zeros(N), 0.04), (8, 1))
    q, qd, after = run(still, space("joint_velocity"), before)
    np.testing.assert_allclose(q[-1], after.goal, atol=1e-4)
    assert np.abs(qd[-1]).max() < 1e-2


def test_steady_motion_is_followed_exactly_and_evenly():
    rows = np.tile(np.append(np.full(N, 0.3), 0.04), (12, 1))
    q, qd, after = run(rows, space("joint_velocity"))
    np.testing.assert_allclose(qd[-20:], 0.3, atol=1e-6)
    np.testing.assert_allclose(q[-1], after.goal, atol=1e-6)


def test_a_steady_tool_motion_is_straight():
    rows = np.tile([0.02, 0.01, 0.0, 0.04], (10, 1))
    q, _, _ = run(rows, space("ee_delta"))
    way = np.array([DECODER.tool(row).position for row in q]) - DECODER.tool(ROBOT.home).position
    along = np.array([2.0, 1.0, 0.0]) / np.sqrt(5.0)
    assert np.linalg.norm(way - np.outer(way @ along, along), axis=1).max() < 1e-3
    assert (np.diff(way @ along) > 0).all()


def test_what_is_clipped_is_counted_and_told():
    fast = np.append(np.full(N, 0.0), 0.04)
    fast[1], fast[4] = 3 * LIMITS.velocity[1], -1.5 * LIMITS.velocity[4]
    decoded = DECODER.decode(fast, space("joint_velocity"), START, ROBOT.home, 5)
    assert decoded.clipped == 2 and decoded.excess == pytest.approx(3.0)
    assert "panda_joint2" in decoded.because
    beyond = np.append(ROBOT.home, 1.0)
    beyond[5] = LIMITS.upper[5] + 0.2
    decoded = DECODER.decode(beyond, space("joint_position"), START, ROBOT.home, 100)
    assert decoded.clipped == 2
    assert decoded.after.goal[5] == LIMITS.upper[5] and decoded.targets[-1].gripper == OPEN


def test_a_pose_out_of_reach_is_approached_as_far_as_the_limits_go():
    far = np.array([2.0, 0.0, 0.5, 0.04])
    q, _, after = run([far] * 60, space("ee_pose"))
    assert np.isfinite(q).all()
    tool = DECODER.tool(after.goal)
    assert 0.6 < np.linalg.norm(tool.position) < 1.3 and tool.position[0] > 0.5


@settings(deadline=None)
@given(near, st.sampled_from([1, 2, 5]))
def test_a_timed_motion_is_met_exactly_with_a_smooth_curve_between_its_rows(q, periods):
    s = space("joint_trajectory")
    rows = [np.concatenate([ROBOT.home + 0.5 * (q - ROBOT.home), q - ROBOT.home, [0.04]])]
    rows += [np.concatenate([q, np.zeros(N), [0.04]])]
    found, speeds, after = run(rows, s, periods=periods)
    for i, row in enumerate(rows, start=1):
        np.testing.assert_array_equal(found[i * periods - 1], row[:N])
        np.testing.assert_array_equal(speeds[i * periods - 1], row[N : 2 * N])
    np.testing.assert_array_equal(after.goal, q)
    assert np.abs(np.diff(found, axis=0)).max() <= 0.1


def test_the_free_joint_does_not_drift_when_the_tool_comes_back():
    there = np.tile([0.03, 0.02, -0.02, 0.04], (8, 1))
    before = START
    for _ in range(6):
        for rows in (there, there * [-1, -1, -1, 1]):
            _, _, before = run(rows, space("ee_delta"), before)
    assert DECODER.tool(before.goal).distance(DECODER.tool(ROBOT.home))[0] < 1e-3
    assert np.abs(before.goal - ROBOT.home).max() < 0.05


@pytest.mark.parametrize(
    ("s", "words"),
    [
        (ActionSpace(ActionKind.JOINT_POSITION, 9), "8 components"),
        (ActionSpace(ActionKind.JOINT_DELTA, 8), "what to add to"),
        (ActionSpace(ActionKind.JOINT_POSITION, 8, reference=DeltaReference.COMMAND), "no reference"),
        (ActionSpace(ActionKind.EE_POSE, 7, "tool", "rotvec"), "in the base frame"),
        (ActionSpace(ActionKind.EE_POSE, 7, "base", "euler"), "rotvec"),
    ],
)
def test_a_space_that_means_nothing_here_is_refused_in_words(s, words):
    assert words in problem_of(s, ROBOT)


@pytest.mark.parametrize("s", [*JOINT, *TURNED, *STRAIGHT], ids=title)
def test_every_other_space_can_be_commanded(s):
    assert problem_of(s, ROBOT) == ""


@settings(deadline=None)
@given(near)
def test_the_arm_knows_where_its_tool_is(q):
    distance, angle = DECODER.tool(q).distance(KINEMATICS.forward(q))
    assert distance < 1e-9 and angle < 1e-6


def test_a_null_rotation_is_no_rotation():
    row = np.zeros(8)
    s = space("ee_delta", rotation="xyzw")
    decoded = DECODER.decode(row, s, START, ROBOT.home, 5)
    assert DECODER.tool(decoded.after.goal).distance(DECODER.tool(ROBOT.home)) == pytest.approx((0, 0), abs=1e-4)
    assert isinstance(DECODER.tool(ROBOT.home), Pose)
