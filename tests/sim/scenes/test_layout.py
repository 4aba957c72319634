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
from robo_orch.sim.scenes.footprint import Footprint
from robo_orch.sim.scenes.scene import SCENES
from robo_orch.types import JointTarget

KITCHEN = load_scene("kitchen")
GOAL = (("cube", "red"), ("cube", "green"), ("cube", "blue"), ("plate", ""))
PANDA = load_robot("panda")
REST = JointTarget(PANDA.home, np.zeros(7), 0.08)
seeds = st.integers(0, 2**32 - 1)


def figures(layout):
    free = {n: o for n, o in layout.inventory.items() if not o.fixed and o.joint is None}
    return {name: Footprint.of(obj, layout.poses[name]) for name, obj in free.items()}


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
def test_free_objects_stand_apart_within_reach_and_on_the_ground(seed):
    layout = lay_out(KITCHEN, seed)
    covered = figures(layout)
    for a, b in combinations(covered, 2):
        assert covered[a].apart(covered[b])[0] >= KITCHEN.area.gap - 1e-9
    for name in covered:
        pose, obj = layout.poses[name], layout.inventory[name]
        assert KITCHEN.area.reach[0] <= np.hypot(*pose.position[:2]) <= KITCHEN.area.reach[1]
        assert obj.bounds(pose)[0][2] == pytest.approx(0.0, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(seeds, st.floats(0, 1))
def test_nothing_is_in_the_way_of_a_drawer_or_door(seed, share):
    layout = lay_out(KITCHEN, seed, bystanders=2)
    covered = figures(layout)
    for part in (o for o in layout.inventory.values() if o.opens):
        pose = part.joint.pose(layout.poses[part.joint.parent], share * part.joint.limits[1])
        swung = Footprint.of(part, pose)
        assert min(figure.apart(swung)[0] for figure in covered.values()) > 0


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 4))
def test_bystanders_change_nothing_else(seed, n):
    plain, full = lay_out(KITCHEN, seed, GOAL), lay_out(KITCHEN, seed, GOAL, bystanders=n)
    for name, pose in plain.poses.items():
        np.testing.assert_array_equal(pose.position, full.poses[name].position)
    added = full.inventory.keys() - plain.inventory.keys()
    assert 0 < len(added) <= n
    assert {full.inventory[name].kind for name in added} <= set(KITCHEN.bystanders.kinds)
    assert full.again(seed + 1).bystanders == n


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_what_is_required_is_there_and_no_two_others_are_alike(seed):
    layout = lay_out(KITCHEN, seed, GOAL)
    assert {"red_cube", "green_cube", "blue_cube", "plate"} <= layout.inventory.keys()
    looks = [(o.kind, o.colour) for o in layout.inventory.values() if not o.fixed and o.joint is None]
    assert len(set(looks)) == len(looks)
    assert len(GOAL) <= len(looks) <= KITCHEN.count[1] + 1


def test_a_second_one_gets_a_number():
    layout = lay_out(KITCHEN, 0, [("cube", "red"), ("cube", "red")])
    assert {"red_cube", "red_cube_2"} <= layout.inventory.keys()


def test_any_colour_asks_for_no_more_than_there_must_be():
    kinds = [o.kind for o in lay_out(KITCHEN, 0, [("cube", "")] * 6).inventory.values()]
    assert kinds.count("cube") == 6


def test_a_layout_laid_out_again_keeps_its_requirements():
    again = lay_out(KITCHEN, 0, GOAL).again(7)
    assert again.seed == 7 and {"red_cube", "green_cube", "blue_cube"} <= again.inventory.keys()


def test_furniture_satisfies_a_requirement_as_it_stands():
    assert lay_out(KITCHEN, 0, [("drawer", ""), ("table", "")]).inventory.keys() >= {"drawer", "table"}


@pytest.mark.parametrize(
    ("require", "word"),
    [([("kangaroo", "purple")], "kangaroo"), ([("cube", "crimson")], "crimson"), ([("cube", "")] * 40, "room")],
)
def test_what_cannot_be_had_is_refused(require, word):
    with pytest.raises(SceneError, match=word):
        lay_out(KITCHEN, 0, require)


def settled(seed, bystanders=0):
    """Half a second of physics: (farthest that anything went m, fastest that anything still is m/s, verdict)."""
    layout = lay_out(KITCHEN, seed, bystanders=bystanders)
    world = MujocoWorld(layout, PANDA)
    world.referee.begin({})
    for _ in range(24):
        world.step(REST)
    before = world.referee.poses()
    world.step(REST)
    after = world.referee.poses()
    went = max(np.linalg.norm(after[name].position - pose.position) for name, pose in layout.poses.items())
    speed = max(np.linalg.norm(after[n].position - before[n].position) for n in after) / PANDA.period
    return went, speed, world.referee.end().safe


def check_settling(seeds):
    for seed in seeds:
        went, speed, safe = settled(seed, bystanders=seed % 3)
        assert (went < 0.002, speed < 0.005, safe) == (True, True, True), (seed, went, speed)


def test_60_layouts_settle_without_sinking_in_or_flying():
    check_settling(range(0, 60_000, 1_000))


@pytest.mark.slow
def test_1000_layouts_settle_without_sinking_in_or_flying():
    check_settling(range(0, 200_000, 200))


@pytest.mark.parametrize(
    "moved", ["{name: bin, position: [-0.2, -0.43, 0]", "{name: tray, position: [0.655, 0.175, 0]"]
)
def test_furniture_that_stands_in_other_furniture_is_refused_with_both_names(tmp_path, moved):
    text = (SCENES / "kitchen.yaml").read_text()
    assert moved in text
    path = tmp_path / "mine.yaml"
    path.write_text(text.replace(moved, moved.partition("[")[0] + "[0.155, -0.58, 0]"))
    with pytest.raises(SceneError, match="rack"):
        lay_out(load_scene(path), 0)
    path.write_text(text.replace(moved, moved.partition("[")[0] + "[0.155, -0.58, 0.9]"))
    lay_out(load_scene(path), 0)
