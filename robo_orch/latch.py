# SPDX-License-Identifier: Apache-2.0
"""What springs back: how far each button was pressed in a stretch of time.

A button is up again when a step is judged, so that ``pressed`` is a fact about a stretch of time. Whoever judges a
stretch shows a :class:`Latch` every observation in it (the referee: the true poses after every tick) and evaluates
facts with its ``peaks``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robo_orch.objects import Inventory, Joint, JointKind, Trait
from robo_orch.types import JointTarget, Observation, PoseEstimate, Robot, StopMode, StopReport


@dataclass(frozen=True, slots=True)
class Peak:
    """The furthest that a part which springs back was seen.

    Attributes:
        value: joint value (m or rad); ``sigma`` of that estimate.
        frames: estimates seen so far.
        stamp: of the latest estimate, s; each counts once.
    """

    value: float
    sigma: float
    frames: int = 1
    stamp: float = -math.inf

    @property
    def sure(self) -> float:
        """The peak (m or rad) less what the largest error of so many frames adds to it.

        The largest of n normal errors is sigma * sqrt(2 ln n) at most, on average.
        """
        return self.value - self.sigma * math.sqrt(2.0 * math.log(max(1, self.frames)))


class Latch:
    """Remembers the furthest each button was pressed since it was cleared."""

    def __init__(self, inventory: Inventory) -> None:
        self._buttons = {n: s.joint for n, s in inventory.items() if s.joint and Trait.PRESSES in s.traits}
        self._peaks: dict[str, Peak] = {}

    def see(self, objects: Mapping[str, PoseEstimate]) -> None:
        """Take note of one set of estimates, by object name."""
        for name, joint in self._buttons.items():
            before = self._peaks.get(name)
            if name in objects and joint.parent in objects and (not before or objects[name].stamp > before.stamp):
                now = Peak(*joint_estimate(joint, objects[joint.parent], objects[name]), stamp=objects[name].stamp)
                self._peaks[name] = _further(before, now) if before else now

    def clear(self) -> None:
        """Forget everything: a new stretch begins."""
        self._peaks = {}

    @property
    def peaks(self) -> Mapping[str, Peak]:
        """The furthest values since :meth:`clear`, by part."""
        return dict(self._peaks)


class WatchedRobot:
    """A robot whose every observation is shown to latches, whoever looks."""

    def __init__(self, robot: Robot, *latches: Latch) -> None:
        self._robot, self._latches = robot, latches
        self._shown: Observation | None = None

    @property
    def period(self) -> float:
        """Control period, s."""
        return self._robot.period

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names of its cameras."""
        return self._robot.cameras

    def observe(self) -> Observation:
        """The latest state and estimates, shown to the latches."""
        seen = self._robot.observe()
        if seen is not self._shown:  # looking twice in one tick shows nothing new
            for latch in self._latches:
                latch.see(seen.objects)
            self._shown = seen
        return seen

    def capture(self, sizes: Mapping[str, tuple[int, int]]) -> Mapping[str, NDArray[np.uint8]]:
        """The latest pictures, by camera; see :meth:`Robot.capture`."""
        return self._robot.capture(sizes)

    def command(self, target: JointTarget) -> None:
        """Set the setpoint for the coming tick."""
        self._robot.command(target)

    def tick(self) -> None:
        """Let one control period pass."""
        self._robot.tick()

    def stop(self, mode: StopMode) -> StopReport:
        """Bring the arm to rest."""
        return self._robot.stop(mode)


def joint_estimate(joint: Joint, parent: PoseEstimate, part: PoseEstimate) -> tuple[float, float]:
    """A joint's value (m or rad) and its sigma, from the poses of what it connects."""
    if joint.kind is JointKind.SLIDE:
        sigma = math.hypot(parent.sigma, part.sigma)
    else:
        sigma = math.hypot(parent.sigma_angle, part.sigma_angle)
    return joint.value(parent.pose, part.pose), sigma


def _further(before: Peak, now: Peak) -> Peak:
    # Of two estimates the one that proves more: a far value with a large error proves less.
    best = max(before, now, key=lambda peak: peak.value - peak.sigma)
    return Peak(best.value, best.sigma, before.frames + 1, now.stamp)
