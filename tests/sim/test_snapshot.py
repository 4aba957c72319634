# SPDX-License-Identifier: Apache-2.0
"""C71: from any moment of any episode one can go on as if nothing had happened."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.robots import load_robot
from robo_orch.sim.build import Simulation
from robo_orch.sim.mujoco.world import Alterations, MujocoWorld
from robo_orch.sim.perception import SimPerception
from robo_orch.sim.robot import SimRobot
from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.types import JointTarget, Pose
from tests.sim.driving import GOAL, Driver

TICKS = 70
PANDA = load_robot("panda")


def commands(start):
    """A held cube is swung about, and let go after 0.6 s."""
    for k in range(1, TICKS + 1):
        phase = 2 * np.pi * k * PANDA.period
        speed = np.full(7, 0.04 * 2 * np.pi * np.sin(phase))
        yield JointTarget(start + 0.04 * (1 - np.cos(phase)), speed, 0.0 if k < 30 else 0.08)


def look(robot):
    seen = robot.observe()
    poses = [np.append(e.pose.position, e.pose.quaternion) for e in seen.objects.values()]
    doubts = [e.covariance.ravel() for e in seen.objects.values()]
    return np.concatenate([seen.state.q, seen.state.effort, np.ravel(poses), np.ravel(doubts)]), seen.state.holding


@pytest.fixture(scope="module")
def episode():
    """An episode with its snapshot, look and hash after every control period; people meddle on the way."""
    layout, events = lay_out(load_scene("kitchen"), 0, GOAL), []
    world = MujocoWorld(layout, PANDA, Alterations(events=events))
    perception = SimPerception(layout.inventory, 0, dropout=0.1)
    robot = SimRobot(world, perception, PANDA, layout.inventory)
    driver = Driver(Simulation(layout, world, robot))
    driver.grasp("red_cube")
    driver.lift(0.1)
    green = world.referee.poses()["green_cube"]
    events += [
        (world.time + 0.3, lambda w: w.place("green_cube", Pose.of((0.0, -0.03, 0.001)) @ green)),
        (world.time + 0.7, lambda w: w.move_part("drawer", 0.1)),
    ]
    world.referee.begin({"object": "red_cube"}, [])
    moments, targets = [(robot.snapshot(), look(robot), world.state_hash)], list(commands(world.setpoint.q))
    for target in targets:
        robot.command(target)
        robot.tick()
        moments.append((robot.snapshot(), look(robot), world.state_hash))
    return robot, world, targets, moments


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_whatever_moment_is_restored_the_rest_is_bit_equal(episode, data):
    robot, world, targets, moments = episode
    start = data.draw(st.integers(0, TICKS - 1))
    robot.restore(moments[start][0])
    for k in range(start, min(TICKS, start + data.draw(st.integers(5, 40)))):
        robot.command(targets[k])
        robot.tick()
        seen, holding = look(robot)
        np.testing.assert_array_equal(seen, moments[k + 1][1][0])
        assert holding == moments[k + 1][1][1]
        assert world.state_hash == moments[k + 1][2]


def test_the_episode_was_one_worth_repeating(episode):
    robot, world, _, moments = episode
    assert moments[0][1][1] == "red_cube" and moments[-1][1][1] is None
    robot.restore(moments[-1][0])
    assert world.referee.poses()["drawer"].distance(world.layout.poses["drawer"])[0] > 0.05
    verdict = world.referee.end()
    assert "green_cube" not in verdict.moved and "drawer" not in verdict.moved
