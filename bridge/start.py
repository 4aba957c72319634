# SPDX-License-Identifier: Apache-2.0
"""A card's declared start set: drawing starts from it, and telling whether the arm is in it.

Training, probes and the bridge all mean the same by it.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.policies.card import StartSet
from robo_orch.robots.arm import Arm
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Array, Pose

#: How near to the drawn tool pose a posture must come, m, and how often one is drawn (chosen).
NEAR, TRIES = 0.005, 20
#: By how much the edges are wider for an arm that stands there: m, rad, m of opening (chosen: what servos are off).
EDGE = (0.005, 0.02, 0.003)
#: Joints farther than this from the set's own posture for the same tool pose are another posture, rad (chosen: less
#: than what turns an elbow to the other side).
ELSEWHERE = 0.8


class Starts:
    """Draws joints and an opening from a start set, evenly in the tool's place, turn and the gripper's opening.

    One thread at a time.

    Attributes:
        posture: ``(n,)`` rad, in the middle of the set.
        gripper: the least and the largest opening, m.
    """

    def __init__(self, start: StartSet, robot: RobotSpec) -> None:
        self._start, self._arm = start, Arm(robot)
        self.posture = np.array(start.posture)
        low, high = np.minimum(start.gripper, robot.gripper.max_width)
        self.gripper = (float(low), float(high))
        self._centre = self._arm.tool(self.posture)

    def __call__(self, rng: np.random.Generator) -> tuple[Array, float]:
        """Joints ``(n,)`` rad and an opening, m."""
        width = float(rng.uniform(*self.gripper))
        for _ in range(TRIES):
            tool = self._draw(rng)
            q = self._arm.inverse(tool, self.posture)
            if np.linalg.norm(self._arm.tool(q).position - tool.position) < NEAR:
                return q, width
        return self.posture.copy(), width

    def contains(self, q: Array, width: float | None = None) -> bool:
        """Whether an arm at joints ``(n,)`` rad, its gripper so far open (m), is in the set; see :meth:`outside`."""
        return not self.outside(q, width)

    def outside(self, q: Array, width: float | None = None) -> str:
        """What is outside the set, in words; empty if nothing is. Without ``width`` the gripper does not count."""
        tool = self._arm.tool(q)
        beyond = np.abs(tool.position - self._centre.position) - self._start.within
        _, turned = tool.distance(self._centre)
        if beyond.max() > EDGE[0]:
            return f"the tool is {1000 * beyond.max():.0f} mm outside"
        if turned > self._start.turn + EDGE[1]:
            return f"the tool is turned by {turned:.2f} rad, {self._start.turn:.2f} at most"
        if np.abs(self._arm.inverse(tool, self.posture) - q).max() > ELSEWHERE:
            return "the tool is within, but the arm reaches there in another posture"
        low, high = self.gripper
        if width is not None and not low - EDGE[2] <= width <= high + EDGE[2]:
            return f"the gripper is open {1000 * width:.0f} mm, {1000 * low:.0f} to {1000 * high:.0f} belong to it"
        return ""

    def _draw(self, rng: np.random.Generator) -> Pose:
        within = np.array(self._start.within)
        axis = rng.normal(size=3)
        turn = Rotation.from_rotvec(axis / np.linalg.norm(axis) * rng.uniform(0.0, self._start.turn))
        turned = (turn * self._centre.rotation).as_quat()
        return Pose.of(self._centre.position + rng.uniform(-within, within), turned)
