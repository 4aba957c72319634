# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robo_orch.catalogue import furniture, make_object
from robo_orch.objects import Joint, JointKind, Surface
from robo_orch.types import Pose

angles = st.floats(-np.pi, np.pi)
lengths = st.floats(-1.0, 1.0)
poses = st.builds(
    lambda x, y, z, a, b, c: Pose.from_rotation((x, y, z), Rotation.from_euler("xyz", (a, b, c))),
    lengths,
    lengths,
    lengths,
    angles,
    angles,
    angles,
)


@given(poses)
def test_bounds_contain_every_corner_of_a_turned_cube(pose):
    cube = make_object("cube", "red_cube", "red")
    half = cube.geoms[0].size[0]
    corners = pose.apply(half * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]))
    low, high = cube.bounds(pose)
    np.testing.assert_allclose(low, corners.min(axis=0), atol=1e-9)
    np.testing.assert_allclose(high, corners.max(axis=0), atol=1e-9)
    assert cube.height_below(pose) == pytest.approx(pose.position[2] - corners[:, 2].min())


@given(poses, st.sampled_from(list(JointKind)), st.floats(-1.2, 1.2), poses)
def test_joint_value_undoes_joint_pose(parent, kind, value, origin):
    joint = Joint(kind, "parent", origin, np.array([0.0, 0.6, 0.8]), (-1.5, 1.5), np.array([0.1, 0.0, -0.2]))
    assert joint.value(parent, joint.pose(parent, value)) == pytest.approx(value, abs=1e-7)


def test_a_hinge_leaves_its_anchor_where_it_is():
    joint = Joint(JointKind.HINGE, "p", Pose.of(), np.array([0.0, 0.0, 1.0]), (0.0, 2.0), np.array([0.2, 0.1, 0.0]))
    turned = joint.pose(Pose.of(), 1.3)
    np.testing.assert_allclose(turned.apply(joint.anchor), joint.anchor, atol=1e-12)


@pytest.mark.parametrize(
    ("surface", "point", "distance"),
    [
        (Surface("top", np.array([0.1, 0.0, 0.0]), (0.2, 0.1)), (0.1, 0.0), 0.1),
        (Surface("top", np.array([0.1, 0.0, 0.0]), (0.2, 0.1)), (0.35, 0.0), -0.05),
        (Surface("top", np.zeros(3), (0.2, 0.2), round=True), (0.15, 0.2), -0.05),
    ],
)
def test_inside_is_the_signed_distance_to_the_border(surface, point, distance):
    assert surface.inside(np.array(point)) == pytest.approx(distance)


def test_only_free_things_with_a_grasp_are_movable():
    cabinet, drawer = furniture("cabinet")
    assert make_object("cube", "red_cube", "red").movable
    assert not make_object("plate", "plate").movable
    assert not cabinet.movable
    assert drawer.grasps and not drawer.movable
