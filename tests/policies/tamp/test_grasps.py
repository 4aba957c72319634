# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.catalogue import kinds, make_object
from robo_orch.motion.failure import MotionFailure
from robo_orch.objects import Grasp
from robo_orch.policies.tamp.grasps import HALF_TURN, PALM, drawn_back, leaning, ordered, unlike, usable
from robo_orch.types import Code, Pose
from tests.policies.tamp.desk import PANDA
from tests.scenes import DOWN, estimate

GRIPPER = PANDA.gripper
DOWNWARDS = Pose.of((0.4, 0.0, 0.4), DOWN)


def same(a: Pose, b: Pose) -> bool:
    return a.distance(b)[0] < 1e-6 and a.distance(b)[1] < 1e-3


@pytest.mark.parametrize("kind", kinds())
def test_a_kind_has_usable_grasps_or_is_refused_with_its_width(kind):
    thing = make_object(kind, kind)
    if all(grasp.width >= GRIPPER.max_width for grasp in thing.grasps):
        with pytest.raises(MotionFailure, match="mm wide, the gripper opens 80 mm") as failure:
            usable(thing, GRIPPER)
        assert failure.value.code is Code.NO_GRASP
        return
    grasps = usable(thing, GRIPPER)
    assert all(g.width < GRIPPER.max_width for g in grasps)
    for grasp in grasps:  # each also turned by half, and none twice
        assert sum(same(grasp.pose @ HALF_TURN, g.pose) for g in grasps) == 1
        assert sum(same(grasp.pose, g.pose) for g in grasps) == 1


def test_what_needs_no_turn_comes_first_and_the_middle_of_a_bar_before_its_end():
    bar = make_object("bar", "bar")
    best = ordered(usable(bar, GRIPPER), estimate("bar", (0.5, 0, 0.016)), DOWNWARDS, GRIPPER.max_width)
    assert best[0].name.startswith("middle")
    assert DOWNWARDS.distance(Pose.of((0.5, 0, 0.016)) @ best[0].pose)[1] < 1.6


def test_the_less_is_known_the_more_room_the_fingers_get():
    for sigma in (0.005, 0.008):
        at = estimate("thing", (0.5, 0, 0.14), sigma)
        thin, wide = (Grasp(name, Pose.of((0, 0, 0), DOWN), w) for name, w in (("thin", 0.028), ("wide", 0.062)))
        assert ordered([wide, thin], at, DOWNWARDS, GRIPPER.max_width)[0] is thin


def test_what_is_tall_is_held_by_its_body_while_its_place_is_known_little():
    bottle = make_object("bottle", "bottle")
    grasps = usable(bottle, GRIPPER)
    best = ordered(grasps, estimate("bottle", (0.5, 0, 0.14), 0.005), DOWNWARDS, GRIPPER.max_width)[0]
    assert best.pose.position[2] <= 0.0


def test_a_grasp_that_failed_comes_last():
    cube, at = make_object("cube", "cube"), estimate("cube", (0.5, 0, 0.02))
    first = ordered(usable(cube, GRIPPER), at, DOWNWARDS, GRIPPER.max_width)[0]
    again = ordered(usable(cube, GRIPPER), at, DOWNWARDS, GRIPPER.max_width, [first])
    assert abs(again[0].pose.matrix[:, 1] @ first.pose.matrix[:, 1]) < 0.1


def test_where_grasps_from_above_are_of_no_use_those_from_the_side_come_next():
    can = make_object("can", "can")
    grasps = ordered(usable(can, GRIPPER), estimate("can", (0.5, 0, 0.05)), DOWNWARDS, GRIPPER.max_width)
    assert grasps[0].name.startswith("top")
    assert unlike(grasps[1:], grasps[:1])[0].name.startswith("side")


def test_for_what_is_covered_the_hand_leans_over_and_its_pads_stay_where_they_are():
    cube = usable(make_object("cube", "cube"), GRIPPER)
    for grasp in leaning(cube):
        assert -0.9 < grasp.pose.matrix[2, 2] < 0.0
        along = [abs(g.pose.matrix[:, 1] @ grasp.pose.matrix[:, 1]) for g in cube if g.name == grasp.name]
        assert max(along) > 0.999 and any(np.allclose(g.pose.position, grasp.pose.position) for g in cube)


def test_what_can_be_grasped_from_the_side_stays_so_and_a_rim_is_left_alone():
    can = usable(make_object("can", "can"), GRIPPER)
    sides = [g for g in can if abs(g.pose.matrix[2, 2]) < 0.1]
    assert [g for g in leaning(can) if g in sides] == sides
    assert not any(g.name.startswith("rim") for g in leaning(usable(make_object("mug", "mug"), GRIPPER)))


def test_the_hand_keeps_from_the_side_on_which_something_known_little_may_stand():
    can, at = make_object("can", "can"), estimate("can", (0.5, 0, 0.05))
    sides = [g for g in usable(can, GRIPPER) if abs(g.pose.matrix[2, 2]) < 0.1]
    bowl = (np.array([0.5, 0.15, 0.03]), 0.10)
    best = ordered(sides, at, DOWNWARDS, GRIPPER.max_width, vague=[bowl])[0]
    hand = (at.pose @ best.pose).apply(np.array([0.0, 0.0, -0.1]))
    assert np.linalg.norm((hand - bowl[0])[:2]) > 0.10


def test_a_hand_at_the_side_of_something_thick_is_drawn_back_until_its_palm_has_room():
    bottle = make_object("bottle", "bottle")
    before = {grasp.name: grasp for grasp in bottle.grasps}
    for grasp in drawn_back(bottle.grasps, 0.010):
        back = before[grasp.name].pose.inverse() @ grasp.pose
        lacking = 0.010 - (PALM - grasp.width / 2) if "body" in grasp.name else 0.0
        assert back.position == pytest.approx([0.0, 0.0, -lacking], abs=1e-9), grasp.name
    assert drawn_back(bottle.grasps, 0.005) == list(bottle.grasps)
