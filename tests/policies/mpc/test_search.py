# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.policies.mpc.cost import Ground
from robo_orch.policies.mpc.plane import Shapes
from robo_orch.policies.mpc.pushes import GRIPS, Box
from robo_orch.policies.mpc.search import Plan, Touch, search
from robo_orch.policies.mpc.way import Ways
from tests.policies.mpc.test_model import MODEL, SPEC
from tests.policies.mpc.test_plane import shapes
from tests.policies.mpc.test_way import AT, NOTHING, REGION

BOX = Box(np.array([0.5, -0.35, 0.2]), SPEC.bounds()[1], 0.005)


def ground(low: Shapes, tall: Shapes = NOTHING) -> Ground:
    return Ground(low, tall, tall, tall, Ways(low, REGION, AT, 0.03, 0.0575))


def plans(low: Shapes = NOTHING, touch: Touch | None = None, seed: int = 0) -> list[Plan]:
    return search(np.random.default_rng(seed), MODEL, BOX, ground(low), touch)


def test_on_free_ground_one_push_brings_the_box_there():
    best = plans()[0]
    assert best.left == 0.0
    assert best.risk < 1e-3
    assert np.linalg.norm(np.diff(best.boxes[:, :2], axis=0), axis=1).sum() < 0.30


def test_a_plan_avoids_a_bystander():
    best = plans()[0]
    middle = best.boxes[len(best.boxes) // 2]
    can = shapes(("can", middle[0] + 0.03, middle[1] + 0.06, 0.0))
    around = plans(can)[0]
    through = can.gaps(best.boxes[:, :2], best.boxes[:, 2], BOX.half[:2]).min()
    assert through < 0.0
    assert can.gaps(around.boxes[:, :2], around.boxes[:, 2], BOX.half[:2]).min() > 0.004
    assert around.risk < 0.2


def test_the_hand_keeps_clear_of_what_stands_behind_the_box():
    best = plans()[0]
    behind = best.path[0] - 0.025 * np.array([np.cos(best.path[0, 2]), np.sin(best.path[0, 2]), 0.0])
    cube = shapes(("cube", *behind))
    other = plans(cube)[0]
    pads = GRIPS[other.grip].half
    assert cube.gaps(other.path[:, :2], other.path[:, 2], pads).min() > 0.0


def test_going_on_is_cheaper_than_beginning_anew():
    best = plans()[0]
    at = Touch(best.path[1], *best.where)
    assert not plans(touch=at)[0].fresh


def test_the_best_come_first_and_the_same_seed_gives_the_same():
    found, again = plans(seed=3), plans(seed=3)
    assert [plan.cost for plan in found] == sorted(plan.cost for plan in found)
    assert [plan.cost for plan in found] == [plan.cost for plan in again]
    assert found[0].cost == pytest.approx(again[0].cost, abs=0.0)
