# SPDX-License-Identifier: Apache-2.0
"""Checks on action chunks, and their translation into joint setpoints.

Nothing reaches a robot that has not passed here: an empty, misshapen, non-finite or jumping chunk is
refused with the reason, never repaired in silence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robo_orch.robots import RobotSpec
from robo_orch.types import ActionChunk, ActionKind, ActionSpace, Array, Code, GripperEncoding, JointTarget

#: A step may exceed the velocity limit by this factor before it is refused (chosen: rounding, not a licence).
VELOCITY_SLACK = 1.05
#: Steps smaller than this, rad, are never a jump, whatever the period (encoder noise; chosen).
SMALLEST_JUMP = 1e-3


class ChunkRefused(Exception):
    """A chunk that must not be executed: ``code`` and ``reason``."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


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
    if not np.isclose(chunk.period, robot.period):
        raise ChunkRefused(Code.CONTRACT, f"expected a period of {robot.period} s, got {chunk.period} s")


def to_targets(chunk: ActionChunk, start: Array, robot: RobotSpec, source: str) -> list[JointTarget]:
    """Setpoints, one per control period, for a chunk that passed :func:`check_chunk`.

    The whole chunk is checked before any of it is given out: within the joint limits, and no step, the first
    one from ``start`` included, further than one period allows.

    Args:
        start: ``(n,)`` rad, the last command.

    Raises:
        ChunkRefused: naming the joint, its value and its limit; or the space, where this robot cannot be
            commanded in it.
    """
    n = len(robot.joints)
    if chunk.space.kind is not ActionKind.JOINT_TRAJECTORY or chunk.space.gripper is not GripperEncoding.WIDTH:
        raise ChunkRefused(Code.CONTRACT, f"expected joint_trajectory actions with gripper width, got {chunk.space}")
    if chunk.space.dim != 2 * n + 1:
        reason = f"expected {2 * n + 1} components for {robot.name}, got {chunk.space.dim}"
        raise ChunkRefused(Code.WRONG_ACTION_SHAPE, reason)
    q, qd, width = np.hsplit(np.asarray(chunk.values, dtype=float), [n, 2 * n])
    _check_limits(np.vstack([start, q]), qd, width[:, 0], robot)
    return [JointTarget(*row, source) for row in zip(q, qd, width[:, 0].tolist(), strict=True)]


def _check_limits(q: Array, qd: Array, width: Array, robot: RobotSpec) -> None:
    limits, steps = robot.limits, np.diff(q, axis=0)
    allowed = np.maximum(limits.velocity * robot.period * VELOCITY_SLACK, SMALLEST_JUMP)
    _refuse(np.abs(steps) > allowed, robot, "jumps by {:.3f} rad in step {}", steps, allowed)
    _refuse(q[1:] < limits.lower, robot, "is sent to {:.3f} rad in step {}", q[1:], limits.lower)
    _refuse(q[1:] > limits.upper, robot, "is sent to {:.3f} rad in step {}", q[1:], limits.upper)
    fastest = limits.velocity * VELOCITY_SLACK
    _refuse(np.abs(qd) > fastest, robot, "is told to move at {:.3f} rad/s in step {}", qd, fastest)
    outside = (width < 0.0) | (width > robot.gripper.max_width)
    if outside.any():
        reason = f"the gripper is sent to {width[outside][0]:.4f} m, its range is 0 to {robot.gripper.max_width} m"
        raise ChunkRefused(Code.LIMIT_EXCEEDED, reason)


def _refuse(bad: NDArray[np.bool_], robot: RobotSpec, what: str, values: Array, limits: Array) -> None:
    """Refuse where ``bad`` ``(T, n)`` is set, naming the first such step and joint."""
    if bad.any():
        step, joint = np.argwhere(bad)[0]
        told = what.format(values[step, joint], step)
        raise ChunkRefused(Code.LIMIT_EXCEEDED, f"{robot.joints[joint].name} {told}, the limit is {limits[joint]:.3f}")
