# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.kinematics import Kinematics
from robo_orch.types import Code, Pose
from tests.motion.conftest import DOWN, PANDA

KINEMATICS = Kinematics(PANDA)
LIMITS = PANDA.limits

configurations = st.lists(st.floats(0.0, 1.0), min_size=7, max_size=7).map(
    lambda shares: LIMITS.lower + np.array(shares) * (LIMITS.upper - LIMITS.lower)
)

#: At least 3 % of each joint's range away from its ends: in the very corner of several limits a pose has a single
#: solution, which a bounded number of descents from elsewhere may miss.
inner_configurations = st.lists(st.floats(0.03, 0.97), min_size=7, max_size=7).map(
    lambda shares: LIMITS.lower + np.array(shares) * (LIMITS.upper - LIMITS.lower)
)

#: Franka's published modified Denavit-Hartenberg parameters (a, d, alpha); the flange and the hand follow.
DH = (
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -np.pi / 2),
    (0.0, 0.316, np.pi / 2),
    (0.0825, 0.0, np.pi / 2),
    (-0.0825, 0.384, -np.pi / 2),
    (0.0, 0.0, np.pi / 2),
    (0.088, 0.0, np.pi / 2),
)


def published_tool_pose(q) -> Pose:
    pose = Pose.of()
    for (a, d, alpha), theta in zip(DH, q, strict=True):
        tilt = Rotation.from_euler("x", alpha)
        turn = Rotation.from_euler("z", theta)
        pose = pose @ Pose.from_rotation((a, 0, 0), tilt) @ Pose.from_rotation((0, 0, d), turn)
    hand = Pose.from_rotation((0, 0, 0.107), Rotation.from_euler("z", -np.pi / 4))
    return pose @ hand @ Pose.of((0, 0, 0.1034))


@given(configurations)
@settings(max_examples=50, deadline=None)
def test_forward_kinematics_are_the_published_ones(q):
    distance, angle = KINEMATICS.forward(q).distance(published_tool_pose(q))
    assert distance < 1e-4
    assert angle < 1e-4


def test_at_home_the_tool_points_down_in_front_of_the_robot(kinematics):
    pose = kinematics.forward(PANDA.home)
    assert pose.position == pytest.approx([0.3069, 0.0, 0.4869], abs=1e-3)
    assert pose.apply(np.array([0.0, 0.0, 1.0])) - pose.position == pytest.approx([0, 0, -1], abs=1e-3)


@given(configurations)
@settings(max_examples=25, deadline=None)
def test_the_jacobian_is_the_derivative_of_forward(q):
    step = 1e-6
    here, jacobian = KINEMATICS.forward(q), KINEMATICS.jacobian(q)
    for i in range(7):
        moved = KINEMATICS.forward(q + step * np.eye(7)[i])
        linear = (moved.position - here.position) / step
        angular = (moved.rotation * here.rotation.inv()).as_rotvec() / step
        assert jacobian[:, i] == pytest.approx(np.concatenate([linear, angular]), abs=1e-4)


@given(inner_configurations, st.integers(0, 2**31))
@settings(max_examples=60, deadline=None)
def test_a_pose_that_is_reachable_off_the_limits_is_reached_within_them(q, seed):
    target = KINEMATICS.forward(q)
    found = KINEMATICS.inverse(target, PANDA.home, np.random.default_rng(seed), restarts=30)
    distance, angle = KINEMATICS.forward(found).distance(target)
    assert distance <= 1e-3
    assert angle <= 5e-3
    assert np.all(found >= LIMITS.lower)
    assert np.all(found <= LIMITS.upper)


@given(configurations)
@settings(max_examples=25, deadline=None)
def test_a_solution_stays_where_the_arm_is_already(q):
    found = KINEMATICS.inverse(KINEMATICS.forward(q), q, np.random.default_rng(0))
    assert np.max(np.abs(found - q)) < 0.02


def test_the_same_generator_gives_the_same_solution(kinematics):
    target = Pose.of((0.2, 0.5, 0.6), (0.3, 0.4, 0.5, 0.7))
    first, second = (kinematics.inverse(target, PANDA.home, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(first, second)


def test_an_earlier_question_does_not_change_the_answer():
    target = Pose.of((0.5, 0.2, 0.3), DOWN)
    used = Kinematics(PANDA)
    used.inverse(Pose.of((0.3, -0.4, 0.5), DOWN), PANDA.home, np.random.default_rng(1))
    fresh = Kinematics(PANDA).inverse(target, PANDA.home, np.random.default_rng(0))
    assert np.array_equal(used.inverse(target, PANDA.home, np.random.default_rng(0)), fresh)


def test_what_is_out_of_reach_is_said_with_the_distance(kinematics):
    with pytest.raises(MotionFailure) as failure:
        kinematics.inverse(Pose.of((1.5, 0.0, 0.3), DOWN), PANDA.home, np.random.default_rng(0))
    assert failure.value.code is Code.UNREACHABLE
    assert "(1.500, 0.000, 0.300) m" in failure.value.reason
    assert "mm" in failure.value.reason


def test_a_pose_that_is_reached_but_never_accepted_is_a_collision_at_the_goal(kinematics):
    with pytest.raises(MotionFailure) as failure:
        kinematics.inverse(Pose.of((0.5, 0.0, 0.3), DOWN), PANDA.home, np.random.default_rng(0), accept=lambda q: False)
    assert failure.value.code is Code.GOAL_IN_COLLISION


def test_other_postures_are_found_when_the_nearest_is_refused(kinematics):
    target = Pose.of((0.5, 0.0, 0.3), DOWN)
    nearest = kinematics.inverse(target, PANDA.home, np.random.default_rng(0))
    other = kinematics.inverse(
        target, PANDA.home, np.random.default_rng(0), accept=lambda q: bool(np.max(np.abs(q - nearest)) > 0.3)
    )
    assert np.max(np.abs(other - nearest)) > 0.3
    assert kinematics.forward(other).distance(target)[0] <= 1e-3


def test_a_straight_line_is_straight(kinematics):
    start = kinematics.inverse(Pose.of((0.45, 0.1, 0.3), DOWN), PANDA.home, np.random.default_rng(0))
    here = kinematics.forward(start)
    waypoints = kinematics.straight(start, Pose.of((0.1, -0.1, -0.2)) @ here)
    assert np.array_equal(waypoints[0], start)
    line = np.array([0.1, -0.1, -0.2]) / np.linalg.norm([0.1, -0.1, -0.2])
    for q in waypoints:
        offset = kinematics.forward(q).position - here.position
        assert np.linalg.norm(offset - (offset @ line) * line) < 1e-3
    assert np.linalg.norm(kinematics.forward(waypoints[-1]).position - here.position) == pytest.approx(0.2449, abs=1e-3)


def test_a_line_that_leaves_the_reach_says_where(kinematics):
    with pytest.raises(MotionFailure) as failure:
        kinematics.straight(PANDA.home, Pose.of((1.3, 0.0, 0.48), DOWN))
    assert failure.value.code is Code.UNREACHABLE
    assert "breaks off at" in failure.value.reason
