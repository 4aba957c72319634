# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.catalogue import make_object
from robo_orch.policies.mpc.model import PushModel
from robo_orch.policies.mpc.pushes import GRIPS, STEP, TOP, WIDE, Box, arcs, starts

SPEC = make_object("box", "white_box", "white")
BOX = Box(np.array([0.5, -0.2, 0.4]), SPEC.bounds()[1], 0.005)
MODEL = PushModel(SPEC, 0.6, 0.031)
STRAIGHT = [0.0, 0.0, 0.0]


def roll(*pushes: list[float]) -> np.ndarray:
    rows = np.array(pushes, dtype=float)
    paths = arcs(starts(BOX, rows, 0.004), rows, 0.004, np.arange(0.0, 0.15, STEP))
    return MODEL.roll(BOX, rows[:, 1].astype(int).tolist(), paths, STEP)


@pytest.mark.parametrize("face", range(4))
def test_a_straight_push_moves_the_box_straight_and_does_not_turn_it(face):
    end = roll([face, 0, *STRAIGHT])[0, -1]
    way = end[:2] - BOX.at[:2]
    inward = BOX.at[2] + face * np.pi / 2 + np.pi
    assert way @ np.array([np.cos(inward), np.sin(inward)]) == pytest.approx(0.136, abs=0.006)
    assert abs(end[2] - BOX.at[2]) < 0.03


def test_two_pads_on_an_arc_turn_the_box_with_them():
    end = roll([0, 0, 0.0, 0.0, 1.2])[0, -1]
    assert end[2] - BOX.at[2] == pytest.approx(1.2 * 0.136, abs=0.03)


def test_a_push_off_the_middle_turns_the_box_to_that_side():
    left, right = roll([0, 1, 0.5, 0.0, 0.0], [0, 1, -0.5, 0.0, 0.0])[:, -1, 2] - BOX.at[2]
    assert left * right < 0
    assert abs(left) > 0.1


def test_the_same_pushes_give_the_same_ways():
    pushes = [[1, 0, 0.2, 0.1, 2.0], [2, 1, -0.2, 0.0, -2.0]]
    assert np.array_equal(roll(*pushes), roll(*pushes))


def test_closed_pads_that_press_on_top_take_the_box_along_with_little_slip():
    end = roll([0, GRIPS.index(TOP), 0.0, 0.5, 0.0])[0, -1]
    assert 0.75 * 0.136 < np.linalg.norm(end[:2] - BOX.at[:2]) < 0.137
    assert end[2] == pytest.approx(BOX.at[2], abs=0.05)


def test_pads_apart_that_press_on_top_turn_the_box_with_them():
    end = roll([0, GRIPS.index(WIDE), 0.0, 0.5, 2.0])[0, -1]
    assert 0.75 * 0.136 < np.linalg.norm(end[:2] - BOX.at[:2]) < 0.137
    assert 0.70 * 2.0 * 0.136 < end[2] - BOX.at[2] < 2.0 * 0.137
