# SPDX-License-Identifier: Apache-2.0
"""What a card declares as its start: drawing from it and belonging to it mean the same."""

from __future__ import annotations

import numpy as np
import pytest

from robo_orch.bridge.start import Starts
from robo_orch.policies.card import StartSet
from robo_orch.robots import load_robot

PANDA = load_robot("panda")
WITHIN, TURN = (0.04, 0.02, 0.03), 0.2
STARTS = Starts(StartSet(posture=tuple(PANDA.home), within=WITHIN, turn=TURN, gripper=(0.04, 1.0)), PANDA)


def test_what_is_drawn_belongs_to_the_set_and_fills_it():
    rng = np.random.default_rng(0)
    drawn = [STARTS(rng) for _ in range(200)]
    assert all(STARTS.contains(q, width) for q, width in drawn)
    tools = np.array([STARTS._arm.tool(q).position for q, _ in drawn]) - STARTS._centre.position
    assert (np.abs(tools).max(axis=0) > 0.9 * np.array(WITHIN)).all()
    assert (np.abs(tools).max(axis=0) < np.array(WITHIN) + 0.006).all()
    widths = np.array([width for _, width in drawn])
    assert 0.04 <= widths.min() < 0.045 and 0.075 < widths.max() <= PANDA.gripper.max_width


def test_the_set_turns_with_nothing_and_draws_the_same_from_the_same_seed():
    first, second = (STARTS(np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(first[0], second[0])
    assert first[1] == second[1]


@pytest.mark.parametrize(
    ("joint", "by", "said"),
    [(0, 0.5, "mm outside"), (6, 0.4, "turned by 0.40 rad, 0.20 at most")],
)
def test_what_is_outside_is_said(joint, by, said):
    q = STARTS.posture.copy()
    q[joint] += by
    assert said in STARTS.outside(q) and not STARTS.contains(q)


def test_the_gripper_counts_where_it_is_told():
    assert STARTS.contains(STARTS.posture) and STARTS.contains(STARTS.posture, 0.06)
    assert "the gripper is open 10 mm, 40 to 80 belong to it" in STARTS.outside(STARTS.posture, 0.01)


def test_another_posture_with_the_tool_at_the_same_place_is_not_a_start():
    rng = np.random.default_rng(1)
    from robo_orch.motion.kinematics import Kinematics

    kinematics = Kinematics(PANDA)
    tool = kinematics.forward(STARTS.posture)
    others = (kinematics.inverse(tool, rng.uniform(PANDA.limits.lower, PANDA.limits.upper), rng) for _ in range(50))
    far = next(q for q in others if np.abs(q - STARTS.posture).max() > 1.5)
    assert "another posture" in STARTS.outside(far)
