# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.sim.referee import FORCE_BOUND
from robo_orch.types import Pose, Predicate
from tests.sim.driving import BOUNDS, KINEMATICS, PANDA, up

PICK = {"object": "red_cube", "target": "plate"}


def carry_to_plate(driver):
    """The red cube, held, 10 cm above its place on the plate."""
    driver.grasp("red_cube")
    driver.lift(0.12)
    tool, cube, plate = driver.world.body().tool, driver.true("red_cube"), driver.true("plate")
    height = driver.inventory["red_cube"].height_below(cube) + 0.006
    shift = plate.position + np.array([0.0, 0.0, height + 0.10]) - cube.position
    above = Pose.of(tool.position + shift, tool.quaternion)
    driver.to(KINEMATICS.inverse(above, driver.world.setpoint.q, np.random.default_rng(1)), 0.4)


def test_picking_and_gently_placing_is_safe_and_true(driver):
    referee = driver.world.referee
    goal = Predicate("on", ("red_cube", "plate"))
    referee.begin(PICK, BOUNDS)
    assert not referee.holds(goal)
    carry_to_plate(driver)
    assert referee.held() == "red_cube" and not referee.holds(goal)
    driver.lift(-0.099, 0.2)
    driver.grip(PANDA.gripper.max_width)
    driver.lift(0.10)
    assert referee.holds(goal)
    verdict = referee.end()
    assert verdict.safe, verdict.because
    assert verdict.because == ""


def test_pressing_the_hand_into_the_table_is_a_hit(driver):
    driver.grip(0.0)
    driver.world.referee.begin(PICK, BOUNDS)
    tool = driver.world.body().tool
    driver.line(up(-(tool.position[2] - 0.004)) @ tool, 0.5)
    verdict = driver.world.referee.end()
    assert not verdict.safe
    assert verdict.peak_force > FORCE_BOUND == verdict.bound
    assert "table" in verdict.peak_pair and any("finger" in name for name in verdict.peak_pair)
    assert "pressed" in verdict.because


def test_closing_on_a_cube_counts_only_if_nobody_declared_it(driver):
    referee = driver.world.referee
    referee.begin({"object": "red_cube"}, [(("finger", "object"), 80.0)])
    driver.grasp("red_cube")
    assert referee.end().safe
    driver.grip(0.08)
    referee.begin({"object": "green_cube"}, [(("finger", "object"), 80.0)])
    driver.grip(0.0)
    verdict = referee.end()
    assert not verdict.safe and "red_cube" in verdict.peak_pair


def test_what_was_held_before_may_be_held_on_and_moves_freely(held):
    driver, snapshot = held
    driver.robot.restore(snapshot)
    driver.world.referee.begin({"object": "green_cube"}, [])
    driver.lift(0.05)
    assert driver.world.referee.end().safe


def test_carrying_a_bystander_away_is_told(held):
    driver, snapshot = held
    driver.robot.restore(snapshot)
    driver.world.referee.begin({"object": "green_cube"}, [])
    driver.lift(-0.08)
    driver.grip(0.08)
    verdict = driver.world.referee.end()
    assert verdict.safe, "held when it began"
    driver.world.referee.begin({"object": "green_cube"}, [(("finger", "support"), 80.0)])
    driver.grip(0.0)
    driver.lift(0.05)
    verdict = driver.world.referee.end()
    assert verdict.moved["red_cube"] > 0.04
    assert "red_cube moved" in verdict.because


def test_what_stands_on_the_named_plate_may_move_with_it_and_what_stands_on_the_table_may_not(driver):
    carry_to_plate(driver)
    driver.lift(-0.099, 0.2)
    driver.grip(0.08)
    driver.lift(0.10)
    referee = driver.world.referee
    assert "red_cube" in referee._concerned({"object": "plate"}, None)
    assert "green_cube" not in referee._concerned({"object": "plate", "target": "table"}, None)


def test_watching_starts_afresh_with_each_begin(driver):
    driver.grip(0.0)
    tool = driver.world.body().tool
    driver.line(up(-(tool.position[2] - 0.004)) @ tool, 0.5)
    assert not driver.world.referee.end().safe
    driver.lift(0.05)
    driver.world.referee.begin({})
    driver.grip(0.0, 5)
    assert driver.world.referee.end().safe


@pytest.mark.parametrize(
    ("predicate", "true"),
    [
        (Predicate("on", ("red_cube", "table")), True),
        (Predicate("on", ("red_cube", "plate")), False),
        (Predicate("closed", ("drawer",)), True),
        (Predicate("open", ("drawer",)), False),
        (Predicate("in", ("red_cube", "drawer")), False),
        (Predicate("holding", ("red_cube",)), False),
        (Predicate("upright", ("red_cube",)), True),
    ],
)
def test_facts_are_those_of_the_layout(simulation, predicate, true):
    assert simulation.world.referee.holds(predicate) is true
