# SPDX-License-Identifier: Apache-2.0
"""From one action, in whatever space, to the robot's setpoints: the one way for executor, training and probes alike.

A *row* of actions says where the arm should be at the end of one action period, which lasts one or more control
periods. The aim moves there on a straight line in joint space, at constant speed. The setpoint follows the aim within
the joints' limits of position, velocity and acceleration, exactly so at rest and at constant speed. Rows of a
``joint_trajectory`` are no aims but states of a motion that was timed elsewhere: they are met exactly, and whether the
robot can follow is for the caller to check.

What a robot cannot do is clipped, and the clipping is reported; whether so much of it is still acceptable is the
caller's decision (:mod:`robo_orch.execution.adapters`). This module is part of what a scene's hash covers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from robo_orch.robots.arm import Arm
from robo_orch.robots.rows import ROTATIONS, delta_row, gripper_row, moved, pose_row, posed
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import (
    ActionKind,
    ActionSpace,
    Array,
    DeltaReference,
    GripperEncoding,
    JointTarget,
    Pose,
)

#: How fast the setpoint closes in on the aim: share of the distance a control period. With it the error of the
#: discrete double integrator has a double pole at sqrt(2) - 1: the fastest that does not overshoot.
GAIN = 6.0 - 4.0 * math.sqrt(2.0)
#: Errors below this (rad) do not slow the other joints down (chosen).
LEAST = 1e-3

_DELTAS = (ActionKind.JOINT_DELTA, ActionKind.EE_DELTA)
_CARTESIAN = (ActionKind.EE_POSE, ActionKind.EE_DELTA)


@dataclass(frozen=True, slots=True, eq=False)
class Setpoint:
    """Where the servos were last told to be.

    ``q``, ``qd`` ``(n,)`` rad, rad/s; ``width`` m between the pads; ``aim`` ``(n,)`` where the last row wanted the arm,
    which ``q`` may still be on its way to (``None``: at ``q``).
    """

    q: Array
    qd: Array
    width: float
    aim: Array | None = None

    @property
    def goal(self) -> Array:
        """The aim, ``(n,)`` rad."""
        return self.q if self.aim is None else self.aim


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """What a row came to.

    Attributes:
        targets: one setpoint per control period.
        after: the state to decode the next row from.
        clipped: how many of the row's components were clipped.
        excess: the largest ratio of what was asked to what is allowed: 1 or less if nothing was clipped.
        because: what was clipped most, in words.
    """

    targets: tuple[JointTarget, ...]
    after: Setpoint
    clipped: int = 0
    excess: float = 1.0
    because: str = ""


def width_of(space: ActionSpace, robot: RobotSpec) -> int:
    """How many components an action has in this space on this robot."""
    n = len(robot.joints)
    arm = {ActionKind.JOINT_TRAJECTORY: 2 * n}.get(space.kind, n)
    if space.kind in _CARTESIAN:
        arm = 3 + ROTATIONS.get(space.rotation, 0)
    return arm + (space.gripper is not GripperEncoding.NONE)


def problem_of(space: ActionSpace, robot: RobotSpec) -> str:
    """Why this robot cannot be commanded in a space, in words; empty if it can."""
    if space.rotation not in ROTATIONS:
        return f"expected a rotation among {', '.join(ROTATIONS)}, got {space.rotation!r}"
    if space.frame not in (("base", "tool") if space.kind is ActionKind.EE_DELTA else ("base",)):
        return f"expected {space.kind} actions in the base frame, got {space.frame!r}"
    if (space.kind in _DELTAS) != (space.reference is not DeltaReference.NONE):
        return f"expected {'what to add to' if space.kind in _DELTAS else 'no reference'}, got {space.reference!r}"
    if space.dim != width_of(space, robot):
        return f"expected {width_of(space, robot)} components for {robot.name}, got {space.dim}"
    return ""


class Decoder:
    """Decodes rows for one robot. Holds a kinematic model of its own; one thread at a time."""

    def __init__(self, robot: RobotSpec) -> None:
        self.robot = robot
        self._limits = limits = robot.limits
        rows = np.array([limits.lower, limits.upper, limits.velocity, limits.acceleration]).T.tolist()
        self._joints = [_Joint(low, high, v, a, robot.period) for low, high, v, a in rows]
        self._arm = Arm(robot)

    def decode(
        self, row: Array, space: ActionSpace, before: Setpoint, measured: Array, periods: int = 1, source: str = ""
    ) -> Decoded:
        """Setpoints for one finite action ``(A,)`` of a space that :func:`problem_of` finds nothing wrong with.

        Args:
            before: the setpoint at which the row begins, with the aim of the row before.
            measured: ``(n,)`` rad, the joints of the observation that the row was computed from; deltas that refer to
                what is measured are added to it, all others to the aim.
            periods: control periods that the row lasts.
        """
        row = np.asarray(row, dtype=float)
        width, notes = self._width(row, space, before)
        if space.kind is ActionKind.JOINT_TRAJECTORY:
            return self._pass_through(row, before, width, periods, source, notes)
        wish = self._wish(row, space, before, measured, periods)
        aim = self._allowed(wish, before, periods, notes)
        targets, last = self._follow(before, aim, width, periods, source)
        return Decoded(targets, replace(last, aim=aim), *notes.summary())

    def encode(
        self, q: Array, width: float, space: ActionSpace, before: Setpoint, measured: Array, periods: int = 1
    ) -> Array:
        """The row ``(A,)`` that aims at joints ``q`` ``(n,)`` and an opening (m): what :meth:`decode` turns back."""
        q = np.asarray(q, dtype=float)
        base = measured if space.reference is DeltaReference.MEASURED else before.goal
        match space.kind:
            case ActionKind.JOINT_POSITION:
                arm = q
            case ActionKind.JOINT_DELTA:
                arm = q - base
            case ActionKind.JOINT_VELOCITY:
                arm = (q - before.goal) / (periods * self.robot.period)
            case ActionKind.JOINT_TRAJECTORY:
                arm = np.concatenate([q, (q - before.q) / (periods * self.robot.period)])
            case ActionKind.EE_POSE:
                arm = pose_row(self._arm.tool(q), space.rotation)
            case ActionKind.EE_DELTA:
                arm = delta_row(self._arm.tool(base), self._arm.tool(q), space)
        return np.concatenate([arm, gripper_row(width, space.gripper, self.robot.gripper.max_width)])

    def tool(self, q: Array) -> Pose:
        """The tool's pose in the base frame at joints ``q`` ``(n,)``."""
        return self._arm.tool(q)

    def _wish(self, row: Array, space: ActionSpace, before: Setpoint, measured: Array, periods: int) -> Array:
        """Where the row wants the joints to be, ``(n,)``."""
        n = len(self.robot.joints)
        base = measured if space.reference is DeltaReference.MEASURED else before.goal
        match space.kind:
            case ActionKind.JOINT_POSITION:
                return row[:n]
            case ActionKind.JOINT_DELTA:
                return base + row[:n]
            case ActionKind.JOINT_VELOCITY:
                return before.goal + row[:n] * (periods * self.robot.period)
            case ActionKind.EE_POSE:
                return self._arm.inverse(posed(row, space, self._arm.tool(before.goal)), before.goal)
            case _:
                return self._arm.inverse(moved(row, space, self._arm.tool(base)), before.goal)

    def _width(self, row: Array, space: ActionSpace, before: Setpoint) -> tuple[float, _Notes]:
        notes, largest = _Notes(), self.robot.gripper.max_width
        match space.gripper:
            case GripperEncoding.NONE:
                return before.width, notes
            case GripperEncoding.WIDTH:
                asked = float(row[-1])
            case GripperEncoding.OPEN_FRACTION:
                asked = float(row[-1]) * largest
            case GripperEncoding.CLOSE_FRACTION:
                asked = (1.0 - float(row[-1])) * largest
        width = min(max(asked, 0.0), largest)
        if abs(width - asked) > 1e-9:
            ratio = 1.0 + abs(asked - width) / largest
            notes.add(1, ratio, f"the gripper is sent to {asked:.4f} m, its range is 0 to {largest} m")
        return width, notes

    def _allowed(self, wish: Array, before: Setpoint, periods: int, notes: _Notes) -> Array:
        """The aim: ``wish`` within the joint limits, and no further from the last aim than the row's time allows."""
        limits, start = self._limits, before.goal
        fastest = limits.velocity * (periods * self.robot.period)
        step = wish - start
        ratio = np.abs(step) / fastest
        step = np.minimum(np.maximum(step, -fastest), fastest)
        if (ratio > 1.0 + 1e-9).any():
            j = int(ratio.argmax())
            text = f"{self.robot.joints[j].name} is to move by {wish[j] - start[j]:.3f} rad, {fastest[j]:.3f} at most"
            notes.add(int((ratio > 1.0 + 1e-9).sum()), float(ratio[j]), text)
        aim = start + step
        inside = np.minimum(np.maximum(aim, limits.lower), limits.upper)
        if (beyond := np.abs(aim - inside)).max() > 1e-9:
            j = int(beyond.argmax())
            text = f"{self.robot.joints[j].name} is sent to {aim[j]:.3f} rad, beyond its limit {inside[j]:.3f}"
            notes.add(int((beyond > 1e-9).sum()), 1.0 + float(beyond[j] / fastest[j]), text)
        return inside

    def _follow(
        self, before: Setpoint, aim: Array, width: float, periods: int, source: str
    ) -> tuple[tuple[JointTarget, ...], Setpoint]:
        """Setpoints that follow the aim on its way, within the limits of the joints."""
        period = self.robot.period
        speed = (aim - before.goal) / (periods * period)
        q, qd, targets = before.q, before.qd, []
        for i in range(periods):
            new = self._steered(before.goal + speed * (period * i) - q, speed, q, qd)
            q, qd = q + (0.5 * period) * (qd + new), new
            targets.append(JointTarget(q, qd, width, source))
        return tuple(targets), Setpoint(q, qd, width)

    def _steered(self, error: Array, speed: Array, q: Array, qd: Array) -> Array:
        """The velocity ``(n,)`` to have one period later, to close an error (rad) to an aim that moves at ``speed``.

        All joints speed up in the same proportion, so that they stay together on the line to the aim.
        """
        # Plain floats: of seven joints they take a tenth of the time of arrays.
        joints = list(zip(error.tolist(), speed.tolist(), q.tolist(), qd.tolist(), self._joints, strict=True))
        gain = GAIN / self.robot.period
        for e, s, _, v, joint in joints:
            distance = max(abs(e), LEAST)
            gain = min(gain, joint.stoppable(distance, v - s if e >= 0.0 else s - v) / distance)
        turns = [s + gain * e - v for e, s, _, v, _ in joints]
        share = min([1.0, *(j.change / abs(t) for t, (*_, j) in zip(turns, joints, strict=True) if abs(t) > 1e-9)])
        return np.array([j.steered(x, v, v + share * t) for t, (_, _, x, v, j) in zip(turns, joints, strict=True)])

    def _pass_through(
        self, row: Array, before: Setpoint, width: float, periods: int, source: str, notes: _Notes
    ) -> Decoded:
        n = len(self.robot.joints)
        end, time = Setpoint(row[:n], row[n : 2 * n], width), periods * self.robot.period
        targets = [_between(before, end, i / periods, time, source) for i in range(1, periods)]
        return Decoded((*targets, JointTarget(end.q, end.qd, width, source)), end, *notes.summary())


@dataclass(frozen=True, slots=True)
class _Joint:
    """How one joint may move: rad, rad/s, rad/s^2; ``period`` s."""

    lower: float
    upper: float
    velocity: float
    acceleration: float
    period: float

    @property
    def change(self) -> float:
        """By how much the velocity may change in one period, rad/s."""
        return self.acceleration * self.period

    def stoppable(self, distance: float, speed: float) -> float:
        """The speed to have one period later so as to be able to brake within a distance (rad) from now.

        Whoever moves at ``speed`` and keeps to it never needs more than the acceleration limit to stay within: the way
        of this period, of braking, and of a last period that is used in part only add up to the distance.
        """
        left = max(distance - 0.5 * self.period * speed, 0.0)
        braked = self.acceleration * (math.sqrt(self.period**2 + 2.0 * left / self.acceleration) - self.period)
        return min(self.velocity, braked)

    def steered(self, q: float, qd: float, wish: float) -> float:
        """The velocity nearest to ``wish`` that the joint may have one period later."""
        new = min(wish, self.stoppable(self.upper - q, qd))
        new = max(new, -self.stoppable(q - self.lower, -qd))
        return min(max(new, qd - self.change), qd + self.change)


class _Notes:
    """What was clipped."""

    def __init__(self) -> None:
        self._count, self._excess, self._because = 0, 1.0, ""

    def add(self, count: int, excess: float, because: str) -> None:
        self._count += count
        if excess > self._excess:
            self._excess, self._because = excess, because

    def summary(self) -> tuple[int, float, str]:
        return self._count, self._excess, self._because


def _between(start: Setpoint, end: Setpoint, s: float, time: float, source: str) -> JointTarget:
    """The cubic Hermite curve from ``start`` to ``end`` at ``s`` in [0, 1] of ``time``."""
    a, b, c, d = 2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2
    q = a * start.q + b * time * start.qd + c * end.q + d * time * end.qd
    da, db, dc, dd = 6 * s**2 - 6 * s, 3 * s**2 - 4 * s + 1, 6 * s - 6 * s**2, 3 * s**2 - 2 * s
    qd = (da * start.q + dc * end.q) / time + db * start.qd + dd * end.qd
    return JointTarget(q, qd, end.width, source)
