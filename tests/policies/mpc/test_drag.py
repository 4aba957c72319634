# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.objects import Surface
from robo_orch.policies.mpc.cost import AIM, Ground
from robo_orch.policies.mpc.drag import drags
from robo_orch.policies.mpc.plane import Shapes
from robo_orch.policies.mpc.pushes import GRIPS, TOP, WIDE, Box
from robo_orch.policies.mpc.way import Ways
from robo_orch.types import Pose

BOX = Box(np.array([0.55, -0.42, 0.0]), np.array([0.075, 0.0575, 0.018]), 0.004)
MIDDLE = Surface("top", np.zeros(3), (0.17, 0.09))
AT = Pose.of((0.55, -0.15, 0.0))


def things(*rows) -> Shapes:
    """Rectangles ``(x, y, half x, half y)``, well known."""
    table = np.array(rows, dtype=float).reshape(-1, 4)
    n = len(table)
    zero = np.zeros(n)
    return Shapes(table[:, :2], zero, table[:, 2:], zero, zero, zero + 0.1, zero + 0.004)


def ground(low=(), high=()) -> Ground:
    low, high = things(*low), things(*high)
    return Ground(low, high, high, high, Ways(low, MIDDLE, AT, AIM, 0.05))


def inside(pose) -> float:
    return float(np.min(np.array(MIDDLE.half) - np.abs(pose[:2] - AT.position[:2])))


def test_over_free_ground_the_way_is_straight_and_does_not_turn():
    best = drags(BOX, ground())[0]
    assert GRIPS[best.grip] is TOP
    np.testing.assert_allclose(best.boxes[0], BOX.at)
    assert np.ptp(best.boxes[:, 2]) == 0.0
    assert inside(best.boxes[-1]) >= AIM
    assert np.linalg.norm(np.diff(best.boxes[:, :2], axis=0), axis=1).max() <= 0.0101
    assert best.risk < 0.03


def test_it_leads_around_what_stands_in_the_way():
    wall = (0.55, -0.29, 0.10, 0.01)
    scene = ground(low=[wall])
    best = drags(BOX, scene)[0]
    gaps = scene.low.gaps(best.boxes[:, :2], best.boxes[:, 2], BOX.half[:2])
    assert gaps.min() > 0.0
    assert inside(best.boxes[-1]) >= 0.02


def test_a_box_turns_where_it_only_gets_through_lengthwise():
    posts = [(0.38, -0.29, 0.09, 0.02), (0.70, -0.29, 0.075, 0.02)]
    scene = ground(low=posts)
    best = drags(BOX, scene)[0]
    assert GRIPS[best.grip] is WIDE
    assert np.ptp(best.boxes[:, 2]) > 0.5
    turned = best.boxes[:, 2] - best.boxes[0, 2]
    np.testing.assert_allclose(best.hand[:, 2] - best.hand[0, 2], turned)


def test_where_the_palm_has_no_room_no_way_leads():
    assert drags(BOX, ground(high=[(0.55, -0.28, 0.4, 0.01)])) == []


@pytest.mark.parametrize("grip", [TOP, WIDE])
def test_a_hand_that_presses_already_goes_on_from_where_it_is(grip):
    hand = BOX.at + np.array([0.01, -0.02, 0.4])
    (way,) = drags(BOX, ground(), (hand, GRIPS.index(grip)))
    np.testing.assert_allclose(way.hand[0], hand)
    assert GRIPS[way.grip] is grip
