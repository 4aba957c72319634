# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import hashlib
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from robo_orch.motion.failure import GaveUp, MotionFailure
from robo_orch.motion.planner import MotionPlanner
from robo_orch.motion.scene import PlanningScene
from robo_orch.types import Code, Pose
from tests.motion.conftest import DOWN, INVENTORY, PANDA, at, estimates, observe
from tests.motion.test_timing import within

RIGHT, LEFT = (0.5, -0.2, 0.2), (0.5, 0.2, 0.2)


def observed(planner, q, **options):
    objects = options.pop("objects", None) or estimates(sigma=0.001)
    return observe(planner.kinematics, q, objects, **options)


def touched(planner, seen, trajectory) -> set[str]:
    """What the motion touches, looked at five times per setpoint and without the padding."""
    bare = PlanningScene(PANDA, INVENTORY, padding=0.0)
    bare.update(dict(seen.objects), seen.state.gripper)
    if planner.scene.held:
        bare.attach(planner.scene.held, seen.state.tool.inverse() @ seen.objects[planner.scene.held].pose)
    shares = np.linspace(0, 1, 6)[:, None]
    return {bare.explain(q) for a, b in pairwise(trajectory.q) for q in a + shares * (b - a)} - {""}


def test_a_wall_is_gone_around_without_touching_it(planner, kinematics):
    start, goal = at(kinematics, RIGHT), at(kinematics, LEFT)
    seen = observed(planner, start)
    planner.look(seen)
    assert not planner.scene.free_between(start, goal)
    trajectory = planner.to_configuration(seen, goal)
    assert touched(planner, seen, trajectory) == set()
    assert np.array_equal(trajectory.q[-1], goal)
    assert within(trajectory, PANDA.limits)
    heights = [kinematics.forward(q).position[2] for q in trajectory.q]
    assert max(heights) > 0.4


def test_a_motion_begins_exactly_at_the_last_command(planner, kinematics):  # cases C49, C52
    measured = at(kinematics, RIGHT)
    commanded = measured + 0.004
    seen = observed(planner, measured, commanded=commanded)
    goal = Pose.of((0.5, -0.2, 0.3), DOWN)
    for motion in (planner.to_pose(seen, goal), planner.straight_to(seen, goal)):
        assert np.array_equal(motion.q[0], commanded)
        assert not np.any(motion.qd[0])
    other = measured - 0.01
    assert np.array_equal(planner.straight_to(seen, goal, start=other).q[0], other)


def test_the_tool_arrives_at_the_pose(planner, kinematics):
    goal = Pose.of((0.45, 0.3, 0.15), DOWN)
    trajectory = planner.to_pose(observed(planner, PANDA.home), goal)
    distance, angle = kinematics.forward(trajectory.q[-1]).distance(goal)
    assert distance <= 1e-3
    assert angle <= 5e-3


def test_a_straight_motion_keeps_to_its_line(planner, kinematics):
    start = at(kinematics, (0.5, -0.25, 0.2))
    trajectory = planner.straight_to(observed(planner, start), Pose.of((0.5, -0.25, 0.05), DOWN))
    positions = np.array([kinematics.forward(q).position for q in trajectory.q])
    assert np.max(np.abs(positions[:, :2] - [0.5, -0.25])) < 2e-3
    assert np.all(np.diff(positions[:, 2]) < 1e-4)


def test_fingers_reach_around_what_they_are_to_grasp(planner, kinematics):
    start = at(kinematics, (0.5, -0.25, 0.2))
    seen = observed(planner, start, objects=estimates(sigma=0.001), gripper=0.05)
    grasp = Pose.of((0.5, -0.25, 0.02), DOWN)
    with pytest.raises(MotionFailure) as failure:
        planner.straight_to(seen, grasp)
    assert failure.value.code is Code.NO_PATH
    assert "red_cube" in failure.value.reason
    assert planner.straight_to(seen, grasp, allow=[("gripper", "red_cube")]).duration > 0


def test_the_held_object_is_carried_around_obstacles(planner, kinematics):
    """Just above the wall there is room for the empty hand, none for a hand that holds something below it."""
    start, goal = at(kinematics, (0.5, -0.2, 0.54)), at(kinematics, (0.5, 0.2, 0.54))
    empty = observed(planner, start)
    assert planner.to_configuration(empty, goal).q.shape[1] == 7
    planner.look(empty)
    assert planner.scene.free_between(start, goal)
    below = kinematics.forward(start) @ Pose.of((0, 0, 0.06))
    holding = observed(planner, start, objects=estimates(sigma=0.001, red_cube=below), holding="red_cube", gripper=0.04)
    trajectory = planner.to_configuration(holding, goal)
    assert planner.scene.held == "red_cube"
    assert not planner.scene.free_between(start, goal)
    assert touched(planner, holding, trajectory) == set()


def test_what_was_let_go_is_an_obstacle_again(planner, kinematics):
    start = at(kinematics, (0.5, -0.25, 0.3))
    inside = kinematics.forward(start)
    planner.look(observed(planner, start, objects=estimates(red_cube=inside), holding="red_cube"))
    assert planner.scene.held == "red_cube"
    planner.look(observed(planner, start))
    assert planner.scene.held is None
    assert any("red_cube" in pair for pair in planner.scene.contacts(at(kinematics, (0.5, -0.25, 0.001))))


def test_what_has_just_been_grasped_can_be_lifted(planner, kinematics):
    start = at(kinematics, (0.5, -0.25, 0.02))
    cube = Pose.of((0.5, -0.25, 0.0195))
    seen = observed(planner, start, objects=estimates(sigma=0.001, red_cube=cube), holding="red_cube", gripper=0.04)
    trajectory = planner.straight_to(seen, Pose.of((0.5, -0.25, 0.15), DOWN))
    assert kinematics.forward(trajectory.q[-1]).position[2] == pytest.approx(0.15, abs=2e-3)


def test_what_has_just_been_released_can_be_left(planner, kinematics):
    start = at(kinematics, (0.5, -0.25, 0.02))
    seen = observed(planner, start, objects=estimates(sigma=0.001, red_cube=(0.5, -0.248, 0.02)), gripper=0.044)
    assert planner.straight_to(seen, Pose.of((0.5, -0.25, 0.15), DOWN)).duration > 0


def test_a_goal_inside_something_names_it(planner, kinematics):
    seen = observed(planner, PANDA.home)
    with pytest.raises(MotionFailure) as failure:
        planner.to_pose(seen, Pose.of((0.5, 0.0, 0.2), DOWN))
    assert failure.value.code is Code.GOAL_IN_COLLISION
    assert "wall" in failure.value.reason
    with pytest.raises(MotionFailure) as failure:
        planner.to_configuration(seen, at(kinematics, (0.5, 0.0, 0.2)))
    assert failure.value.code is Code.GOAL_IN_COLLISION
    assert "wall" in failure.value.reason


def test_a_start_inside_something_names_it(planner, kinematics):
    inside = at(kinematics, (0.5, 0.0, 0.2))
    seen = observed(planner, inside)
    for plan in (
        lambda: planner.to_configuration(seen, PANDA.home),
        lambda: planner.straight_to(seen, Pose.of((0.5, 0.0, 0.3), DOWN)),
    ):
        with pytest.raises(MotionFailure) as failure:
            plan()
        assert failure.value.code is Code.START_IN_COLLISION
        assert "wall" in failure.value.reason


def test_what_is_held_but_was_never_seen_is_not_carried_blindly(planner):
    seen = observed(planner, PANDA.home, objects=estimates(only=("table",)), holding="red_cube")
    with pytest.raises(MotionFailure) as failure:
        planner.to_pose(seen, Pose.of((0.5, 0.2, 0.3), DOWN))
    assert failure.value.code is Code.NOT_PERCEIVED
    assert "red_cube" in failure.value.reason


def test_out_of_reach_is_said(planner):
    with pytest.raises(MotionFailure) as failure:
        planner.to_pose(observed(planner, PANDA.home), Pose.of((1.2, 0.4, 0.2), DOWN))
    assert failure.value.code is Code.UNREACHABLE


@pytest.mark.parametrize("speed", [0.0, -1.0, 1.5, float("nan")])
def test_a_speed_that_is_no_share_is_refused(planner, speed):
    with pytest.raises(ValueError, match="share"):
        planner.to_configuration(observed(planner, PANDA.home), PANDA.home + 0.1, speed=speed)


def test_slower_is_slower_and_the_planner_has_a_speed_of_its_own(planner, kinematics):
    seen, goal = observed(planner, PANDA.home), PANDA.home + 0.3
    full, half = (planner.to_configuration(seen, goal, speed=speed) for speed in (None, 0.5))
    assert half.duration == pytest.approx(2 * full.duration, abs=0.05)
    careful = MotionPlanner(PANDA, INVENTORY, speed=0.5)
    assert np.array_equal(careful.to_configuration(seen, goal).q, half.q)


def journey(planner) -> str:
    """A digest of a few motions in a row."""
    digest, q = hashlib.sha256(), at(planner.kinematics, RIGHT)
    for position in (LEFT, RIGHT, (0.4, 0.3, 0.1)):
        q = planner.to_pose(observed(planner, q), Pose.of(position, DOWN)).q[-1]
        digest.update(q.tobytes())
    digest.update(planner.to_configuration(observed(planner, q), at(planner.kinematics, RIGHT)).q.tobytes())
    return digest.hexdigest()


PROGRAM = """
from robo_orch.motion.planner import MotionPlanner
from robo_orch.motion.scene import PlanningScene
from tests.motion.conftest import INVENTORY, PANDA
from tests.motion.test_planner import journey
print(journey(MotionPlanner(PANDA, INVENTORY, seed=5)))
"""


def test_the_same_seed_gives_the_same_motions_after_a_reset_and_in_a_fresh_process(planner):
    planner.reset(5)
    first = journey(planner)
    planner.reset(6)
    journey(planner)
    planner.reset(5)
    assert journey(planner) == first
    fresh = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert fresh.stdout.strip() == first


def test_motions_are_counted(planner):
    planner.to_configuration(observed(planner, PANDA.home), PANDA.home + 0.1)
    assert planner.plans == 1


def test_a_final_posture_can_be_asked_for(planner, kinematics):
    goal = Pose.of((0.5, -0.3, 0.3), DOWN)
    seen = observed(planner, PANDA.home)
    usual = planner.to_pose(seen, goal).q[-1]
    other = planner.to_pose(seen, goal, accept=lambda q: abs(q[0] - usual[0]) > 0.3).q[-1]
    assert abs(other[0] - usual[0]) > 0.3


def test_straight_motions_stop_at_each_pose(planner, kinematics):
    start = at(kinematics, (0.5, -0.25, 0.25))
    corner, end = Pose.of((0.5, -0.25, 0.15), DOWN), Pose.of((0.42, -0.25, 0.15), DOWN)
    trajectory = planner.straight_to(observed(planner, start), corner, end)
    rest = trajectory.q[np.all(trajectory.qd == 0.0, axis=1)]
    assert len(rest) == 3
    assert kinematics.forward(rest[1]).distance(corner)[0] < 1e-3
    assert kinematics.forward(rest[2]).distance(end)[0] < 1e-3


def test_a_stance_is_free_and_so_is_its_way(planner, kinematics):
    grasp, above = Pose.of((0.5, -0.25, 0.02), DOWN), Pose.of((0.5, -0.25, 0.12), DOWN)
    seen = observed(planner, PANDA.home, gripper=0.06)
    way, postures = planner.stance(seen, grasp, [[above]], allow=[("gripper", "red_cube")])
    assert way == 0 and postures.shape == (2, 7)
    for q, pose in zip(postures, (grasp, above), strict=True):
        assert kinematics.forward(q).distance(pose)[0] < 1e-3
    planner.look(seen)
    assert planner.scene.free(postures[1])


def test_a_stance_takes_the_first_way_that_is_free(planner):
    beside = Pose.of((0.5, -0.22, 0.15), DOWN)
    into_the_wall, away = Pose.of((0.5, 0.0, 0.15), DOWN), Pose.of((0.5, -0.3, 0.15), DOWN)
    assert planner.stance(observed(planner, PANDA.home), beside, [[into_the_wall], [away]])[0] == 1


def test_a_stance_that_cannot_be_names_the_things_to_blame(planner):
    blocked = observed(planner, PANDA.home, objects=estimates(green_cube=(0.5, -0.18, 0.02)), gripper=0.08)
    grasp = Pose.of((0.5, -0.25, 0.02), (0.0, 1.0, 0.0, 0.0))  # fingers along y, towards the other cube
    with pytest.raises(MotionFailure) as failure:
        planner.stance(blocked, grasp, allow=[("gripper", "red_cube")])
    assert failure.value.touching == ("green_cube",)
    assert "green_cube" in failure.value.reason


def test_room_to_open_the_gripper_is_part_of_a_stance(planner):
    near = observed(planner, PANDA.home, objects=estimates(green_cube=(0.5, -0.172, 0.02)), gripper=0.04)
    grasp, allow = Pose.of((0.5, -0.25, 0.02), (0.0, 1.0, 0.0, 0.0)), [("gripper", "red_cube")]
    assert planner.stance(near, grasp, allow=allow, postures=0)
    with pytest.raises(MotionFailure, match="when the gripper opens"):
        planner.stance(near, grasp, allow=allow, postures=0, release=0.08)


def guided(planner, kinematics, **moved):
    """The red cube, held from above, is led 10 cm along y."""
    start = at(kinematics, (0.5, -0.35, 0.03))
    here = {"red_cube": (0.5, -0.35, 0.03)} | moved
    seen = observed(planner, start, objects=estimates(sigma=0.001, **here), gripper=0.04)
    way = [(Pose.of((0.5, y, 0.03), DOWN), Pose.of((0.5, y, 0.03))) for y in np.linspace(-0.35, -0.25, 6)]
    return planner.guide(seen, "red_cube", way, allow=[("gripper", "red_cube")])


def test_what_is_guided_goes_with_the_tool(planner, kinematics):
    trajectory = guided(planner, kinematics)
    assert kinematics.forward(trajectory.q[-1]).position == pytest.approx((0.5, -0.25, 0.03), abs=1e-3)
    assert planner.scene.held is None


def test_what_is_guided_must_not_run_into_anything(planner, kinematics):
    with pytest.raises(MotionFailure, match="green_cube"):
        guided(planner, kinematics, green_cube=(0.5, -0.24, 0.02))


def test_setpoints_never_leave_the_joint_limits(planner, kinematics):
    q = np.array([-1.2, -0.3, 0.0, -2.2, 0.0, 2.0, PANDA.limits.upper[6]])
    up = Pose(kinematics.forward(q).position + np.array([0.0, 0.0, 0.1]), kinematics.forward(q).quaternion)
    trajectory = planner.straight_to(observed(planner, q), up)
    assert np.all(trajectory.q <= PANDA.limits.upper) and np.all(trajectory.q >= PANDA.limits.lower)


def test_effort_is_counted_and_a_limit_ends_planning_at_the_same_point_each_time(planner, kinematics):
    start, goal = at(kinematics, RIGHT), at(kinematics, LEFT)
    seen, taken = observed(planner, start), []
    for _ in range(2):
        planner.reset(3, effort=300)
        before = planner.effort.used
        with pytest.raises(MotionFailure):
            planner.to_configuration(seen, goal)
        taken.append(planner.effort.used - before)
        assert planner.effort.spent
        with pytest.raises(GaveUp):
            planner.straight_to(seen, Pose.of((0.5, -0.2, 0.3), DOWN))
    assert taken[0] == taken[1] < 1000
    planner.reset(3)
    assert not planner.effort.spent
    assert len(planner.to_configuration(seen, goal).q)


def test_within_a_limit_there_is_no_more_than_the_one_around_it_allows(planner, kinematics):
    planner.reset(0, effort=50)
    with planner.effort.within(1_000_000):
        for _ in range(50):
            planner.scene.free(PANDA.home)
        assert planner.effort.spent
    planner.reset(0)
    with planner.effort.within(0):
        assert planner.effort.spent
    assert not planner.effort.spent


def test_a_way_is_gone_back_as_it_was_gone_unless_something_stands_there_now(planner, kinematics):
    start, goal = at(kinematics, RIGHT), at(kinematics, LEFT)
    there = planner.to_configuration(observed(planner, start), goal)
    seen = observed(planner, goal)
    back = planner.retrace(seen, there.q[::-5])
    assert np.array_equal(back.q[0], goal) and within(back, PANDA.limits)
    assert np.max(np.abs(back.q[-1] - there.q[::-5][-1])) < 1e-9
    assert touched(planner, seen, back) == set()
    middle = kinematics.forward(there.q[len(there.q) // 2]).position
    blocked = observed(planner, goal, objects=estimates(sigma=0.001, red_cube=tuple(middle)))
    with pytest.raises(MotionFailure, match="red_cube"):
        planner.retrace(blocked, there.q[::-5])
