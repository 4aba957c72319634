# SPDX-License-Identifier: Apache-2.0
"""Drawing starts from a card's start set, and telling whether a posture belongs to it."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.policies.card import StartSet
from robo_orch.robots.arm import Arm
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Array, Pose

#: How near to the drawn tool pose a posture must come, m, and how often one is drawn (chosen).
NEAR, TRIES = 0.005, 20


class Starts:
    """Draws joints and an opening from a start set, evenly in the tool's place, turn and the gripper's opening."""

    def __init__(self, start: StartSet, robot: RobotSpec) -> None:
        self._start, self._robot, self._arm = start, robot, Arm(robot)
        self._posture = np.array(start.posture)
        self._centre = self._arm.tool(self._posture)

    def __call__(self, rng: np.random.Generator) -> tuple[Array, float]:
        """Joints ``(n,)`` rad and an opening, m."""
        width = float(rng.uniform(*np.minimum(self._start.gripper, self._robot.gripper.max_width)))
        for _ in range(TRIES):
            tool = self._draw(rng)
            q = self._arm.inverse(tool, self._posture)
            if np.linalg.norm(self._arm.tool(q).position - tool.position) < NEAR:
                return q, width
        return self._posture.copy(), width

    def _draw(self, rng: np.random.Generator) -> Pose:
        within = np.array(self._start.within)
        axis = rng.normal(size=3)
        turn = Rotation.from_rotvec(axis / np.linalg.norm(axis) * rng.uniform(0.0, self._start.turn))
        turned = (turn * self._centre.rotation).as_quat()
        return Pose.of(self._centre.position + rng.uniform(-within, within), turned)
