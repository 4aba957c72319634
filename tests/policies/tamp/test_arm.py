# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.timing import Trajectory
from robo_orch.policies.loaders import PolicyContext
from robo_orch.policies.tamp.arm import Arm
from robo_orch.policies.tamp.errands import look_about
from robo_orch.types import Code, Observation, Pose, RobotState
from tests.policies.tamp.desk import CARDS, PANDA
from tests.scenes import INVENTORY, PLACES, estimate


@pytest.fixture(scope="module")
def made():
    return Arm(PolicyContext(PANDA, INVENTORY, CARDS["stack"], 1.0))


@pytest.fixture
def arm(made):
    made.begin(looks(0.0), 0)
    return made


def looks(stamp: float, gripper: float = 0.08, sigma: float = 0.001, effort=None, **moved) -> Observation:
    zero = np.zeros(7)
    state = RobotState(stamp, PANDA.names, PANDA.home, zero, zero if effort is None else effort, Pose.of(), gripper)
    places = PLACES | moved
    return Observation(stamp, state, {name: estimate(name, at, sigma, stamp) for name, at in places.items()})


def run(arm, script, see):
    """Run a script to its end; ``see(i)`` is what is seen after chunk i. Returns its value and the chunks."""
    chunks = []
    try:
        while True:
            chunks.append(next(script))
            arm.observe(see(len(chunks)))
    except StopIteration as end:
        return end.value, chunks


def moving(steps: int) -> Trajectory:
    q = PANDA.home + np.linspace(0.0, 0.1, steps)[:, None]
    qd = np.full_like(q, 0.1 / (steps * PANDA.period))
    qd[[0, -1]] = 0.0
    return Trajectory(q, qd, PANDA.period)


def test_a_pose_that_is_known_too_little_is_refused_with_both_figures(arm):
    arm.observe(looks(0.1, sigma=0.03))
    with pytest.raises(MotionFailure, match="30 mm, 6 mm are needed") as failure:
        arm.estimate("red_cube")
    assert failure.value.code is Code.IMPRECISE_POSE


def test_case_c32_fingers_that_are_there_are_not_waited_for_and_waiting_ends(arm):
    _, soon = run(arm, arm.grip(0.04, "closing"), lambda i: looks(0.1 * i, gripper=0.04))
    _, never = run(arm, arm.grip(0.04, "closing"), lambda i: looks(0.1 * i, gripper=0.08 - 0.002 * i))
    assert len(soon) == 3 and len(never) == 10
    assert np.all(soon[0].values[:, -1] == 0.04)


def test_a_look_lasts_until_everything_was_seen_anew_and_is_bounded(arm):
    _, seen = run(arm, arm.look("red_cube"), lambda i: looks(0.1 * i))
    _, blind = run(arm, arm.look("red_cube"), lambda i: replace(looks(0.1 * i), objects=looks(-1.0).objects))
    assert (len(seen), len(blind)) == (1, 10)


def test_what_is_known_little_is_averaged_over_several_frames_until_it_moves(arm):
    rng = np.random.default_rng(0)
    errors = 0.005 * rng.normal(size=(10, 3))

    def see(i):
        return looks(0.1 * i, sigma=0.005, red_cube=tuple(np.array(PLACES["red_cube"]) + errors[i]))

    run(arm, arm.look("red_cube"), see)
    mean = PLACES["red_cube"] + errors[1:5].mean(axis=0)
    assert arm.pose("red_cube").position == pytest.approx([*mean[:2], 0.02])  # it stands on the table
    arm.observe(looks(2.0, sigma=0.005, red_cube=(0.4, -0.25, 0.02)))
    assert arm.pose("red_cube").position == pytest.approx((0.4, -0.25, 0.02))


def test_what_leans_within_its_error_stands_upright_and_keeps_its_heading(arm):
    turn = Rotation.from_euler("zx", [0.7, 0.01])
    arm.observe(looks(0.1, sigma=0.01, red_cube=Pose.from_rotation(PLACES["red_cube"], turn)))
    matrix = arm.seen.objects["red_cube"].pose.matrix
    assert matrix[2, 2] == pytest.approx(1.0)
    assert np.arctan2(matrix[1, 0], matrix[0, 0]) == pytest.approx(0.7, abs=1e-3)
    arm.observe(looks(0.2, sigma=0.01, red_cube=Pose.from_rotation(PLACES["red_cube"], Rotation.from_euler("x", 0.5))))
    assert arm.seen.objects["red_cube"].pose.matrix[2, 2] < 0.9


def test_a_motion_that_feels_its_way_brakes_within_the_limits_when_it_touches(arm):
    motion = moving(30)
    pushed = arm.planner.kinematics.jacobian(PANDA.home).T @ np.array([0, 0, 30.0, 0, 0, 0])
    done, chunks = run(arm, arm.feel(motion, "reaching"), lambda i: looks(0.1 * i, effort=pushed if i >= 3 else None))
    assert done is False
    values = np.concatenate([chunk.values for chunk in chunks])
    assert len(chunks) == 4 and not np.any(values[-1, 7:14])
    steps = np.diff(np.vstack([motion.q[0], values[:, :7]]), axis=0)
    assert np.all(np.abs(steps) <= PANDA.limits.velocity * PANDA.period)
    arm.observe(looks(1.0))
    free, chunks = run(arm, arm.feel(motion, "reaching"), lambda i: looks(0.1 * i))
    assert free is True
    assert np.array_equal(np.concatenate([c.values for c in chunks[1:]])[:, :7], motion.q[1:])  # first it rests


def test_cases_c49_and_c52_waiting_holds_the_last_command(arm):
    commanded = PANDA.home + 0.004
    seen = looks(0.1)
    arm.observe(replace(seen, state=replace(seen.state, commanded=commanded)))
    chunk = next(arm.grip(0.02, "closing"))
    assert np.array_equal(chunk.values[:, :7], np.tile(commanded, (len(chunk.values), 1)))


def test_heavy_things_are_carried_more_slowly_than_light_ones(arm):
    arm.inventory = {n: replace(INVENTORY["red_cube"], mass=m) for n, m in (("red_cube", 0.05), ("blue_cube", 0.24))}
    try:
        assert arm.careful("red_cube") == 1.0
        assert arm.careful("blue_cube") == pytest.approx(0.5)
    finally:
        arm.inventory = INVENTORY


def test_what_is_imagined_is_seen_as_it_would_be(arm):
    q = PANDA.home + 0.1
    seen = arm.imagine(q, 0.04, "red_cube", Pose.of((0, 0, 0.01)))
    tool = arm.planner.kinematics.forward(q)
    assert seen.state.holding == "red_cube" and np.array_equal(seen.state.start, q)
    assert seen.objects["red_cube"].pose.position == pytest.approx(tool.apply(np.array([0, 0, 0.01])))
    with arm.ignoring({"green_cube"}):
        assert "green_cube" not in arm.seen.objects
    assert "green_cube" in arm.seen.objects


def test_a_gentle_touch_ends_a_slow_motion_and_rubbing_joints_do_not(arm):
    arm.observe(looks(0.0))
    motion = moving(60)
    up = arm.planner.kinematics.jacobian(PANDA.home).T[:, 2]
    rubbing = 7.0 * up  # while it moves, from the first piece on
    done, _ = run(arm, arm.feel(motion, "landing", 5.0), lambda i: looks(0.1 * i, effort=rubbing if i >= 2 else None))
    assert done is True
    arm.observe(looks(1.0))
    pushed = rubbing + 8.0 * up
    efforts = [0 * up, 0 * up, *[rubbing] * 4]
    done, chunks = run(
        arm,
        arm.feel(motion, "landing", 5.0),
        lambda i: looks(0.1 * i, effort=efforts[i] if i < len(efforts) else pushed),
    )
    assert done is False and len(chunks) < 10


def test_what_is_held_lies_between_where_it_was_grasped_and_where_it_is_seen(arm):
    def held(stamp, sigma, x=0.0, y=0.0):
        seen = looks(stamp, sigma=sigma, red_cube=(x, y, 0.1))
        return replace(seen, state=replace(seen.state, holding="red_cube"))

    grasped = Pose.of((0.0, 0.0, 0.1))
    for sigma, x in ((0.005, 0.003), (0.001, 0.0)):
        arm.observe(held(0.0, sigma, 0.006, 0.006))
        run(arm, arm.hold("red_cube", grasped), lambda i, s=sigma: held(0.1 * i, s, 0.006, 0.006))
        arm.observe(held(3.0, sigma, 0.002, 0.002))
        assert arm.seen.objects["red_cube"].pose.position == pytest.approx((x, 0.0, 0.1), abs=1e-9)
    arm.observe(held(4.0, 0.001, 0.05))  # it has slipped
    assert arm.seen.objects["red_cube"].pose.position[0] == pytest.approx(0.05)


def test_things_known_little_are_passed_as_closely_as_need_be_and_no_closer_afterwards(arm):
    scene, tried = arm.planner.scene, []

    def plan():
        tried.append(scene.most)
        if scene.most > 0.0:
            raise MotionFailure(Code.NO_PATH, "a bowl is in the way")
        return "free"

    assert arm.boldly(plan) == "free"
    assert tried == [np.inf, 0.025, 0.012, 0.0]
    assert scene.most == np.inf


def test_what_was_never_seen_is_looked_about_for_once(arm):
    def without(stamp: float) -> Observation:
        seen = looks(stamp)
        return replace(seen, objects={name: e for name, e in seen.objects.items() if name != "blue_cube"})

    arm.observe(without(0.0))
    _, chunks = run(arm, look_about(arm), lambda i: without(0.1 * i))
    assert [c.label for c in chunks].count("looking about") == 2  # to both sides
    _, chunks = run(arm, look_about(arm), lambda i: without(10.0))
    assert not chunks
