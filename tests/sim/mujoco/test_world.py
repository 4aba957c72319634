# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.sim.build import build
from robo_orch.types import JointTarget
from tests.sim.driving import GOAL, PANDA, Driver

CLOSED, OPEN = 0.0, PANDA.gripper.max_width


def waving(world, ticks, width=OPEN):
    """Commands without any feedback, over ``ticks`` periods: all joints swing at 1 Hz, with up to 2 rad/s^2."""
    start = world.setpoint.q
    for k in range(1, ticks + 1):
        phase = 2 * np.pi * k * PANDA.period
        q = start + 0.05 * (1 - np.cos(phase))
        yield JointTarget(q, np.full(7, 0.05 * 2 * np.pi * np.sin(phase)), width)


def test_the_same_seed_and_commands_give_the_same_hash_and_another_seed_another():
    hashes = []
    for seed in (3, 3, 4):
        world = build("kitchen", "mujoco", seed, GOAL).world
        for target in waving(world, 20):
            world.step(target)
        hashes.append(world.state_hash)
    assert hashes[0] == hashes[1] != hashes[2]


def test_reset_lays_out_what_was_required_again():
    world = build("kitchen", "mujoco", 0, GOAL).world
    fresh = build("kitchen", "mujoco", 5, GOAL).world
    world.reset(5)
    assert world.layout.inventory.keys() == fresh.layout.inventory.keys()
    for target in waving(fresh, 5):
        world.step(target)
        fresh.step(target)
    assert world.state_hash == fresh.state_hash


def test_one_step_is_one_control_period(simulation):
    simulation.world.step(JointTarget(PANDA.home, np.zeros(7), OPEN))
    assert simulation.world.time == pytest.approx(PANDA.period)


def test_the_arm_follows_fast_commands_within_5_mrad(simulation):
    world = simulation.world
    worst = 0.0
    for target in waving(world, 50):
        world.step(target)
        worst = max(worst, float(np.abs(world.body().q - target.q).max()))
    assert worst < 0.005


def test_the_gripper_really_opens_and_closes(driver):
    """C27: one polarity, metres of opening, seen at the fingers."""
    assert driver.grip(CLOSED, 60).state.gripper < 0.001
    assert driver.grip(OPEN, 60).state.gripper > OPEN - 0.001
    assert driver.grip(0.03, 60).state.gripper == pytest.approx(0.03, abs=0.001)


def test_fingers_press_with_no_more_than_their_cap(driver):
    driver.grasp("red_cube")
    assert (np.abs(driver.world.body().finger_effort) <= PANDA.gripper.force + 1e-9).all()
    assert (np.abs(driver.world.body().finger_effort) > 10).all()


def test_a_cube_that_is_grasped_and_lifted_10_cm_stays_in_the_hand(driver):
    before = driver.true("red_cube")
    driver.grasp("red_cube")
    in_hand = driver.world.body().tool.inverse() @ driver.true("red_cube")
    driver.lift(0.10)
    driver.grip(CLOSED, 50)
    slip, turn = in_hand.distance(driver.world.body().tool.inverse() @ driver.true("red_cube"))
    assert slip < 0.002 and turn < 0.02
    assert driver.true("red_cube").position[2] - before.position[2] == pytest.approx(0.10, abs=0.003)


def test_a_restored_snapshot_goes_on_bit_equal_while_a_cube_is_held(held):
    """C71: servo setpoint, contacts, solver state and hash included."""
    driver, snapshot = held
    driver.robot.restore(snapshot)
    hashes, seen = [], []
    for _ in range(2):
        driver.to(driver.world.setpoint.q + np.array([0.2, 0.0, 0.1, 0.1, 0.0, 0.0, 0.0]))
        hashes.append(driver.world.state_hash)
        seen.append(driver.robot.observe())
        driver.grip(OPEN)  # lets the cube fall before going back
        driver.robot.restore(snapshot)
        assert driver.world.referee.held() == "red_cube"
        driver.width = CLOSED
    assert hashes[0] == hashes[1]
    np.testing.assert_array_equal(seen[0].state.effort, seen[1].state.effort)
    np.testing.assert_array_equal(seen[0].objects["red_cube"].pose.position, seen[1].objects["red_cube"].pose.position)
    assert seen[1].state.holding == "red_cube"


def test_looking_at_the_world_does_not_change_it(simulation):
    pytest.importorskip("OpenGL")
    from robo_orch.sim.gl import gl_backend

    if gl_backend().backend is None:
        pytest.skip(gl_backend().message)
    other = build("kitchen", "mujoco", 0, GOAL).world
    for target in waving(other, 6):
        other.step(target)
        simulation.world.step(target)
        simulation.world.render("front", (64, 48))
    assert simulation.world.state_hash == other.state_hash


def test_the_driver_sees_small_tracking_errors_in_real_motions(held):
    driver: Driver = held[0]
    driver.lift(0.1)
    assert 0 < driver.worst < 0.005
