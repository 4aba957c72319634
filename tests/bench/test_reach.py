# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import pytest

from robo_orch.bench.reach import Reach
from robo_orch.robots import load_robot
from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.types import Pose

REACH = Reach(load_robot("panda"))
KITCHEN = load_scene("kitchen")


def with_cube_at(position):
    layout = lay_out(KITCHEN, 3, (("cube", "red"),))
    return replace(layout, poses={**layout.poses, "red_cube": Pose.of(position)})


@pytest.mark.parametrize("position", [(1.6, 0.0, 0.02), (0.0, 0.0, 0.05), (-1.2, 0.3, 0.02)])
def test_what_is_too_far_or_within_the_base_is_out_of_reach(position):
    assert REACH.lacking(with_cube_at(position), ["red_cube", "plate"]) == ["red_cube"]


def test_what_has_no_grasp_is_not_asked_about():
    layout = with_cube_at((1.6, 0.0, 0.02))
    assert not layout.inventory["table"].grasps
    assert REACH.lacking(layout, ["table"]) == []


@pytest.mark.parametrize("seed", [0, 7, 20_003, 30_011, 50_021, 100_043])
def test_everything_in_the_kitchen_that_can_be_grasped_is_within_reach(seed):
    layout = lay_out(KITCHEN, seed)
    assert REACH.lacking(layout, layout.inventory) == []


@pytest.mark.slow
def test_everything_in_the_kitchen_is_within_reach_in_100_scenes():
    layouts = [lay_out(KITCHEN, seed) for seed in range(0, 200_000, 2_000)]
    missing = {at.seed: names for at in layouts if (names := REACH.lacking(at, at.inventory))}
    assert missing == {}
