# SPDX-License-Identifier: Apache-2.0
"""The arm as TAMP's scripts see it: what was seen last, and motions that become chunks.

A script is a generator that yields chunks; before it is resumed, :attr:`Arm.seen` is what was seen after the chunk.
Whatever cannot go on raises :class:`MotionFailure`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.planner import MotionPlanner
from robo_orch.motion.timing import Trajectory, stop_profile
from robo_orch.objects import Grasp
from robo_orch.policies.loaders import PolicyContext
from robo_orch.predicates import Facts
from robo_orch.types import ActionChunk, Array, Code, Observation, Pose, PoseEstimate

#: Share of the speed at which things are touched: set down, pulled, pushed (chosen: a millimetre off is felt gently).
GENTLE = 0.4
#: Room between an object and each finger on the way to a grasp, m (chosen).
CLEARANCE = 0.012
#: Pieces in which the arm waits or moves while it keeps an eye on something, s: a frame of a 10 Hz estimator.
PIECE = 0.1
#: How long a new look or the fingers are waited for at most, s (chosen: six frames; the fingers' whole range).
PATIENCE = 1.0
#: The fingers have arrived when the opening is this close to what they were told, m (chosen).
ARRIVED = 0.002
#: Opening within one piece by less than which the fingers count as still, m (chosen).
STILL = 0.0005

T = TypeVar("T")
Script = Generator[ActionChunk, None, T]


class Arm:
    """One arm, its planner, and what it saw last.

    Attributes:
        robot, inventory: the body and what may be there.
        planner: plans motions; everything random follows from the seed of :meth:`begin`.
        rng: draws grasps and places.
        seen: the latest observation.
    """

    seen: Observation

    def __init__(self, context: PolicyContext) -> None:
        self.robot, self.inventory = context.robot, context.inventory
        self.planner = MotionPlanner(context.robot, context.inventory, speed=context.speed)
        self.rng = np.random.default_rng()
        self._space = context.card.action.space
        self._width = 0.0

    def begin(self, seen: Observation, seed: int) -> None:
        """Start on something new; all sampling and planning follows from ``seed``."""
        self.seen, self.rng = seen, np.random.default_rng(seed)
        self.planner.reset(seed)
        self._width = min(seen.state.gripper, self.robot.gripper.max_width)

    @property
    def facts(self) -> Facts:
        """What predicates are evaluated on."""
        return Facts.of(self.inventory, self.seen.objects, self.seen.state)

    @property
    def gentle(self) -> float:
        """Share of the velocity limits for motions that touch something."""
        return GENTLE * self.planner.speed

    def estimate(self, name: str) -> PoseEstimate:
        """Where something is, known well enough to grasp it or to put something on it.

        Raises:
            MotionFailure: ``NOT_PERCEIVED`` or ``IMPRECISE_POSE``.
        """
        estimate = self.seen.objects.get(name)
        if estimate is None:
            raise MotionFailure(Code.NOT_PERCEIVED, f"{name} has not been perceived")
        tolerance = self.inventory[name].tolerance
        if estimate.sigma > tolerance:
            reason = f"{name} is known to {1000 * estimate.sigma:.0f} mm, {1000 * tolerance:.0f} mm are needed"
            raise MotionFailure(Code.IMPRECISE_POSE, reason)
        return estimate

    def pose(self, name: str) -> Pose:
        """The pose of :meth:`estimate`."""
        return self.estimate(name).pose

    def opening_for(self, grasp: Grasp) -> float:
        """How far the gripper opens around a grasp, m."""
        return min(grasp.width + 2 * CLEARANCE, self.robot.gripper.max_width)

    def opened(self, gripper: float) -> Observation:
        """What is seen, but with the gripper so far open, m."""
        return replace(self.seen, state=replace(self.seen.state, gripper=gripper))

    @contextmanager
    def ignoring(self, names: Collection[str]) -> Iterator[None]:
        """Within the block some objects are as if they were not there."""
        before = self.seen
        self.seen = replace(before, objects={n: e for n, e in before.objects.items() if n not in names})
        try:
            yield
        finally:
            self.seen = before

    def imagine(self, q: Array, gripper: float, holding: str | None = None, in_tool: Pose | None = None) -> Observation:
        """What would be seen if the arm stood at ``q`` with the gripper so far open, an object held at ``in_tool``."""
        tool, seen = self.planner.kinematics.forward(q), self.seen
        state = replace(seen.state, q=q, commanded=q, tool=tool, gripper=gripper, holding=holding)
        objects = dict(seen.objects)
        if holding is not None and in_tool is not None:
            objects[holding] = replace(objects[holding], pose=tool @ in_tool)
        return replace(seen, state=state, objects=objects)

    def move(self, motion: Trajectory, label: str, gripper: float | None = None) -> Script[None]:
        """Carry a motion out, the fingers on their way to ``gripper`` (m) meanwhile."""
        self._width = self._width if gripper is None else gripper
        yield self._chunk(motion.q[1:], motion.qd[1:], label)

    def follow(self, motion: Trajectory, label: str, alarm: Callable[[float], str]) -> Script[str]:
        """Carry a motion out piece by piece; brake where ``alarm(share of it done)`` says that something is wrong.

        Returns:
            What the alarm said; empty if the motion was completed.
        """
        step = max(1, round(PIECE / motion.period))
        for i in range(1, len(motion.q), step):
            yield self._chunk(motion.q[i : i + step], motion.qd[i : i + step], label)
            done = min(i + step, len(motion.q)) - 1
            if wrong := alarm(done / (len(motion.q) - 1)):
                brake = stop_profile(motion.q[done], motion.qd[done], self.robot.limits, motion.period)
                yield self._chunk(brake.q[1:], brake.qd[1:], "stopping")
                return wrong
        return ""

    def grip(self, width: float, label: str) -> Script[None]:
        """Open or close the fingers until they are there, or stand still on something."""
        self._width = min(max(0.0, width), self.robot.gripper.max_width)
        before = self.seen.state.gripper
        for i in range(round(PATIENCE / PIECE)):
            yield from self._wait(label)
            now = self.seen.state.gripper
            there = abs(now - self._width) <= ARRIVED
            if i > 1 and (there or (self.seen.state.grasping and abs(now - before) < STILL)):
                return
            before = now

    def look(self, *names: str) -> Script[None]:
        """Rest until everything named has been seen since the arm came to rest, or has not for too long."""
        since = self.seen.stamp
        label = f"looking at the {' and the '.join(map(said, names))}"
        for _ in range(round(PATIENCE / PIECE)):
            yield from self._wait(label)
            stamps = [self.seen.objects[name].stamp for name in names if name in self.seen.objects]
            if len(stamps) == len(names) and min(stamps, default=since) >= since:
                return

    def _wait(self, label: str) -> Script[None]:
        q = np.tile(self.seen.state.start, (round(PIECE / self.robot.period), 1))
        yield self._chunk(q, np.zeros_like(q), label)

    def _chunk(self, q: Array, qd: Array, label: str) -> ActionChunk:
        values = np.hstack([q, qd, np.full((len(q), 1), self._width)])
        return ActionChunk(values, self.seen.stamp, self.robot.period, self._space, label)


def said(name: str) -> str:
    """A name as it is said."""
    return name.replace("_", " ")
