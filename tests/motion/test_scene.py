# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.kinematics import Kinematics
from robo_orch.motion.scene import PADDING, PlanningScene
from robo_orch.objects import Joint, JointKind
from robo_orch.robots.mjcf import add_object, robot_spec_mjcf
from robo_orch.types import Code, Pose
from tests.motion.conftest import DOWN, INVENTORY, PANDA, WALL, at, box, estimates
from tests.motion.test_kinematics import configurations
from tests.scenes import cube, estimate

SCENE, KINEMATICS = PlanningScene(PANDA, INVENTORY), Kinematics(PANDA)

positions = st.tuples(st.floats(0.1, 0.7), st.floats(-0.5, 0.5), st.floats(0.0, 0.8))
turns = st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda v: np.linalg.norm(v) > 0.1)


def gap(q, obj, pose) -> float:
    """Smallest distance from a moving link to an object, by a model that was compiled with it in place."""
    spec = robot_spec_mjcf(PANDA)
    add_object(spec, obj, pose)
    model = spec.compile()
    data = mujoco.MjData(model)
    for name, value in zip((*PANDA.names, *PANDA.gripper.joints), (*q, 0.04, 0.04), strict=True):
        data.joint(name).qpos = value
    mujoco.mj_forward(model, data)
    links = [g for g in range(model.ngeom) if model.geom_contype[g] and model.body_weldid[model.geom_bodyid[g]]]
    links = [g for g in links if model.body(model.geom_bodyid[g]).name.startswith("panda")]
    things = np.flatnonzero(model.geom_bodyid == model.body(obj.name).id)
    return min(mujoco.mj_geomDistance(model, data, a, b, 1.0, None) for a in links for b in things)


@given(configurations, positions, turns)
@settings(max_examples=40, deadline=None)
def test_an_object_counts_exactly_within_its_padding(q, position, turn):
    pose = Pose.of(position, turn)
    SCENE.update({"wall": estimate("wall", pose, 0.0)}, 0.08)
    distance = gap(q, WALL, pose)
    touching = any("wall" in pair for pair in SCENE.contacts(q))
    if abs(distance - PADDING) > 1e-3:
        assert touching == (distance < PADDING)


@given(configurations)
@settings(max_examples=60, deadline=None)
def test_free_means_without_contacts(q):
    SCENE.update(estimates(), 0.08)
    assert SCENE.certain(q) == (SCENE.contacts(q) == []) == (SCENE.explain(q) == "")


@given(configurations, positions)
@settings(max_examples=30, deadline=None)
def test_a_held_object_collides_where_the_tool_takes_it(q, position):
    scene = PlanningScene(PANDA, {"red_cube": INVENTORY["red_cube"], "wall": WALL}, padding=0.0)
    scene.update(estimates(only=("red_cube", "wall"), wall=position), 0.04)
    scene.attach("red_cube", Pose.of((0, 0, 0.1)))
    held = tool(q) @ Pose.of((0, 0, 0.1))
    distance = separation(INVENTORY["red_cube"], held, WALL, Pose.of(position))
    if abs(distance) > 1e-3:
        assert (("red_cube", "wall") in scene.contacts(q)) == (distance < 0)


def tool(q) -> Pose:
    from tests.motion.test_kinematics import KINEMATICS

    return KINEMATICS.forward(q)


def separation(a, pose_a, b, pose_b) -> float:
    spec = mujoco.MjSpec()
    add_object(spec, a, pose_a)
    add_object(spec, b, pose_b)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return mujoco.mj_geomDistance(model, data, 0, 1, 3.0, None)


def test_home_is_free_and_the_names_of_what_touches_are_given(scene, kinematics):
    scene.update(estimates(), 0.08)
    assert scene.free(PANDA.home)
    low = at(kinematics, (0.5, -0.25, 0.001))
    pairs = scene.contacts(low)
    assert ("panda_leftfinger", "table") in pairs
    assert "panda_leftfinger touches table" in scene.explain(low)


def test_the_arm_does_not_pass_through_itself(scene):
    scene.update({}, 0.08)
    folded = PANDA.home + np.array([0, 0, 0, -0.7, 0, -1.2, 0])
    pairs = scene.contacts(np.clip(folded, PANDA.limits.lower, PANDA.limits.upper))
    assert pairs
    assert all(a.startswith("panda") and b.startswith("panda") for a, b in pairs)


def test_an_uncertain_object_is_given_a_wider_berth(scene, kinematics):
    q = at(kinematics, (0.5, -0.25, 0.10))
    scene.update(estimates(sigma=0.001), 0.08)
    assert scene.free(q)
    scene.update(estimates(sigma=0.1), 0.08)
    assert not scene.free(q)


def test_what_was_never_perceived_is_absent(scene, kinematics):
    q = at(kinematics, (0.5, -0.25, 0.001))
    scene.update({}, 0.08)
    assert scene.free(q)


def test_a_moving_part_is_where_it_is_estimated(kinematics):
    case = box("case", (0.1, 0.1, 0.1), fixed=True)
    joint = Joint(JointKind.SLIDE, "case", Pose.of(), np.array([-1.0, 0, 0]), (0.0, 0.2), np.zeros(3))
    tray = box("tray", (0.1, 0.08, 0.02), joint=joint)
    scene = PlanningScene(PANDA, {"tray": tray, "case": case})
    stand = Pose.of((0.7, 0.0, 0.1))
    q = at(kinematics, (0.45, 0.0, 0.1))
    for opened, expected in ((0.0, []), (0.15, ["tray"])):
        part = joint.pose(stand, opened)
        scene.update({"case": estimate("case", stand, 0.001), "tray": estimate("tray", part, 0.001)}, 0.0)
        assert sorted({name for pair in scene.contacts(q) for name in pair if name in ("tray", "case")}) == expected


def test_fingers_may_touch_what_they_are_allowed_to_but_not_run_through_it(scene, kinematics):
    q = at(kinematics, (0.5, -0.25, 0.02))
    scene.update(estimates(red_cube=(0.5, -0.25 + 0.022, 0.02)), 0.08)
    assert not scene.free(q)
    with scene.allowing([("gripper", "red_cube")]):
        assert scene.free(q)
    assert not scene.free(q)
    scene.update(estimates(red_cube=(0.5, -0.25 + 0.040, 0.02)), 0.08)
    with scene.allowing([("gripper", "red_cube")]):
        assert not scene.free(q)


def test_a_misspelt_allowance_is_an_error(scene):
    with pytest.raises(ValueError, match="purple_kangaroo"), scene.allowing([("gripper", "purple_kangaroo")]):
        pass


def test_what_is_too_close_at_the_start_may_be_left_but_not_approached(scene, kinematics):
    near, nearer, away = (at(kinematics, (0.5, -0.25, z)) for z in (0.013, 0.008, 0.05))
    scene.update(estimates(only=("table",)), 0.08)
    assert not scene.free(near)
    with scene.starting_at(near):
        assert scene.free(near)
        assert scene.free(away)
        assert not scene.free(nearer)
    assert not scene.free(near)


def test_a_start_inside_something_remains_a_collision(scene, kinematics):
    inside = at(kinematics, (0.5, 0.0, 0.2))
    scene.update(estimates(), 0.08)
    with scene.starting_at(inside):
        assert not scene.free(inside)


def test_a_held_object_rests_on_its_support_only_where_allowed(scene, kinematics):
    q = at(kinematics, (0.5, -0.25, 0.02))
    scene.update(estimates(), 0.04)
    scene.attach("red_cube", Pose.of((0, 0, 0), DOWN))
    with scene.allowing([("gripper", "table")]):
        assert scene.contacts(q) == [("red_cube", "table")]
        with scene.allowing([("red_cube", "table")]):
            assert scene.free(q)


def test_a_held_object_does_not_touch_the_hand_that_holds_it(scene, kinematics):
    q = at(kinematics, (0.5, -0.25, 0.3))
    scene.update(estimates(), 0.04)
    scene.attach("red_cube", Pose.of((0, 0, 0), DOWN))
    assert scene.held == "red_cube"
    assert scene.free(q)


def test_a_held_object_may_hit_the_arm():
    pole = box("long_pole", (0.01, 0.01, 0.3))
    scene = PlanningScene(PANDA, {"long_pole": pole})
    scene.update({"long_pole": estimate("long_pole", (0.5, 0, 0.5))}, 0.02)
    scene.attach("long_pole", Pose.of((0.0, 0.0, -0.2)))
    assert any("long_pole" in pair for pair in scene.contacts(PANDA.home))


def test_after_letting_go_the_object_is_where_it_is_seen(scene, kinematics):
    q = at(kinematics, (0.5, -0.25, 0.2))
    scene.update(estimates(), 0.04)
    scene.attach("red_cube", Pose.of((0, 0, 0.18)))
    assert not scene.free(q)
    scene.detach()
    scene.update(estimates(), 0.08)
    assert scene.free(q)
    assert ("panda_leftfinger", "red_cube") in scene.contacts(at(kinematics, (0.5, -0.21, 0.04)))


def test_attaching_the_unknown_is_said(scene):
    with pytest.raises(MotionFailure) as failure:
        scene.attach("purple_kangaroo", Pose.of())
    assert failure.value.code is Code.NOT_PERCEIVED
    assert "purple_kangaroo" in failure.value.reason


def test_the_gripper_opening_matters(scene, kinematics):
    q = at(kinematics, (0.5, -0.25, 0.02))
    scene.update(estimates(red_cube=(0.5, -0.25, 0.02), only=("red_cube",)), 0.08)
    assert scene.contacts(q) == []
    assert ("panda_leftfinger", "red_cube") in scene.contacts(q, gripper=0.02)
    assert scene.contacts(q) == []


def test_an_edge_through_a_wall_is_not_free(scene, kinematics):
    right, left = at(kinematics, (0.5, -0.25, 0.25)), at(kinematics, (0.5, 0.25, 0.25))
    scene.update(estimates(), 0.08)
    assert scene.free(right)
    assert scene.free(left)
    assert not scene.free_between(right, left)
    scene.update(estimates(only=("table",)), 0.08)
    assert scene.free_between(right, left)


def test_many_objects_are_all_seen():
    many = {o.name: o for o in (cube(f"cube_{i}") for i in range(20))}
    scene = PlanningScene(PANDA, many)
    tip = tool(PANDA.home).position
    for name in many:
        objects = {other: estimate(other, (0.2, 0.6, 0.05 * i)) for i, other in enumerate(many)}
        scene.update(objects | {name: estimate(name, tip + np.array([0, 0.04, 0]))}, 0.08)
        assert any(name in pair for pair in scene.contacts(PANDA.home))


@given(configurations, positions, turns)
@settings(max_examples=20, deadline=None)
def test_the_gap_is_the_distance_between_surfaces(q, position, turn):
    pose = Pose.of(position, turn)
    SCENE.update({"wall": estimate("wall", pose, 0.0)}, 0.08)
    distance = gap(q, WALL, pose)
    assert SCENE.gap(q, "robot", "wall", most=1.0) <= distance + 1e-6  # the base counts as well
    if 0.0 < distance < 0.2:
        assert SCENE.gap(q, "gripper", "wall") >= distance - 1e-6


def test_more_sigmas_keep_farther_away_and_a_cap_lets_closer(scene, kinematics):
    q = at(kinematics, (0.5, -0.25, 0.2))
    seen = estimates(sigma=0.0, red_cube=(0.5, -0.25, 0.15)) | {
        "red_cube": estimate("red_cube", (0.5, -0.25, 0.145), 0.02)
    }
    found = []
    for sigmas, most in ((1.0, np.inf), (3.0, np.inf), (3.0, 0.001)):
        scene.sigmas, scene.most = sigmas, most
        scene.update(seen, 0.08)
        found.append(bool(scene.contacts(q)))
    assert found == [False, True, False] or found == [True, True, False]


def test_the_objects_among_contacts_are_named_without_what_is_held(scene):
    scene.update(estimates(), 0.08)
    assert scene.touched([("panda_hand", "wall"), ("red_cube", "wall")]) == ("red_cube", "wall")
    scene.attach("red_cube", Pose.of())
    assert scene.touched([("panda_hand", "wall"), ("red_cube", "wall")]) == ("wall",)


@given(configurations, st.sampled_from([0.0, 0.04, 0.08]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_what_the_hand_would_touch_does_not_need_the_arm(q, gripper, holds):
    SCENE.update(estimates(), 0.08)
    if holds:
        SCENE.attach("red_cube", Pose.of((0.0, 0.0, 0.05)))
    try:
        tool = KINEMATICS.forward(q)
        hand = SCENE.hand_contacts(tool, gripper)
        moved = {"panda_link7", "panda_hand", "panda_leftfinger", "panda_rightfinger", *(["red_cube"] * holds)}
        arm = {f"panda_link{i}" for i in range(7)}
        whole = [p for p in SCENE.contacts(q, gripper) if moved & set(p) and not arm & set(p)]
        assert hand == whole
    finally:
        SCENE.detach()


def test_what_is_known_little_may_be_overlapped_by_a_share_of_its_sigma_where_that_is_allowed(scene):
    q = at(KINEMATICS, (0.5, 0.0, 0.2))
    tool = KINEMATICS.forward(q).position
    for sigma, touching in ((0.04, False), (0.001, True)):
        beside = tool + np.array([0.015 + 0.02, 0.0, 0.0])  # the cube reaches 5 mm into where the fingers are
        scene.give = 0.5
        scene.most = 0.0
        scene.update({"red_cube": estimate("red_cube", beside, sigma)}, 0.02)
        assert bool(scene.contacts(q)) is touching
        assert scene.free(q) is not touching
    scene.give = 0.0
    scene.update({"red_cube": estimate("red_cube", beside, 0.04)}, 0.02)
    assert scene.contacts(q)


def test_every_look_for_contacts_is_counted(scene):
    scene.update(estimates(), 0.08)
    before = scene.checks
    scene.free(PANDA.home)
    scene.contacts(PANDA.home)
    scene.hand_contacts(KINEMATICS.forward(PANDA.home))
    assert scene.checks == before + 3
