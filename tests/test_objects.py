# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robo_orch.catalogue import furniture, make_object
from robo_orch.objects import Geom, Joint, JointKind, Shape, Surface
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


def points_on(shape, n=4000):
    """A primitive of half sizes 0.3, 0.2, 0.1 (as far as it has them), and points all over its skin, ``(n, 3)``."""
    directions = np.random.default_rng(0).normal(size=(n, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    ring = directions[:, :2] / np.linalg.norm(directions[:, :2], axis=1, keepdims=True)
    ends = np.sign(directions[:, 2:])
    match shape:
        case Shape.BOX:
            return (0.3, 0.2, 0.1), np.sign(directions) * (0.3, 0.2, 0.1)
        case Shape.ELLIPSOID:
            return (0.3, 0.2, 0.1), directions * (0.3, 0.2, 0.1)
        case Shape.SPHERE:
            return (0.3,), directions * 0.3
        case Shape.CYLINDER:
            return (0.3, 0.2), np.hstack([0.3 * ring, 0.2 * ends])
        case Shape.CAPSULE:
            return (0.3, 0.2), directions * 0.3 + np.hstack([0 * ring, 0.2 * ends])


@given(poses, st.sampled_from(list(Shape)))
def test_extents_are_exact_for_every_primitive(pose, shape):
    size, skin = points_on(shape)
    extents = Geom(shape, size, Pose.of()).extents(pose.rotation.as_matrix())
    reached = np.abs(pose.rotation.apply(skin)).max(axis=0)
    assert (reached <= extents + 1e-9).all()
    np.testing.assert_allclose(reached, extents, rtol=0.03, atol=1e-6)


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
    cabinet, drawer, _ = furniture("cabinet")
    assert make_object("cube", "red_cube", "red").movable
    assert not make_object("plate", "plate").movable
    assert not cabinet.movable
    assert drawer.grasps and not drawer.movable
