# SPDX-License-Identifier: Apache-2.0
"""Checks on action chunks, and their translation into joint setpoints.

Nothing reaches a robot that has not passed here: an empty, misshapen, non-finite or jumping chunk is refused with the
reason. What is a little beyond the limits is clipped, and counted. The translation itself is the frozen low-level
path, :mod:`robo_orch.robots.actions`, which training uses too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robo_orch.robots import RobotSpec
from robo_orch.robots.actions import Decoder, Setpoint, problem_of
from robo_orch.types import ActionChunk, ActionKind, ActionSpace, Array, Code, JointTarget

#: A step may exceed the velocity limit by this factor before it is refused (chosen: rounding, not a licence).
VELOCITY_SLACK = 1.05
#: Steps smaller than this, rad, are never a jump, whatever the period (encoder noise; chosen).
SMALLEST_JUMP = 1e-3
#: Asking for more than this times what the joints can do is no imprecision of a policy but a mistake: other units,
#: another frame, a wild output (chosen).
GROSS = 3.0

_ABSOLUTE = (ActionKind.JOINT_POSITION, ActionKind.EE_POSE)


class ChunkRefused(Exception):
    """A chunk that must not be executed: ``code`` and ``reason``."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


@dataclass(frozen=True, slots=True, eq=False)
class Translation:
    """A chunk as setpoints, one per control period.

    Attributes:
        targets: in order of time.
        after: what the next chunk begins with, if all of this one is executed.
        clipped: components that were clipped, over all rows.
    """

    targets: tuple[JointTarget, ...]
    after: Setpoint
    clipped: int


def check_chunk(chunk: ActionChunk, space: ActionSpace, robot: RobotSpec) -> None:
    """Refuse a chunk that is empty, not finite, misshapen or in another space than the card declares.

    Raises:
        ChunkRefused: with what was expected and what came.
    """
    values = np.asarray(chunk.values)
    if values.size == 0:
        raise ChunkRefused(Code.EMPTY_CHUNK, "expected at least one action, got an empty chunk")
    if chunk.space != space:
        raise ChunkRefused(Code.CONTRACT, f"expected actions in {space}, got {chunk.space}")
    if values.ndim != 2 or values.shape[1] != space.dim:
        raise ChunkRefused(Code.WRONG_ACTION_SHAPE, f"expected (T, {space.dim}), got {values.shape}")
    if not np.isfinite(values).all():
        step, column = np.argwhere(~np.isfinite(values))[0]
        raise ChunkRefused(Code.NON_FINITE_ACTION, f"action {step}, component {column} is {values[step, column]}")
    periods = chunk.period / robot.period
    if not (np.isfinite(periods) and periods > 0.5 and np.isclose(periods, round(periods))):
        whole = f"a whole multiple of the control period of {robot.period} s"
        raise ChunkRefused(Code.CONTRACT, f"expected {whole} between actions, got {chunk.period} s")


def translate(chunk: ActionChunk, before: Setpoint, measured: Array, decoder: Decoder, source: str) -> Translation:
    """Setpoints, one per control period, for a chunk that passed :func:`check_chunk`.

    The whole chunk is checked before any of it is given out. A ``joint_trajectory`` must keep the limits; other actions
    are clipped to them, unless they ask for more than :data:`GROSS` times what is possible, or the first of an absolute
    kind jumps away from where the arm was last told to be.

    Args:
        before: the last setpoint.
        measured: ``(n,)`` rad, of the observation that the chunk was computed from; every delta that refers to what is
            measured is added to it, deltas that refer to the command add up.

    Raises:
        ChunkRefused: naming the joint, its value and its limit; or the space, where this robot cannot be
            commanded in it.
    """
    robot, space = decoder.robot, chunk.space
    if problem := problem_of(space, robot):
        raise ChunkRefused(Code.CONTRACT, problem)
    periods, start = round(chunk.period / robot.period), before.q
    timed = space.kind is ActionKind.JOINT_TRAJECTORY
    targets: list[JointTarget] = []
    clipped = 0
    for i, row in enumerate(np.asarray(chunk.values, dtype=float)):
        decoded = decoder.decode(row, space, before, measured, periods, source)
        bound = 1.0 if timed else VELOCITY_SLACK if i == 0 and space.kind in _ABSOLUTE else GROSS
        if decoded.excess > bound:
            raise ChunkRefused(Code.LIMIT_EXCEEDED, f"{decoded.because} (step {i})")
        targets += decoded.targets
        clipped, before = clipped + decoded.clipped, decoded.after
    if timed:
        _check_motion(np.array([start, *(t.q for t in targets)]), np.array([t.qd for t in targets]), robot)
    return Translation(tuple(targets), before, clipped)


def _check_motion(q: Array, qd: Array, robot: RobotSpec) -> None:
    """Refuse setpoints ``(T + 1, n)``, ``(T, n)``, the first of them the last command, that break the limits."""
    limits, steps = robot.limits, np.diff(q, axis=0)
    allowed = np.maximum(limits.velocity * robot.period * VELOCITY_SLACK, SMALLEST_JUMP)
    _refuse(np.abs(steps) > allowed, robot, "jumps by {:.3f} rad in step {}", steps, allowed)
    _refuse(q[1:] < limits.lower, robot, "is sent to {:.3f} rad in step {}", q[1:], limits.lower)
    _refuse(q[1:] > limits.upper, robot, "is sent to {:.3f} rad in step {}", q[1:], limits.upper)
    fastest = limits.velocity * VELOCITY_SLACK
    _refuse(np.abs(qd) > fastest, robot, "is told to move at {:.3f} rad/s in step {}", qd, fastest)


def _refuse(bad: NDArray[np.bool_], robot: RobotSpec, what: str, values: Array, limits: Array) -> None:
    """Refuse where ``bad`` ``(T, n)`` is set, naming the first such step and joint."""
    if bad.any():
        step, joint = np.argwhere(bad)[0]
        told = what.format(values[step, joint], step)
        raise ChunkRefused(Code.LIMIT_EXCEEDED, f"{robot.joints[joint].name} {told}, the limit is {limits[joint]:.3f}")
