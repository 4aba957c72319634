# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.catalogue import furniture, kind, kinds, make_object
from robo_orch.sim.scenes.footprint import Footprint, swept
from robo_orch.types import Pose

angle = st.floats(-np.pi, np.pi)
spot = st.tuples(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4), angle)
thing = st.sampled_from(kinds())


def made(name):
    return make_object(name, name, (kind(name).colours or ("",))[0])


def at(name, where):
    x, y, yaw = where
    pose = Pose.of((x, y, 0.0), (0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)))
    return Footprint.of(made(name), Pose.of()).moved(np.array([[x, y]]), np.array([yaw])), pose


def border(figure, n=12):
    """Points ``(m, 2)`` on the border of a single figure."""
    if figure.radius[0]:
        turns = np.linspace(0, 2 * np.pi, n, endpoint=False)
        return figure.centre[0] + figure.radius[0] * np.column_stack([np.cos(turns), np.sin(turns)])
    along = np.linspace(-1, 1, n)
    one = np.ones(n)
    sides = np.concatenate([np.column_stack(p) for p in ((along, one), (along, -one), (one, along), (-one, along))])
    return figure.centre[0] + (sides * figure.half[0]) @ figure.axes[0]


@given(thing, spot)
def test_a_figure_moved_is_the_figure_of_the_object_moved(name, where):
    moved, pose = at(name, where)
    direct = Footprint.of(made(name), pose)
    np.testing.assert_allclose(moved.centre, direct.centre, atol=1e-9)
    np.testing.assert_allclose(moved.half, direct.half, atol=1e-9)
    np.testing.assert_allclose(moved.radius, direct.radius, atol=1e-9)


@given(thing, spot)
def test_the_figure_holds_every_solid_part(name, where):
    figure, pose = at(name, where)
    for geom in (g for g in made(name).geoms if g.collides):
        centre = (pose @ geom.pose).position[:2] - figure.centre[0]
        if figure.radius[0]:
            assert np.linalg.norm(centre) <= figure.radius[0] + 1e-9
        else:
            assert (np.abs(figure.axes[0] @ centre) <= figure.half[0] + 1e-9).all()


@given(thing, spot, thing, spot)
def test_the_gap_is_never_more_than_the_distance(one, here, other, there):
    a, b = at(one, here)[0], at(other, there)[0]
    nearest = np.linalg.norm(border(a)[:, None] - border(b)[None], axis=-1).min()
    assert a.apart(b)[0] <= nearest + 1e-9
    assert a.apart(b)[0] == pytest.approx(b.apart(a)[0])


@given(thing, spot)
def test_a_figure_overlaps_itself(name, where):
    figure, _ = at(name, where)
    assert figure.apart(figure)[0] < 0


def test_nothing_is_infinitely_far():
    assert Footprint.of(made("cube"), Pose.of()).apart(Footprint.none())[0] == np.inf


def test_a_drawer_covers_the_ground_up_to_where_it_opens():
    cabinet, drawer, _ = furniture("cabinet")
    poses = [drawer.joint.pose(Pose.of((0, 0, 0.07)), v) for v in (0.0, 0.2)]
    shut, both = (swept(drawer, p, 1e-4) for p in (poses[:1], poses))
    spot = Footprint.of(made("cube"), Pose.of((-0.3, 0.0, 0.0)))
    assert spot.apart(shut)[0] > 0 > spot.apart(both)[0]
    assert cabinet.name == drawer.joint.parent
