# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.catalogue import make_object
from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.sim.scenes.footprint import Footprint
from robo_orch.sim.scenes.room import Item, Standing, hand_has_room

AREA = load_scene("kitchen").area
NOTHING = Standing(Footprint.none(), Footprint.none(), Footprint.none())
CUBE, BOTTLE, SPONGE, CAN = (
    Item.of(make_object(kind, kind, colour), AREA)
    for kind, colour in (("cube", "red"), ("bottle", "green"), ("sponge", "yellow"), ("can", "red"))
)


def has_room(*placed):
    items = {item.obj.name: item for item, _ in placed}
    spots = {item.obj.name: np.array(spot, dtype=float) for item, spot in placed}
    return hand_has_room(items, spots, NOTHING, AREA)


@given(st.floats(-np.pi, np.pi))
def test_alone_everything_has_room(yaw):
    for item in (CUBE, BOTTLE, SPONGE, CAN):
        assert has_room((item, (0.5, 0.0, yaw)))


@pytest.mark.parametrize(("ahead", "free"), [(0.12, False), (0.35, True), (-0.2, True)])
def test_nothing_tall_stands_between_the_robot_and_an_object(ahead, free):
    assert has_room((CUBE, (0.6, 0.0, 0.0)), (BOTTLE, (0.6 - ahead, 0.0, 0.0))) is free


def test_a_sponge_with_a_can_where_its_fingers_must_go_has_none():
    """It is grasped across, along its y axis, and nowhere else."""
    assert not has_room((SPONGE, (0.5, 0.0, 0.0)), (CAN, (0.5, 0.08, 0.0)))
    assert has_room((SPONGE, (0.5, 0.0, np.pi / 2)), (CAN, (0.5, 0.08, 0.0)))


def test_an_open_drawer_and_what_is_high_are_kept_clear_of():
    layout = lay_out(load_scene("kitchen"), 0)
    standing = Standing.of(layout.inventory, layout.poses, 0.0)
    door = layout.inventory["door"]
    handle = door.joint.pose(layout.poses["cabinet"], 2.0).apply(door.grasps[0].pose.position)
    spot = CUBE.figure.placed(np.array([*handle[:2], 0.0]))
    assert spot.apart(standing.all)[0] < 0 and spot.apart(standing.tall)[0] < 0
    assert not standing.leaves(spot, AREA).any()
    assert {len(standing.above(h).radius) for h in (0.0, 0.2)} == {len(standing.all.radius), len(standing.tall.radius)}
