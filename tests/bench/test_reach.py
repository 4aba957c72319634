# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import pytest

from robo_orch.bench.reach import Reach
from robo_orch.robots import load_robot
from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.skills import skill
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


def steps(*facts):
    """Subgoals, one for each (skill, object, target)."""
    return [skill(name).subgoal(*args) for name, *args in facts]


def test_what_can_be_carried_one_after_the_other_is_possible():
    layout = lay_out(KITCHEN, 3, (("cube", "red"), ("cube", "green"), ("plate", "")))
    asked = steps(("pick_place", "red_cube", "plate"), ("stack", "green_cube", "red_cube"))
    assert REACH.impossible(layout, asked) is None


def test_what_does_not_fit_or_cannot_be_got_there_is_named():
    layout = lay_out(KITCHEN, 3, (("bottle", "brown"), ("cube", "red")))
    bottle = steps(("open_drawer", "drawer"), ("place_in", "brown_bottle", "cabinet"))
    assert REACH.impossible(layout, bottle) == bottle[1]
    far = replace(layout, poses={**layout.poses, "red_cube": Pose.of((1.6, 0.0, 0.02))})
    cube = steps(("pick_place", "red_cube", "tray"))
    assert REACH.impossible(far, cube) == cube[0]


def test_for_a_policy_that_plans_on_poses_there_must_be_room_for_their_errors():
    doubtful, asked = Reach(load_robot("panda"), doubtful=True), steps(("pick_place", "red_cube", "plate"))
    layout = lay_out(KITCHEN, 3, (("cube", "red"), ("sponge", "yellow")))
    others = [n for n, spec in layout.inventory.items() if spec.movable and n not in ("red_cube", "yellow_sponge")]
    behind = {name: Pose.of((-0.28, 0.1 + 0.15 * i, 0.05)) for i, name in enumerate(others)}
    for gap, possible in ((0.075, False), (0.25, True)):
        moved = {"red_cube": Pose.of((0.45, -0.10, 0.0225)), "yellow_sponge": Pose.of((0.45, -0.10 - gap, 0.017))}
        near = replace(layout, poses={**layout.poses, **behind, **moved})
        assert REACH.impossible(near, asked) is None
        assert (doubtful.impossible(near, asked) is None) == possible


def test_a_drawer_has_to_be_open_to_be_filled():
    layout = lay_out(KITCHEN, 3, (("cube", "red"),))
    put = ("place_in", "red_cube", "drawer")
    assert REACH.impossible(layout, steps(put)) is not None
    assert REACH.impossible(layout, steps(("open_drawer", "drawer"), put, ("close_drawer", "drawer"))) is None


@pytest.mark.slow
def test_everything_in_the_kitchen_is_within_reach_in_100_scenes():
    layouts = [lay_out(KITCHEN, seed) for seed in range(0, 200_000, 2_000)]
    missing = {at.seed: names for at in layouts if (names := REACH.lacking(at, at.inventory))}
    assert missing == {}
