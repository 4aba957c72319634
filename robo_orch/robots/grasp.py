# SPDX-License-Identifier: Apache-2.0
"""What the gripper holds, concluded from its own sensing and the pose estimates, on simulated and real robots alike."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from robo_orch.objects import Inventory
from robo_orch.types import Array, Pose, PoseEstimate

#: The pads stand still if the opening changed less than this (m) over this time (s) (chosen).
STILL, STILL_TIME = 0.0005, 0.06
#: Something keeps the pads apart if they stand this much (m) wider than commanded (chosen: above servo error).
BLOCKED = 0.001
#: Nothing is between pads closer than this, m (chosen).
EMPTY = 0.002
#: A held object is lost or released when the opening has changed by this since the grasp, m (chosen).
CHANGED = 0.004
#: How far (m) outside an object's bounds the tool point may be to count as on it, beside three sigma (chosen).
REACH = 0.008
#: How far (m) from the tool point an object's bounds are, beside three sigma, when it is seen not to be held after all
#: (chosen: far more than it slips in the hand).
AWAY = 0.05
#: What letting go adds to the doubt about an object's pose, one sigma in m and rad: when the gripper opens, and when
#: the object was lost (chosen: a gentle release, a fall from the hand).
RELEASED, LOST = (0.004, 0.05), (0.03, 0.3)
#: What the closing fingers add to it until the object is seen in the hand, one sigma in m and rad (chosen).
GRIPPED = (0.002, 0.03)
#: How long tool poses are kept to match estimates that arrive late, s.
HISTORY = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Grip:
    """``grasping``: something keeps the closing gripper from closing; ``holding``: its name, if known.

    ``objects``: the estimates, with the held object where the tool has carried it, and what was let go where that was,
    until it is seen again; ``left``: what was let go just now.
    """

    grasping: bool
    holding: str | None
    objects: Mapping[str, PoseEstimate]
    left: PoseEstimate | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    name: str
    width: float
    in_tool: Pose
    covariance: Array
    stamp: float  # of the estimate that ``in_tool`` comes from
    since: float


class GraspTracker:
    """Follows the gripper through time. Call :meth:`update` once per control period, in order of time."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._bounds = {name: spec.bounds() for name, spec in inventory.items() if spec.movable}
        self._tools: deque[tuple[float, Pose]] = deque()
        self._widths: deque[tuple[float, float]] = deque()
        self._held: _Held | None = None
        self._left: dict[str, PoseEstimate] = {}

    def update(
        self, stamp: float, tool: Pose, width: float, command: float, objects: Mapping[str, PoseEstimate]
    ) -> Grip:
        """Conclude from one moment.

        Args:
            stamp: now, s, on the robot's clock.
            tool: tool pose in the base frame.
            width: measured opening, m.
            command: opening that the gripper was told to have, m.
            objects: the newest estimates.
        """
        _keep(self._tools, stamp, tool, HISTORY)
        _keep(self._widths, stamp, width, STILL_TIME)
        left = None
        if self._held is not None and not _still_held(self._held, width, command):
            left = self._let_go(self._held, stamp, command, objects)
            self._held = None
        if self._left:
            self._left = {n: e for n, e in self._left.items() if n in objects and objects[n].stamp < e.stamp}
            objects = {**objects, **self._left}
        grasping = self._blocked(width, command)
        if grasping and self._held is None:
            self._held = self._touched(stamp, tool, width, objects)
        if self._held is not None:
            self._left.pop(self._held.name, None)
            self._held = self._refreshed(self._held, objects)
        if self._held is None:
            return Grip(grasping, None, objects, left)
        carried = _carried(self._held, stamp, tool, objects)
        return Grip(grasping, self._held.name, {**objects, self._held.name: carried}, left)

    def copy(self) -> GraspTracker:
        """A tracker that goes on from here by itself."""
        other = copy.copy(self)
        other._tools, other._widths, other._left = self._tools.copy(), self._widths.copy(), dict(self._left)
        return other

    def _let_go(
        self, held: _Held, stamp: float, command: float, objects: Mapping[str, PoseEstimate]
    ) -> PoseEstimate | None:
        """Where the object is that was just let go: where the hand had it a moment ago, a little less certain."""
        if held.name not in objects:
            return None
        _, tool = self._tools[-2] if len(self._tools) > 1 else self._tools[-1]
        doubt = held.covariance + _spread(RELEASED if command > held.width + BLOCKED else LOST)
        precision = objects[held.name].precision
        left = PoseEstimate(held.name, tool @ held.in_tool, doubt, stamp, "released", precision, visible=False)
        self._left[held.name] = left
        return left

    def _blocked(self, width: float, command: float) -> bool:
        widths = [w for _, w in self._widths]
        lasted = self._widths[-1][0] - self._widths[0][0] >= STILL_TIME * 0.9
        still = lasted and max(widths) - min(widths) < STILL
        return still and width > EMPTY and width - command > BLOCKED

    def _touched(self, stamp: float, tool: Pose, width: float, objects: Mapping[str, PoseEstimate]) -> _Held | None:
        """The object nearest to the tool point among those that can be there, given size and doubt about the pose."""
        movable = {n: e for n, e in objects.items() if self._inventory[n].movable and n not in self._left}
        outside = {name: self._outside(name, e, tool) for name, e in movable.items()}
        # Doubt lets an object be there; it does not make that likelier than for one which is known to be there.
        there = [name for name, distance in outside.items() if distance - 3.0 * movable[name].sigma <= REACH]
        if not there:
            return None
        name = min(there, key=lambda n: (outside[n], movable[n].sigma))
        e = objects[name]
        return _Held(name, width, tool.inverse() @ e.pose, e.covariance + _spread(GRIPPED), e.stamp, stamp)

    def _outside(self, name: str, estimate: PoseEstimate, tool: Pose) -> float:
        """Distance (m) of the tool point from the object's bounds, 0 inside."""
        low, high = self._bounds[name]
        point = estimate.pose.inverse().apply(tool.position)
        return float(np.linalg.norm(np.maximum(np.maximum(low - point, point - high), 0.0)))

    def _refreshed(self, held: _Held, objects: Mapping[str, PoseEstimate]) -> _Held | None:
        """A frame captured since the grasp tells anew how the object lies in the hand, or that it is not there."""
        estimate = objects.get(held.name)
        if estimate is None or not estimate.visible or estimate.stamp <= max(held.stamp, held.since):
            return held
        then = min(self._tools, key=lambda entry: abs(entry[0] - estimate.stamp))[1]
        if self._outside(held.name, estimate, then) > AWAY + 3.0 * estimate.sigma:
            return None
        in_tool = then.inverse() @ estimate.pose
        return replace(held, in_tool=in_tool, covariance=estimate.covariance, stamp=estimate.stamp)


def _still_held(held: _Held, width: float, command: float) -> bool:
    opened = command > held.width + BLOCKED and width > held.width + BLOCKED
    return not opened and abs(width - held.width) < CHANGED and width > EMPTY


def _carried(held: _Held, stamp: float, tool: Pose, objects: Mapping[str, PoseEstimate]) -> PoseEstimate:
    e = objects[held.name]
    return PoseEstimate(held.name, tool @ held.in_tool, held.covariance, stamp, "held", e.precision, e.visible)


def _spread(sigma: tuple[float, float]) -> Array:
    """The covariance ``(6, 6)`` of one sigma in m and rad."""
    return np.diag(np.repeat(sigma, 3) ** 2)


def _keep(history: deque, stamp: float, value: object, seconds: float) -> None:
    history.append((stamp, value))
    while stamp - history[0][0] > seconds + 1e-6:
        history.popleft()
