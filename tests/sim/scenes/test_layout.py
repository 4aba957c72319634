# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.errors import SceneError
from robo_orch.robots.spec import load_robot
from robo_orch.sim.mujoco.world import MujocoWorld
from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.types import JointTarget

KITCHEN = load_scene("kitchen")
GOAL = (("cube", "red"), ("cube", "green"), ("cube", "blue"), ("plate", ""))
seeds = st.integers(0, 2**32 - 1)


def radius(obj):
    """Of the circle around a cube or a disc."""
    size = obj.geoms[0].size
    return np.hypot(*size[:2]) if obj.kind == "cube" else size[0]


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_the_same_seed_gives_the_same_layout(seed):
    one, two = lay_out(KITCHEN, seed, GOAL), lay_out(KITCHEN, seed, GOAL)
    assert list(one.inventory) == list(two.inventory)
    for name, pose in one.poses.items():
        np.testing.assert_array_equal(pose.position, two.poses[name].position)
        np.testing.assert_array_equal(pose.quaternion, two.poses[name].quaternion)


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_free_objects_stand_apart_within_reach_and_clear_of_the_cabinet(seed):
    layout = lay_out(KITCHEN, seed)
    free = {n: layout.poses[n] for n, o in layout.inventory.items() if not o.fixed and o.joint is None}
    for (a, pa), (b, pb) in combinations(free.items(), 2):
        gap = (
            np.linalg.norm(pa.position[:2] - pb.position[:2])
            - radius(layout.inventory[a])
            - radius(layout.inventory[b])
        )
        assert gap >= KITCHEN.area.gap - 1e-9
    side = layout.inventory["cabinet"].bounds(layout.poses["cabinet"])[0][1]
    for name, pose in free.items():
        assert KITCHEN.area.reach[0] <= np.hypot(*pose.position[:2]) <= KITCHEN.area.reach[1]
        assert layout.inventory[name].bounds(pose)[0][2] == pytest.approx(0.0, abs=1e-9)
        assert layout.inventory[name].bounds(pose)[1][1] < side


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_what_is_required_is_there_and_other_cubes_have_other_colours(seed):
    layout = lay_out(KITCHEN, seed, GOAL)
    assert {"red_cube", "green_cube", "blue_cube", "plate"} <= layout.inventory.keys()
    colours = [o.colour for o in layout.inventory.values() if o.kind == "cube"]
    assert len(set(colours)) == len(colours)
    assert KITCHEN.count[0] <= len(colours) <= KITCHEN.count[1]


def test_a_second_one_gets_a_number():
    layout = lay_out(KITCHEN, 0, [("cube", "red"), ("cube", "red")])
    assert {"red_cube", "red_cube_2"} <= layout.inventory.keys()


def test_any_colour_asks_for_no_more_than_there_must_be():
    kinds = [o.kind for o in lay_out(KITCHEN, 0, [("cube", "")] * 6).inventory.values()]
    assert kinds.count("cube") == 6
    both = lay_out(KITCHEN, 1, [("cube", "red"), ("cube", "")])
    assert KITCHEN.count[0] <= sum(o.kind == "cube" for o in both.inventory.values()) <= KITCHEN.count[1]


def test_furniture_satisfies_a_requirement_as_it_stands():
    assert lay_out(KITCHEN, 0, [("drawer", ""), ("table", "")]).inventory.keys() >= {"drawer", "table"}


@pytest.mark.parametrize(
    ("require", "word"),
    [([("kangaroo", "purple")], "kangaroo"), ([("cube", "crimson")], "crimson"), ([("cube", "")] * 40, "room")],
)
def test_what_cannot_be_had_is_refused(require, word):
    with pytest.raises(SceneError, match=word):
        lay_out(KITCHEN, 0, require)


@pytest.mark.slow
def test_100_layouts_settle_without_sinking_in_or_flying():
    """Half a second of physics: nothing moves by 1 mm, nothing keeps moving, nothing presses hard."""
    panda = load_robot("panda")
    for seed in range(100):
        layout = lay_out(KITCHEN, seed, GOAL)
        world = MujocoWorld(layout, panda)
        world.referee.begin({})
        for _ in range(25):
            world.step(JointTarget(panda.home, np.zeros(7), 0.08))
        poses = world.referee.poses()
        off = {name: np.linalg.norm(poses[name].position - pose.position) for name, pose in layout.poses.items()}
        assert max(off.values()) < 1e-3, (seed, off)
        assert world.referee.end().safe, seed
