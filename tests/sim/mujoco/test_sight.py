# SPDX-License-Identifier: Apache-2.0
"""What the cameras can see follows from the geometry, not from a wish."""

from __future__ import annotations

import numpy as np
import pytest

from robo_orch.sim.mujoco.sight import Sight
from robo_orch.types import Pose


def ticks(simulation, n=8):
    for _ in range(n):
        simulation.robot.tick()
    return simulation.robot.observe().objects


def test_at_first_everything_in_the_scene_is_seen(simulation):
    estimates = ticks(simulation)
    assert estimates.keys() == simulation.layout.inventory.keys()
    assert all(e.visible for e in estimates.values())


def test_an_object_in_a_shut_drawer_is_remembered_and_not_seen(simulation):
    world, interior = simulation.world, simulation.layout.inventory["drawer"].interior
    before = ticks(simulation)["red_cube"]
    world.place("red_cube", world.referee.poses()["drawer"] @ Pose.of(interior.centre))
    after = ticks(simulation, 20)["red_cube"]
    assert world.scan().share()["red_cube"] == 0.0
    assert before.visible and not after.visible
    assert after.stamp < world.time - 0.3
    np.testing.assert_allclose(after.pose.position, before.pose.position, atol=5e-3)


def test_an_opened_drawer_shows_what_is_in_it(simulation):
    world, interior = simulation.world, simulation.layout.inventory["drawer"].interior
    world.place("red_cube", world.referee.poses()["drawer"] @ Pose.of(interior.centre))
    ticks(simulation, 12)
    world.move_part("drawer", 0.2)
    world.place("red_cube", world.referee.poses()["drawer"] @ Pose.of(interior.centre))
    seen = ticks(simulation, 15)["red_cube"]
    assert seen.visible
    assert seen.pose.distance(world.referee.poses()["red_cube"])[0] < 0.01


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_parts_are_seen_wherever_they_stand(simulation, share):
    parts = {n: o.joint for n, o in simulation.layout.inventory.items() if o.joint is not None}
    for name, joint in parts.items():
        simulation.world.move_part(name, share * joint.limits[1])
    estimates = ticks(simulation)
    hidden = [name for name in parts if not estimates[name].visible]
    assert not hidden


def test_what_stands_in_front_hides_what_is_behind_it(simulation):
    """From the side camera alone, another object between it and the cube."""
    world = simulation.world
    side = Sight(world._model, world._data, simulation.layout.inventory, ["side"])
    assert side.share()["green_cube"] > 0.5
    eye = world._data.cam("side").xpos
    cube = world.referee.poses()["green_cube"].position
    world.place("red_cube", Pose.of(cube + 0.06 * (eye - cube) / np.linalg.norm(eye - cube)))
    assert side.share()["green_cube"] < 0.5


def test_what_is_outside_the_picture_is_not_seen(simulation):
    world = simulation.world
    world.place("red_cube", Pose.of((0.4, 0.0, 30.0)))
    assert world.scan().share()["red_cube"] == 0.0


def test_without_a_camera_nothing_that_moves_is_seen(simulation):
    world = simulation.world
    blind = Sight(world._model, world._data, simulation.layout.inventory, [])
    assert set(blind.share().values()) == {0.0}
