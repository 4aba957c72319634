# SPDX-License-Identifier: Apache-2.0
"""The simulated robot behind the Robot protocol: what the executor drives instead of a real arm."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ruckig import ControlInterface, InputParameter, Result, Ruckig, Trajectory

from robo_orch.errors import RenderError, unknown
from robo_orch.objects import Inventory
from robo_orch.robots.grasp import GraspTracker
from robo_orch.robots.spec import RobotSpec
from robo_orch.sim.mujoco.world import MujocoWorld
from robo_orch.sim.perception import SimPerception
from robo_orch.types import Array, JointTarget, Observation, RobotState, StopMode, StopReport

#: Ticks granted after a stop profile until the measured joints must rest, and what counts as rest, rad/s (chosen).
SETTLE_TICKS, REST = 25, 0.01


class SimRobot:
    """A robot in a simulated world, in lockstep: time passes in :meth:`tick` and nowhere else.

    Args:
        realtime: wait in each tick until the wall clock has caught up (factor 1); else as fast as possible (factor 0).
    """

    def __init__(
        self,
        world: MujocoWorld,
        perception: SimPerception,
        robot: RobotSpec,
        inventory: Inventory,
        realtime: bool = False,
    ) -> None:
        self._world, self._perception, self._robot, self._realtime = world, perception, robot, realtime
        self._inventory, self._tracker = inventory, GraspTracker(inventory)
        self._target: JointTarget | None = None
        self._began = time.monotonic() - world.time
        self._observation = self._look()

    @property
    def period(self) -> float:
        """Control period, s."""
        return self._robot.period

    @property
    def now(self) -> float:
        """Time on the robot's clock, s."""
        return self._world.time

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names of the scene's cameras."""
        return self._world.cameras

    def observe(self) -> Observation:
        """State and estimates as of the last tick; without images (they are rendered where they are wanted)."""
        return self._observation

    def capture(self, sizes: Mapping[str, tuple[int, int]]) -> dict[str, NDArray[np.uint8]]:
        """Pictures ``(H, W, 3)`` of now by camera, each at its (width, height), pixels.

        Raises:
            RenderError: no such camera (the message lists those there are), or no GL.
        """
        for name in sizes:
            if name not in self.cameras:
                raise unknown(RenderError, "a camera", name, self.cameras)
        return {name: self._world.render(name, size) for name, size in sizes.items()}

    def command(self, target: JointTarget) -> None:
        """Set the setpoint for the coming tick only; without a new one the arm holds."""
        self._target = target

    def tick(self) -> None:
        """Let one control period pass."""
        self._world.step(self._target or self._hold())
        self._target = None
        self._observation = self._look()
        if self._realtime:
            time.sleep(max(0.0, self._began + self._world.time - time.monotonic()))

    def stop(self, mode: StopMode) -> StopReport:
        """Brake the arm within its limits of acceleration and jerk, then hold; reports what it measures.

        A simulated arm stops by holding whatever ``mode`` asks for; the report says so.
        """
        start = self.now
        for target in self._braking():
            self.command(target)
            self.tick()
        for _ in range(SETTLE_TICKS):
            if self._resting():
                break
            self.tick()
        said = "" if mode is StopMode.HOLD else f"{mode} is not available in simulation; "
        stopped = self._resting()
        message = f"{said}the arm {'holds' if stopped else 'still moves'}"
        return StopReport(StopMode.HOLD, stopped, self.now - start, message)

    def snapshot(self) -> Any:
        """World, perception and what the robot believes to hold."""
        return self._world.snapshot(), self._perception.snapshot(), self._tracker.copy(), self._observation

    def restore(self, snapshot: Any) -> None:
        """Go on from a snapshot, bit-equal."""
        world, perception, tracker, self._observation = snapshot
        self._world.restore(world)
        self._perception.restore(perception)
        self._tracker = tracker.copy()
        self._target = None
        self._began = time.monotonic() - self._world.time

    def put(self, q: Array, width: float, seed: int) -> None:
        """Begin anew with the arm at rest at joints ``(n,)`` (rad) and an opening (m), nothing perceived yet.

        For training and probing: the world stays as it is, ``seed`` draws perception's errors.
        """
        self._world.put_arm(q, width)
        self._perception.reseed(seed)
        self._tracker = GraspTracker(self._inventory)
        self._target = None
        self._observation = self._look()

    def _hold(self) -> JointTarget:
        last = self._world.setpoint
        return JointTarget(last.q, np.zeros_like(last.qd), last.width, "hold")

    def _resting(self) -> bool:
        return bool(np.max(np.abs(self._observation.state.qd)) < REST)

    def _braking(self) -> list[JointTarget]:
        """Setpoints from the last one to rest, jerk-limited (ruckig, velocity interface)."""
        last, limits, n = self._world.setpoint, self._robot.limits, len(self._robot.names)
        if not last.qd.any():
            return []
        wish = InputParameter(n)
        wish.control_interface = ControlInterface.Velocity
        wish.current_position, wish.current_velocity = last.q, last.qd
        wish.target_velocity = np.zeros(n)
        wish.max_acceleration, wish.max_jerk = limits.acceleration, limits.jerk
        profile = Trajectory(n)
        if Ruckig(n).calculate(wish, profile) not in (Result.Working, Result.Finished):
            return [self._hold()]
        times = np.arange(self.period, profile.duration + self.period, self.period)
        rows = [profile.at_time(min(t, profile.duration)) for t in times]
        return [JointTarget(np.array(q), np.array(qd), last.width, "stop") for q, qd, *_ in rows]

    def _look(self) -> Observation:
        body = self._world.body()
        estimates, _ = self._perception.observe(self._world.scan())
        width = float(body.fingers.sum())
        grip = self._tracker.update(body.time, body.tool, width, self._world.setpoint.width, estimates)
        if grip.left is not None:
            self._perception.remember(grip.left)
        state = RobotState(
            stamp=body.time,
            names=self._robot.names,
            q=body.q,
            qd=body.qd,
            effort=body.effort,
            tool=body.tool,
            gripper=width,
            grasping=grip.grasping,
            holding=grip.holding,
            commanded=self._world.setpoint.q,
        )
        return Observation(body.time, state, grip.objects)
