# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import time

import numpy as np
import pytest

from robo_orch.errors import RenderError
from robo_orch.sim import gl
from robo_orch.sim import robot as module
from robo_orch.sim.build import build
from robo_orch.types import JointTarget, StopMode
from tests.sim.driving import PANDA

needs_gl = pytest.mark.skipif(gl.gl_backend().backend is None, reason=gl.gl_backend().message)


def test_without_a_new_command_the_arm_holds(simulation):
    robot = simulation.robot
    robot.command(JointTarget(PANDA.home + 0.02, np.full(7, 0.5), 0.08))
    for _ in range(25):
        robot.tick()
    state = robot.observe().state
    np.testing.assert_allclose(state.q, PANDA.home + 0.02, atol=2e-3)
    assert np.abs(state.qd).max() < 0.01


def test_a_tick_is_one_period_on_the_robots_clock(simulation):
    robot = simulation.robot
    before = robot.observe().stamp
    robot.tick()
    assert robot.observe().stamp - before == pytest.approx(robot.period)
    assert robot.now == robot.observe().stamp


def test_objects_are_seen_after_the_latency_and_close_to_where_they_are(simulation):
    robot = simulation.robot
    for _ in range(5):
        robot.tick()
    seen = robot.observe().objects
    assert seen.keys() == simulation.layout.inventory.keys()
    for name, estimate in seen.items():
        distance, _ = estimate.pose.distance(simulation.layout.poses[name])
        assert 0 < distance < 6 * estimate.sigma


def test_stopping_from_full_motion_brakes_within_the_limits_and_says_so(simulation, monkeypatch):
    robot, world = simulation.robot, simulation.world
    q, v = PANDA.home.copy(), np.zeros(7)
    for k in range(25):
        v = np.full(7, 0.04 * (k + 1))
        q = q + v * robot.period
        robot.command(JointTarget(q, v, 0.08))
        robot.tick()
    speeds = [world.setpoint.qd]
    step = world.step
    monkeypatch.setattr(world, "step", lambda target: (step(target), speeds.append(world.setpoint.qd)))
    report = robot.stop(StopMode.HOLD)
    assert report.stopped and report.mode is StopMode.HOLD and "holds" in report.message
    assert 0 < report.seconds < 1.0
    brakes = np.abs(np.diff(speeds, axis=0)) / robot.period
    assert (brakes <= PANDA.limits.acceleration * 1.001).all()


def test_a_stop_mode_that_simulation_lacks_is_answered_with_what_is_true(simulation):
    report = simulation.robot.stop(StopMode.LIMP)
    assert report.mode is StopMode.HOLD
    assert "limp is not available" in report.message


def test_what_the_gripper_closed_on_is_held_and_carried(held):
    driver, snapshot = held
    driver.robot.restore(snapshot)
    seen = driver.robot.observe()
    assert seen.state.grasping and seen.state.holding == "red_cube"
    off = np.linalg.norm(seen.objects["red_cube"].pose.position - driver.true("red_cube").position)
    assert off < 0.005
    moving = driver.lift(0.05, 0.8)
    off = np.linalg.norm(moving.objects["red_cube"].pose.position - driver.true("red_cube").position)
    assert off < 0.005 and moving.objects["red_cube"].stamp == moving.stamp
    opened = driver.grip(0.08)
    assert opened.state.holding is None and not opened.state.grasping


def test_real_time_waits_for_the_wall_clock_and_headless_does_not(monkeypatch):
    """C65: factor 1 or 0."""
    waits = []
    clock = [100.0]
    monkeypatch.setattr(module.time, "sleep", lambda s: (waits.append(s), clock.__setitem__(0, clock[0] + s)))
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    paced = build("kitchen", "mujoco", 0, realtime=True).robot
    for _ in range(10):
        paced.tick()
    assert sum(waits) == pytest.approx(10 * paced.period)
    waits.clear()
    free = build("kitchen", "mujoco", 0).robot
    free.tick()
    assert not waits
    assert time.monotonic() == clock[0]


def test_a_camera_that_is_not_there_is_refused_with_the_names_of_those_that_are(simulation):  # case C22
    assert simulation.robot.cameras == ("front", "side", "wrist")
    with pytest.raises(RenderError, match=r"front, side, wrist.*\n.*'wrst'.*\n.*wrist"):
        simulation.robot.capture({"front": (32, 24), "wrst": (32, 24)})


def test_without_gl_there_are_no_pictures_and_the_reason_is_told(simulation, monkeypatch):
    monkeypatch.setattr(gl, "gl_backend", lambda: gl.GlStatus(None, "switched off"))
    simulation.world.close()
    with pytest.raises(RenderError, match="switched off"):
        simulation.robot.capture({"front": (32, 24)})


@pytest.mark.gl
@needs_gl
def test_pictures_have_the_sizes_asked_for_and_are_of_now(simulation):
    robot = simulation.robot
    before = robot.capture({"wrist": (48, 32), "front": (32, 24)})
    assert {name: image.shape for name, image in before.items()} == {"wrist": (32, 48, 3), "front": (24, 32, 3)}
    robot.put(PANDA.home + 0.2, 0.0, 0)
    assert (robot.capture({"wrist": (48, 32)})["wrist"] != before["wrist"]).any()
