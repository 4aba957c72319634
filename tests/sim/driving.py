# SPDX-License-Identifier: Apache-2.0
"""Moves the simulated arm by commands alone: along joint lines and straight tool lines, and by its gripper."""

from __future__ import annotations

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.kinematics import Kinematics
from robo_orch.motion.timing import time_path
from robo_orch.robots.spec import load_robot
from robo_orch.sim.build import Simulation
from robo_orch.types import JointTarget, Observation, Pose

PANDA = load_robot("panda")
KINEMATICS = Kinematics(PANDA)
GOAL = [("cube", "red"), ("cube", "green"), ("plate", "")]
#: What the skills declare for picking and placing.
BOUNDS = [(("finger", "object"), 80.0), (("object", "target"), 60.0), (("object", "support"), 40.0)]


def up(metres: float) -> Pose:
    return Pose.of((0.0, 0.0, metres))


class Driver:
    """``worst``: largest difference (rad) between commanded and measured joints so far."""

    def __init__(self, simulation: Simulation) -> None:
        self.world, self.robot = simulation.world, simulation.robot
        self.inventory = simulation.layout.inventory
        self.width = PANDA.gripper.max_width
        self.worst = 0.0

    def true(self, name: str) -> Pose:
        return self.world.referee.poses()[name]

    def follow(self, waypoints: np.ndarray, speed: float = 0.4) -> Observation:
        trajectory = time_path(waypoints, PANDA.limits.scaled(speed), PANDA.period)
        for q, qd in zip(trajectory.q[1:], trajectory.qd[1:], strict=True):
            self.robot.command(JointTarget(q, qd, self.width, "test"))
            self.robot.tick()
            self.worst = max(self.worst, float(np.abs(self.robot.observe().state.q - q).max()))
        return self.robot.observe()

    def to(self, q: np.ndarray, speed: float = 0.5) -> Observation:
        return self.follow(np.array([self.world.setpoint.q, q]), speed)

    def line(self, pose: Pose, speed: float = 0.4) -> Observation:
        return self.follow(KINEMATICS.straight(self.world.setpoint.q, pose), speed)

    def grip(self, width: float, ticks: int = 40) -> Observation:
        self.width = width
        for _ in range(ticks):
            self.robot.command(JointTarget(self.world.setpoint.q, np.zeros(7), width, "test"))
            self.robot.tick()
        return self.robot.observe()

    def grasp(self, name: str) -> Observation:
        """Down on the object from 12 cm above, by the grasp that keeps farthest from joint limits, and close."""
        ways = [way for grasp in self.inventory[name].grasps if (way := _way(self.true(name) @ grasp.pose)) is not None]
        down = max(ways, key=lambda way: _room(way[0]))
        self.to(down[0])
        self.follow(down, 0.3)
        return self.grip(0.0)

    def lift(self, metres: float, speed: float = 0.4) -> Observation:
        return self.line(up(metres) @ self.robot.observe().state.tool, speed)


def _way(at: Pose) -> np.ndarray | None:
    try:
        return KINEMATICS.straight(KINEMATICS.inverse(up(0.12) @ at, PANDA.home, np.random.default_rng(0)), at)
    except MotionFailure:
        return None


def _room(q: np.ndarray) -> float:
    return float(np.minimum(q - PANDA.limits.lower, PANDA.limits.upper - q).min())
