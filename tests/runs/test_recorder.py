# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import signal
from types import SimpleNamespace

import numpy as np
import pytest

from robo_orch.runs import provenance
from robo_orch.runs.config import RunConfig
from robo_orch.runs.folder import RunFolder
from robo_orch.runs.interrupt import Interrupts
from robo_orch.runs.record import RunRecord
from robo_orch.runs.recorder import RecordingWorld
from robo_orch.runs.replay import target
from robo_orch.sim.build import build
from robo_orch.types import JointTarget, Pose, StopMode


class _World:
    state_hash = "abc"

    def __init__(self, during=lambda: None) -> None:
        self.steps, self._during = [], during

    def step(self, target):
        self.steps.append(target)
        self._during()

    def body(self):
        t = 0.02 * len(self.steps)
        return SimpleNamespace(
            time=t, q=np.full(7, t), qd=np.zeros(7), fingers=np.full(2, 0.02), tool=Pose.of((t, 0, 0))
        )


@pytest.fixture
def folder(tmp_path):
    folder = RunFolder.create(tmp_path / "run", "goal")
    folder.config(provenance.describe(RunConfig("goal")))
    return folder


def _target(value: float = 0.1) -> JointTarget:
    return JointTarget(np.full(7, value), np.zeros(7), 0.03, "someone")


def test_a_tick_holds_the_command_and_what_was_measured_after_it(folder):
    world = RecordingWorld(_World(), folder, Interrupts(print))
    world.step(_target(1 / 3))
    (tick,) = RunRecord.open(folder.path).ticks()
    assert (tick.t, tick.gripper, tick.command.gripper, tick.command.source) == (0.02, 0.04, 0.03, "someone")
    assert tick.command.q == [1 / 3] * 7
    assert tick.tool == [0.02, 0, 0, 0, 0, 0, 1]
    again = target(tick)
    assert (again.q == _target(1 / 3).q).all()
    assert again.source == "someone"


def test_everything_else_of_the_world_is_within_reach(folder):
    assert RecordingWorld(_World(), folder, Interrupts(print)).state_hash == "abc"


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_in_the_middle_of_a_step_leaves_no_step_off_the_record(folder, presses):
    def press():
        for _ in range(presses):
            signal.raise_signal(signal.SIGINT)

    inner = _World(during=press)
    with Interrupts(lambda line: None) as interrupts:
        world = RecordingWorld(inner, folder, interrupts)
        with pytest.raises(KeyboardInterrupt):
            world.step(_target())
    assert len(inner.steps) == len(list(RunRecord.open(folder.path).ticks())) == 1


def test_time_in_the_world_is_counted_and_a_camera_is_told(folder):
    world, told = RecordingWorld(_World(), folder, Interrupts(print)), []
    world.after_tick = lambda: told.append(True)
    for _ in range(3):
        world.step(_target())
    assert len(told) == 3
    assert world.physics_seconds > 0.0


def test_stopping_and_holding_are_on_record_too(folder):
    simulation = build("kitchen", "mujoco", 0, wrap=lambda world: RecordingWorld(world, folder, Interrupts(print)))
    robot, home = simulation.robot, simulation.world.setpoint.q
    for i in range(1, 6):
        robot.command(JointTarget(home + 0.002 * i, np.full(7, 0.1), 0.08, "policy"))
        robot.tick()
    robot.stop(StopMode.HOLD)
    ticks = list(RunRecord.open(folder.path).ticks())
    assert len(ticks) == round(simulation.world.time / robot.period)
    sources = [tick.command.source for tick in ticks]
    assert sources[:5] == ["policy"] * 5
    assert {"stop"} <= set(sources[5:]) <= {"stop", "hold"}
    fresh = build("kitchen", "mujoco", 0).world
    for tick in ticks:
        fresh.step(target(tick))
    assert fresh.state_hash == simulation.world.state_hash
