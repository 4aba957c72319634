# SPDX-License-Identifier: Apache-2.0
"""The scripted expert does the errand from wherever the hand is, without remembering anything."""

import math

import numpy as np
import pytest

from robo_orch.objects import Inventory
from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.train.vla.errand import Errand, errands
from robo_orch.train.vla.expert import STRIDE, Hand, act, chosen, chunk, step
from robo_orch.train.vla.stage import hand_of
from robo_orch.train.vla.table import Table
from robo_orch.types import Pose

OPENED = 0.08
HOME = np.array([0.307, 0.0, 0.487])


@pytest.fixture(scope="module")
def layout():
    return lay_out(load_scene("kitchen"), 100000, [("cube", "red"), ("can", "green"), ("mug", "white")])


@pytest.fixture(scope="module")
def table(layout):
    return Table(layout.inventory, layout.poses)


def doable(table, inventory: Inventory):
    found = ((e, table.work(e, HOME)) for e in errands(inventory))
    return [(e, w) for e, w in found if w is not None and not w.placed]


def driven(hand: Hand, work, limit=150):
    for _ in range(limit):
        grasp = chosen(hand, work)
        action, done = act(hand, work, grasp, OPENED)
        if done:
            return hand, work, True
        hand, work = step(hand, work, action, OPENED)
    return hand, work, False


def test_every_errand_is_done_from_home(table, layout):
    ways = doable(table, layout.inventory)
    assert len(ways) > 10
    for errand, work in ways:
        _, after, done = driven(Hand(HOME, 0.0, np.zeros(2), OPENED), work)
        assert done and after.placed, errand


def test_errand_is_done_from_anywhere_with_any_opening(table, layout):
    rng = np.random.default_rng(0)
    for errand, work in doable(table, layout.inventory)[::4]:
        hand = Hand(rng.uniform((0.3, -0.4, 0.05), (0.7, 0.2, 0.5)), 0.6, np.array([0.05, -0.03]), 0.02)
        assert driven(hand, work)[2], errand


def test_no_action_is_longer_than_a_stride(table, layout):
    _, work = doable(table, layout.inventory)[0]
    rows, _ = chunk(Hand(HOME, 0.0, np.zeros(2), OPENED), work, 40, OPENED)
    assert np.abs(rows[:, :3]).max() <= STRIDE + 1e-9


def test_chunk_begins_with_what_is_done_now(table, layout):
    _, work = doable(table, layout.inventory)[0]
    hand = Hand(HOME, 0.1, np.zeros(2), OPENED)
    rows, _ = chunk(hand, work, 10, OPENED)
    assert np.allclose(rows[0], act(hand, work, chosen(hand, work), OPENED)[0].row)


def test_same_state_gives_the_same_chunk(table, layout):
    _, work = doable(table, layout.inventory)[1]
    hand = Hand(HOME, -0.2, np.array([0.01, 0.0]), OPENED)
    assert np.array_equal(chunk(hand, work, 10, OPENED)[0], chunk(hand, work, 10, OPENED)[0])


def test_hand_and_tool_pose_are_one(table):
    hand = Hand(np.array([0.4, 0.1, 0.2]), 0.7, np.array([0.02, -0.01]), 0.05)
    again = hand_of(hand.pose, 0.05, False)
    assert again.yaw == pytest.approx(hand.yaw, abs=1e-3) and np.allclose(again.tilt, hand.tilt, atol=1e-3)


def test_blocked_grasps_are_not_offered(layout):
    target, other = "red_cube", "green_can"
    poses = dict(layout.poses)
    at = poses[target].position
    poses[other] = Pose.of([at[0] + 0.05, at[1], 0.05])
    free = Table(layout.inventory, poses).work(Errand("pick_place", target, "tray"), HOME)
    assert free is None or all(abs(math.cos(g.yaw)) > 0.5 for g in free.grasps)


def test_what_is_held_goes_to_its_target_from_how_it_lies_in_the_hand(table, layout):
    hand = Hand(np.array([0.5, -0.1, 0.3]), 0.0, np.zeros(2), 0.045, gripped=True)
    in_hand = Pose.of([0.003, 0.0, 0.0])
    work = table.work(Errand("pick_place", "red_cube", "tray"), hand.position, hand.pose @ in_hand, in_hand)
    after, _, done = driven(hand, work)
    assert done and after.position[2] > work.goal[0].position[2]
