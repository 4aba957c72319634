# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.catalogue import furniture, make_object
from robo_orch.motion.failure import MotionFailure
from robo_orch.policies.loaders import PolicyContext
from robo_orch.policies.tamp.arm import Arm
from robo_orch.policies.tamp.parts import TURNS, Part, riders
from robo_orch.types import Code, Observation, Pose, RobotState
from tests.policies.tamp.desk import CARDS, PANDA
from tests.scenes import estimate

INVENTORY = {o.name: o for o in (*furniture("table"), *furniture("cabinet"), make_object("cube", "red_cube", "red"))}
CABINET = Pose.of((0.55, 0.5, 0.07), (0.0, 0.0, np.sin(0.4), np.cos(0.4)))
ARM = Arm(PolicyContext(PANDA, INVENTORY, CARDS["open_drawer"], 1.0))

shares = st.floats(0.0, 1.0)
parts = st.sampled_from(["drawer", "door"])


def look(cube=(0.4, -0.2, 0.0225), missing=(), sigma=0.001, **opened) -> None:
    poses = {"table": Pose.of((0.2, 0, 0)), "cabinet": CABINET, "red_cube": Pose.of(cube)}
    for name in ("drawer", "door"):
        joint = INVENTORY[name].joint
        poses[name] = joint.pose(CABINET, opened.get(name, 0.0) * joint.limits[1])
    zero = np.zeros(7)
    state = RobotState(0.0, PANDA.names, PANDA.home, zero, zero, Pose.of(), 0.08)
    ARM.begin(Observation(0.0, state, {n: estimate(n, p, sigma) for n, p in poses.items() if n not in missing}), 0)


@given(parts, shares, shares)
@settings(max_examples=40, deadline=None)
def test_where_a_part_will_be_is_where_its_joint_takes_it(name, now, then):
    look(**{name: now})
    part = Part(ARM, name)
    assert part.value == pytest.approx(now * part.range, abs=1e-6)
    metres, radians = part.at(then * part.range).distance(part.joint.pose(CABINET, then * part.range))
    assert metres < 1e-6 and radians < 1e-6


@given(parts, shares, shares, st.sampled_from(["first", "last"]))
@settings(max_examples=40, deadline=None)
def test_how_far_a_part_went_is_told_by_a_point_that_goes_with_it(name, now, then, which):
    look(**{name: now})
    part = Part(ARM, name)
    point = INVENTORY[name].grasps[0 if which == "first" else -1].pose.position
    start, end = part.at(part.value).apply(point), part.at(then * part.range).apply(point)
    assert part.went(start, end) == pytest.approx((then - now) * part.range, abs=1e-6)


@given(parts, st.floats(0.3, 1.0), st.sampled_from(TURNS))
@settings(max_examples=30, deadline=None)
def test_the_hand_stays_at_the_same_point_of_the_handle_however_it_turns(name, goal, turn):
    look()
    part = Part(ARM, name)
    tool = part.at(0.0) @ INVENTORY[name].grasps[0].pose
    way = part._way(tool, 0.0, goal * part.range, turn)
    for hand, pose in way:
        assert pose.inverse().apply(hand.position) == pytest.approx(INVENTORY[name].grasps[0].pose.position, abs=1e-6)
    assert way[0][0].distance(tool)[1] < 1e-6
    turned = way[-1][0].distance(tool)[1]
    full = goal * part.range if name == "door" else 0.0
    assert turned == pytest.approx(turn * full, abs=1e-5)


def test_a_push_never_opens_the_part_on_the_way_to_it():
    look(drawer=0.5)
    part = Part(ARM, "drawer")
    tool = part.at(0.12) @ INVENTORY["drawer"].grasps[0].pose
    openings = [part.joint.value(CABINET, pose) for _, pose in part._way(tool, 0.12, 0.0, 1.0)]
    assert max(openings) <= 0.1 + 1e-6 and openings[-1] == pytest.approx(0.0, abs=1e-6)


def test_closed_fingers_touch_the_handle_and_do_not_overlap_it():
    look(drawer=0.8)
    part, planner = Part(ARM, "drawer"), ARM.planner
    tool = part.at(part.value) @ part.first_touch(INVENTORY["drawer"].grasps[0].pose)
    q = planner.kinematics.inverse(tool, PANDA.home, np.random.default_rng(0))
    assert 0.0 <= planner.scene.gap(q, "gripper", "drawer", gripper=0.0) < 0.003


def test_what_lies_in_a_drawer_rides_along_and_what_lies_beside_it_does_not():
    floor = INVENTORY["drawer"].floors[0].centre[2]
    inside = INVENTORY["drawer"].joint.pose(CABINET, 0.2).apply(np.array([0.0, 0.0, floor + 0.0225]))
    look(cube=tuple(inside), drawer=1.0)
    assert riders("drawer", ARM.facts) == {"red_cube"}
    look(drawer=1.0)
    assert riders("drawer", ARM.facts) == set()


def test_a_part_whose_pose_is_not_known_well_enough_is_refused():
    look(missing=("drawer",))
    with pytest.raises(MotionFailure) as failure:
        Part(ARM, "drawer")
    assert failure.value.code is Code.NOT_PERCEIVED
    look(sigma=0.008)
    with pytest.raises(MotionFailure) as failure:
        Part(ARM, "door")
    assert failure.value.code is Code.IMPRECISE_POSE


def test_what_does_not_open_is_no_part():
    look()
    with pytest.raises(MotionFailure, match="no drawer and no door"):
        Part(ARM, "red_cube")


def test_how_far_it_stands_open_is_said_in_its_own_unit():
    look(drawer=0.5, door=0.25)
    assert Part(ARM, "drawer").stands == "it stands 100 of 200 mm open"
    assert "degrees open" in Part(ARM, "door").stands
