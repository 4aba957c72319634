# SPDX-License-Identifier: Apache-2.0
"""The hand as the pushing script sees it: what was seen last, and motions that become chunks.

A script is a generator that yields chunks; before it is resumed, :attr:`Hand.seen` is what was seen after the chunk.
What cannot go on raises :class:`MotionFailure`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.motion.known import known
from robo_orch.motion.planner import MotionPlanner
from robo_orch.motion.scene import GRIPPER, Pairs
from robo_orch.motion.timing import Trajectory
from robo_orch.objects import Trait
from robo_orch.policies.loaders import PolicyContext
from robo_orch.policies.mpc.plane import heading
from robo_orch.types import ActionChunk, Array, Observation, Pose, PoseEstimate

#: Planning effort of one attempt, and of one way through free space (chosen: the whole is about 2 s of one core).
EFFORT, WAY_EFFORT = 40_000, 4_000
#: Speed of the tool when it pushes, and when it comes down beside something, m/s (chosen: what is pushed so slowly
#: stops with the hand).
PUSHING, LOWERING = 0.10, 0.25
#: Frames that a look takes, and how long they are waited for at most, s (chosen: more would tell little, most of the
#: error is the same in all).
FRAMES, PATIENCE = 3, 1.0
#: Pieces in which the hand waits, s: a frame of a 10 Hz estimator.
PIECE = 0.1
#: Tilt (rad) up to which a thing on the table is taken to stand upright, beside three sigma (chosen).
LEANING = 0.05
#: What a box that is pressed on and taken along holds back, share of the press (its friction on wood); postures before
#: and after one that tell where it goes, and a way between them that tells nothing, m (chosen).
RUBS, AROUND, STRAY = 0.7, 3, 0.004
#: How exactly postures of a push are reckoned, m, rad (chosen: a hand tilted by 3 mrad presses with one pad alone).
EXACT = (2e-5, 1e-4)
#: How much of a sigma keeps the arm off things, and where there is no way else, m (chosen: the search has weighed the
#: risk of vague poses already).
WARY, BOLD = 0.008, 0.0

T = TypeVar("T")
Script = Generator[ActionChunk, None, T]


class Hand:
    """One arm, its planner, and what it saw last.

    Attributes:
        robot, inventory: the body and what may be there.
        planner: plans motions; everything random follows from the seed of :meth:`begin`.
        rng: draws pushes.
        seen: the latest observation.
    """

    def __init__(self, context: PolicyContext) -> None:
        self.robot, self.inventory = context.robot, context.inventory
        self.planner = MotionPlanner(context.robot, context.inventory, speed=context.speed)
        self.rng = np.random.default_rng()
        self._space, self._width = context.card.action.space, 0.0

    def begin(self, seen: Observation, seed: int) -> None:
        """Start on something new; all sampling and planning follows from ``seed``."""
        self.observe(seen)
        self.rng = np.random.default_rng(seed)
        self.planner.reset(seed, EFFORT)
        self.planner.scene.most = WARY
        self._width = min(seen.state.gripper, self.robot.gripper.max_width)

    def observe(self, seen: Observation) -> None:
        """Take note of what is seen now; what seems to lean by no more than its pose's error stands upright."""
        loose = [n for n, s in self.inventory.items() if Trait.FREE in s.traits and n != seen.state.holding]
        stood = {name: upright(seen.objects[name]) for name in loose if name in seen.objects}
        self.seen = replace(seen, objects={**seen.objects, **stood})

    def estimate(self, name: str) -> PoseEstimate:
        """Where something is.

        Raises:
            MotionFailure: ``NOT_PERCEIVED`` or ``IMPRECISE_POSE``.
        """
        return known(name, self.seen, self.inventory)

    def look(self, name: str) -> Script[PoseEstimate]:
        """Rest until something has been seen some times since the hand came to rest; the mean of what was seen.

        Raises:
            MotionFailure: as :meth:`estimate` does.
        """
        since, frames = self.seen.stamp, dict[float, PoseEstimate]()
        for _ in range(round(PATIENCE / PIECE)):
            q = np.tile(self.seen.state.start, (round(PIECE / self.robot.period), 1))
            yield self._chunk(q, np.zeros_like(q), f"looking at the {said(name)}")
            estimate = self.estimate(name)
            if estimate.stamp >= since and estimate.visible:
                frames[estimate.stamp] = estimate
            if len(frames) == FRAMES:
                break
        return _mean(list(frames.values()) or [self.estimate(name)])

    def without(self, name: str) -> Observation:
        """What is seen, as if something were not there."""
        return replace(self.seen, objects={n: e for n, e in self.seen.objects.items() if n != name})

    def approach(self, tool: Pose, above: Pose, width: float, name: str) -> tuple[Array, Trajectory]:
        """Joint angles ``(n,)`` at a tool pose beside an object, and the motion to above it, straight down from there.

        Raises:
            MotionFailure: what is in the way.
        """
        seen = replace(self.seen, state=replace(self.seen.state, gripper=width))
        allow = touching(name)
        _, postures = self.planner.stance(seen, tool, [[above]], allow=allow, postures=2)
        with self.planner.effort.within(WAY_EFFORT):
            return postures[0], self.planner.to_configuration(seen, postures[-1])

    def pressing(self, postures: Array, press: float) -> Array:
        """Joint angles ``(k, n)`` to be told so that the tool presses down where ``postures`` ``(k, n)`` have it.

        The tool feels ``press`` (N) from below, and what rubs on its way against it; joints give way to both, so that a
        hand which was not told of them would lag and tilt.
        """
        if press == 0.0:
            return postures
        kinematics = self.planner.kinematics
        at = np.array([kinematics.forward(q).position[:2] for q in postures])
        ahead = (
            at[np.minimum(np.arange(len(at)) + AROUND, len(at) - 1)] - at[np.maximum(np.arange(len(at)) - AROUND, 0)]
        )
        ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 0.5 * STRAY)
        force = press * np.column_stack([-RUBS * ahead, np.ones(len(at))])
        stiff = np.array([joint.kp for joint in self.robot.joints])
        torque = [kinematics.jacobian(q)[:3].T @ f for q, f in zip(postures, force, strict=True)]
        return np.asarray(postures - np.array(torque) / stiff)

    def along(
        self,
        tools: Sequence[Pose],
        name: str,
        width: float,
        q: Array | None = None,
        speed: float = PUSHING,
        press: float = 0.0,
    ) -> Trajectory:
        """The motion of the tool through closely spaced poses without a stop, from ``q`` ``(n,)`` or where it is.

        ``press`` (N): how hard it presses down there.

        Raises:
            MotionFailure: ``UNREACHABLE`` or ``NO_PATH``: where and why it breaks off.
        """
        planner, start = self.planner, self.seen.state.start if q is None else q
        seen = self.without(name)
        state = replace(seen.state, q=start, commanded=start, gripper=width)
        seen = replace(seen, state=state)
        waypoints = [start]
        for pose in tools:
            waypoints.extend(planner.kinematics.straight(waypoints[-1], pose, tolerance=EXACT)[1:])
        states = self.pressing(np.array(waypoints[1:]), press)
        share = 0.1 * planner.speed
        motion = planner.retrace(seen, states, speed=share)
        return planner.retrace(seen, states, speed=self._share(motion, share, speed))

    def straight(self, *way: Pose, name: str, speed: float = LOWERING) -> Trajectory:
        """The motion of the tool on straight lines, beside an object that it may come near.

        Raises:
            MotionFailure: what is in the way.
        """
        share = 0.3 * self.planner.speed
        motion = self.planner.straight_to(self.seen, *way, speed=share, allow=touching(name))
        share = min(share, self._share(motion, share, speed))
        return self.planner.straight_to(self.seen, *way, speed=share, allow=touching(name))

    def move(self, motion: Trajectory, label: str, width: float | None = None) -> Script[None]:
        """Carry a motion out, the fingers on their way to ``width`` (m) meanwhile."""
        self._width = self._width if width is None else width
        yield self._chunk(motion.q[1:], motion.qd[1:], label)

    def _share(self, motion: Trajectory, share: float, speed: float) -> float:
        """The share of the joints' speed at which the tool's is ``speed`` (m/s) at most; ``share`` gave ``motion``."""
        way = np.array([self.planner.kinematics.forward(q).position for q in motion.q])
        fastest = np.linalg.norm(np.diff(way, axis=0), axis=1).max() / motion.period
        return float(np.clip(share * self.planner.speed * speed / max(fastest, 1e-6), 0.005, self.planner.speed))

    def _chunk(self, q: Array, qd: Array, label: str) -> ActionChunk:
        values = np.hstack([q, qd, np.full((len(q), 1), self._width)])
        return ActionChunk(values, self.seen.stamp, self.robot.period, self._space, label)


def touching(name: str) -> Pairs:
    """The hand and an object beside it."""
    return [(GRIPPER, name)]


def said(name: str) -> str:
    """A name as it is said."""
    return name.replace("_", " ")


def upright(estimate: PoseEstimate) -> PoseEstimate:
    """The same, standing upright if it leans no more than its error explains."""
    tilt = float(np.arccos(np.clip(estimate.pose.matrix[2, 2], -1.0, 1.0)))
    if tilt > LEANING + 3.0 * estimate.sigma_angle:
        return estimate
    yaw = heading(estimate.pose)
    return replace(estimate, pose=Pose.of(estimate.pose.position, (0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2))))


def _mean(frames: Sequence[PoseEstimate]) -> PoseEstimate:
    """The latest estimate at the mean pose; its covariance stays: most of the error is the same in every frame."""
    position = np.mean([e.pose.position for e in frames], axis=0)
    rotation = Rotation.from_quat([e.pose.quaternion for e in frames]).mean()
    return replace(frames[-1], pose=Pose.from_rotation(position, rotation))
