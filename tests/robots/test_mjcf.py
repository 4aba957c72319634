# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.catalogue import furniture, make_object
from robo_orch.errors import RobotError, SceneError
from robo_orch.robots.mjcf import TOOL_SITE, add_object, joint_names, owner, robot_spec_mjcf
from robo_orch.robots.spec import load_robot
from robo_orch.types import Pose

PANDA = load_robot("panda")
#: Modified DH parameters a, d, alpha of joints 1..7 and the flange, as Franka publishes them.
DH = [
    (0, 0.333, 0),
    (0, 0, -np.pi / 2),
    (0, 0.316, np.pi / 2),
    (0.0825, 0, np.pi / 2),
    (-0.0825, 0.384, -np.pi / 2),
    (0, 0, np.pi / 2),
    (0.088, 0, np.pi / 2),
    (0, 0.107, 0),
]


@pytest.fixture(scope="module")
def panda():
    model = robot_spec_mjcf(PANDA).compile()
    return model, mujoco.MjData(model)


def published(q):
    """Tool frame after Franka's DH table, the hand's 45 degrees and the 103.4 mm to the pads."""
    frame = np.eye(4)
    for (a, d, alpha), theta in zip(DH, [*q, -np.pi / 4], strict=True):
        ct, st_, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
        frame = frame @ [
            [ct, -st_, 0, a],
            [st_ * ca, ct * ca, -sa, -d * sa],
            [st_ * sa, ct * sa, ca, d * ca],
            [0, 0, 0, 1],
        ]
    frame[:3, 3] += 0.1034 * frame[:3, 2]
    return frame


def forward(panda, q):
    model, data = panda
    for name, value in zip(PANDA.names, q, strict=True):
        data.joint(name).qpos = value
    mujoco.mj_kinematics(model, data)
    return data.site(TOOL_SITE)


def test_at_home_the_tool_is_where_the_published_numbers_put_it(panda):
    np.testing.assert_allclose(forward(panda, PANDA.home).xpos, (0.30689, 0.0, 0.48688), atol=1e-5)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=7, max_size=7))
def test_forward_kinematics_equals_the_published_dh_table(panda, shares):
    q = PANDA.limits.lower + np.array(shares) * (PANDA.limits.upper - PANDA.limits.lower)
    site, frame = forward(panda, q), published(q)
    np.testing.assert_allclose(site.xpos, frame[:3, 3], atol=2e-5)
    np.testing.assert_allclose(site.xmat.reshape(3, 3), frame[:3, :3], atol=2e-5)


def test_nothing_touches_at_home_and_a_folded_arm_touches_itself(panda):
    model, data = panda
    forward(panda, PANDA.home)
    mujoco.mj_collision(model, data)
    assert data.ncon == 0
    forward(panda, (0, 1.7, 0, -3.0, 0, 0.5, 0))
    mujoco.mj_collision(model, data)
    assert data.ncon > 0


def test_the_fingers_are_driven_as_one(panda):
    model, _ = panda
    assert model.neq == 1
    assert model.eq_type[0] == mujoco.mjtEq.mjEQ_JOINT


def test_only_the_world_gets_actuators():
    assert robot_spec_mjcf(PANDA).compile().nu == 0
    model = robot_spec_mjcf(PANDA, actuated=True).compile()
    assert tuple(model.actuator(i).name for i in range(model.nu)) == joint_names(PANDA)
    np.testing.assert_allclose(model.actuator_forcerange[-2:], [[-40, 40]] * 2)


def test_the_arm_stays_where_it_is_without_actuators(panda):
    model, data = panda
    mujoco.mj_resetData(model, data)
    forward(panda, PANDA.home)
    for _ in range(500):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.qpos[:7], PANDA.home, atol=1e-3)


def with_things(mocap=False):
    spec = robot_spec_mjcf(PANDA)
    for obj in [*furniture("cabinet"), make_object("cube", "red_cube", "red")]:
        add_object(spec, obj, Pose.of((0.6, 0.3, 0.2)), mocap)
    return spec.compile()


def test_objects_are_bodies_of_their_name_with_numbered_geoms():
    model = with_things()
    assert model.body("red_cube").mass == pytest.approx(0.06)
    assert model.body(model.geom("red_cube/0").bodyid.item()).name == "red_cube"
    assert owner("red_cube/0") == owner("red_cube") == "red_cube"
    assert model.joint("red_cube").type.item() == mujoco.mjtJoint.mjJNT_FREE
    assert model.joint("drawer").type.item() == mujoco.mjtJoint.mjJNT_SLIDE


@pytest.mark.parametrize("value", [0.0, 0.07, 0.2])
def test_a_part_moves_as_its_joint_says(value):
    model = with_things()
    data = mujoco.MjData(model)
    data.joint("drawer").qpos = value
    mujoco.mj_kinematics(model, data)
    cabinet, drawer = (Pose.from_wxyz(data.body(n).xpos, data.body(n).xquat) for n in ("cabinet", "drawer"))
    assert furniture("cabinet")[1].joint.value(cabinet, drawer) == pytest.approx(value)


def test_furniture_can_be_made_movable_for_planning():
    model = with_things(mocap=True)
    data = mujoco.MjData(model)
    data.mocap_pos[model.body("cabinet").mocapid.item()] = (0.1, 0.2, 0.3)
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(data.body("cabinet").xpos, (0.1, 0.2, 0.3))
    np.testing.assert_allclose(data.body("drawer").xpos, (0.1, 0.2, 0.3), atol=1e-9)


def test_a_part_without_its_parent_is_refused():
    with pytest.raises(SceneError, match="cabinet before its part drawer"):
        add_object(robot_spec_mjcf(PANDA), furniture("cabinet")[1], Pose.of())


def test_a_urdf_that_lacks_a_joint_is_refused():
    joints = (*PANDA.joints[:-1], PANDA.joints[-1].model_copy(update={"name": "panda_joint8b"}))
    with pytest.raises(RobotError, match="no panda_joint8b"):
        robot_spec_mjcf(replace(PANDA, joints=joints))
