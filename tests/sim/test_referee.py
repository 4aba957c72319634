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


def free_spot(driver) -> np.ndarray:
    """A spot ``(2,)`` of the table with as much room around it as can be had."""
    poses, boxes = driver.world.referee.poses(), []
    for name, spec in driver.inventory.items():
        if name != "table" and spec.geoms:
            low, high = spec.bounds(poses[name])
            boxes.append((low[:2], high[:2]))
    spots = np.array([(x, y) for x in np.arange(0.34, 0.62, 0.02) for y in np.arange(-0.34, 0.3, 0.02)])
    rooms = [[np.linalg.norm(np.maximum(np.maximum(low - s, s - high), 0.0)) for low, high in boxes] for s in spots]
    return spots[int(np.argmax(np.min(rooms, axis=1)))]


def press_the_table(driver):
    """The closed hand, over a free spot of the table, moves into it."""
    driver.grip(0.0)
    tool = Pose.of((*free_spot(driver), 0.35), driver.world.body().tool.quaternion)
    driver.to(KINEMATICS.inverse(tool, PANDA.home, np.random.default_rng(0)))
    driver.line(up(0.004 - tool.position[2]) @ tool, 0.5)


def test_pressing_the_hand_into_the_table_is_a_hit(driver):
    driver.world.referee.begin(PICK, BOUNDS)
    press_the_table(driver)
    verdict = driver.world.referee.end()
    assert not verdict.safe
    assert verdict.peak_force > FORCE_BOUND == verdict.bound
    assert "table" in verdict.peak_pair and any("finger" in name for name in verdict.peak_pair)
    assert "pressed" in verdict.because


def test_closing_on_a_cube_is_holding_it_whoever_declared_what(driver):
    referee = driver.world.referee
    for named in ("red_cube", "green_cube"):
        referee.begin({"object": named}, [(("finger", "object"), 80.0)])
        driver.grasp("red_cube")
        verdict = referee.end()
        assert verdict.safe, verdict.because
        assert 20 < verdict.peak_force < 80 == verdict.bound and "red_cube" in verdict.peak_pair
        driver.grip(0.08)


def test_what_was_held_before_may_be_held_on_and_moves_freely(held):
    driver, snapshot = held
    driver.robot.restore(snapshot)
    driver.world.referee.begin({"object": "green_cube"}, [])
    driver.lift(0.05)
    assert driver.world.referee.end().safe


def test_a_bystander_may_be_carried_but_not_shoved(held):
    """DESIGN: neither named by the subgoal nor held."""
    driver, snapshot = held
    driver.robot.restore(snapshot)
    referee = driver.world.referee
    driver.lift(-0.095)
    driver.grip(0.08)
    referee.begin({"object": "green_cube"}, [])
    driver.grip(0.0)
    driver.lift(0.05)
    driver.lift(-0.049)
    driver.grip(0.08)
    assert not referee.end().moved, "carried"
    driver.lift(0.10)
    driver.grip(0.0)
    driver.line(Pose.of((0.05, 0.0, -0.09)) @ driver.world.body().tool, 0.3)
    driver.line(Pose.of((-0.10, 0.0, 0.0)) @ driver.world.body().tool, 0.1)
    verdict = referee.end()
    assert verdict.moved["red_cube"] > 0.02
    assert "red_cube moved" in verdict.because


def test_what_somebody_said_to_mean_to_move_is_no_bystander(held):
    driver, snapshot = held
    driver.robot.restore(snapshot)
    referee = driver.world.referee
    driver.lift(-0.095)
    driver.grip(0.08)
    referee.begin({"object": "green_cube"}, [])
    referee.concern(["red_cube", "nothing_known"])
    driver.lift(0.10)
    driver.grip(0.0)
    driver.line(Pose.of((0.05, 0.0, -0.09)) @ driver.world.body().tool, 0.3)
    driver.line(Pose.of((-0.10, 0.0, 0.0)) @ driver.world.body().tool, 0.1)
    assert "red_cube" not in referee.end().moved


def test_what_another_hand_moves_is_held_against_nobody(simulation):
    world = simulation.world
    world.referee.begin({"object": "green_cube"})
    at = world.referee.poses()["red_cube"]
    world.place("red_cube", Pose.of(at.position + np.array([0.0, -0.03, 0.001]), at.quaternion))
    world.move_part("drawer", 0.1)
    for _ in range(20):
        simulation.robot.tick()
    assert world.referee.end().safe
    assert world.referee.poses()["red_cube"].position[1] == pytest.approx(at.position[1] - 0.03, abs=2e-3)


def test_parts_that_turn_are_bystanders_too(simulation):
    """A knob that turns moves at its rim, though its middle stays."""
    world = simulation.world
    turning = [n for n, o in simulation.layout.inventory.items() if o.joint and o.joint.kind == "hinge"]
    world.referee.begin({"object": "red_cube"})
    for name in turning:
        world._data.joint(name).qpos += 0.8
    simulation.robot.tick()
    moved = world.referee.end().moved
    assert set(turning) <= set(moved)
    assert all(0.01 < moved[name] < 0.5 for name in turning)


def test_things_in_a_drawer_ride_along(simulation):
    world = simulation.world
    world.move_part("drawer", 0.15)
    interior = simulation.layout.inventory["drawer"].interior
    world.place("red_cube", world.referee.poses()["drawer"] @ Pose.of(interior.centre))
    for _ in range(20):
        simulation.robot.tick()
    assert "red_cube" in world.referee._concerned({"object": "drawer"}, None)
    assert "red_cube" not in world.referee._concerned({"object": "door"}, None)


def test_strain_is_the_worst_contact_of_the_last_control_period(driver):
    assert driver.world.referee.strain < 0.5
    driver.grasp("red_cube")
    assert driver.world.referee.strain == pytest.approx(40 / 80, rel=0.2)


def test_what_stands_on_the_named_plate_may_move_with_it_and_what_stands_on_the_table_may_not(driver):
    carry_to_plate(driver)
    driver.lift(-0.099, 0.2)
    driver.grip(0.08)
    driver.lift(0.10)
    referee = driver.world.referee
    assert "red_cube" in referee._concerned({"object": "plate"}, None)
    assert "green_cube" not in referee._concerned({"object": "plate", "target": "table"}, None)


def test_watching_starts_afresh_with_each_begin(driver):
    press_the_table(driver)
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


def test_a_button_counts_as_pressed_since_the_work_began_though_it_is_up_again(driver):
    referee, pressed = driver.world.referee, Predicate("pressed", ("button",))
    driver.grip(0.0)
    above = Pose.of(driver.true("button").position + np.array([0.0, 0.0, 0.10]), driver.world.body().tool.quaternion)
    driver.to(KINEMATICS.inverse(above, driver.world.setpoint.q, np.random.default_rng(0)), 0.4)
    referee.begin({"object": "button"}, [(("finger", "object"), 60.0)])
    driver.lift(-0.07, 0.2)
    assert not referee.holds(pressed)
    driver.lift(-0.025, 0.1)
    driver.lift(0.05, 0.2)
    assert driver.true("button").position[2] == pytest.approx(above.position[2] - 0.10, abs=0.001)
    assert referee.holds(pressed)
    assert referee.end().safe, referee.end().because
    referee.begin({"object": "knob"})
    assert not referee.holds(pressed)
    assert referee.holds(pressed, ever=True)
