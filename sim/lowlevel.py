# SPDX-License-Identifier: Apache-2.0
"""The low-level path: how a setpoint at control rate becomes servo commands in every physics step.

Everything that moves the simulated arm goes through :func:`servo_commands`: executor, training and probes alike. It
is frozen together with a scene; :func:`low_level_hash` is part of the scene's hash.
"""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Array, JointTarget


@dataclass(frozen=True, slots=True, eq=False)
class Setpoint:
    """Where the servos were last told to be: ``q``, ``qd`` ``(n,)`` rad, rad/s, and ``width`` m between the pads."""

    q: Array
    qd: Array
    width: float


def servo_commands(start: Setpoint, target: JointTarget, robot: RobotSpec, steps: int) -> tuple[Array, Setpoint]:
    """Servo commands for one control period, and the setpoint at its end.

    The arm follows the cubic Hermite curve from ``start`` to ``target`` (positions and velocities match at both
    ends), sampled at the beginning of each physics step. A position servo ``kp (u - q) - kv qd`` follows a moving
    setpoint without lag when ``u = q_d + (kv / kp) qd_d``. The target is clipped to the joint limits (position,
    velocity) and the opening to its range; the opening moves at most at the gripper's speed.

    Args:
        start: the setpoint at the end of the period before.
        target: the setpoint to reach within ``robot.period``.
        steps: physics steps in the period.

    Returns:
        ``(steps, n + fingers)`` commands in the order of arm joints, then finger joints (each half the opening).
    """
    limits, gripper = robot.limits, robot.gripper
    q = np.clip(target.q, limits.lower, limits.upper)
    qd = np.clip(target.qd, -limits.velocity, limits.velocity)
    basis, slope = _hermite(steps)
    ends = np.array([start.q, robot.period * start.qd, q, robot.period * qd])  # (4, n)
    arm = basis @ ends + _lead(robot) * (slope @ ends) / robot.period
    reach = gripper.speed * robot.period
    width = float(np.clip(np.clip(target.gripper, 0.0, gripper.max_width), start.width - reach, start.width + reach))
    widths = start.width + (width - start.width) * (np.arange(steps) + 1.0) / steps
    fingers = np.repeat(widths[:, None] / 2.0, len(gripper.joints), axis=1)
    return np.hstack([arm, fingers]), Setpoint(q, qd, width)


@cache
def low_level_hash() -> str:
    """Digest of this module's code (comments and docstrings do not count)."""
    tree = ast.parse(Path(__file__).read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


@cache
def _hermite(steps: int) -> tuple[Array, Array]:
    """Cubic Hermite basis and its derivative over the period, each ``(steps, 4)``."""
    s = np.arange(steps) / steps
    basis = np.stack([2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2], axis=1)
    slope = np.stack([6 * s**2 - 6 * s, 3 * s**2 - 4 * s + 1, 6 * s - 6 * s**2, 3 * s**2 - 2 * s], axis=1)
    return basis, slope


@cache
def _lead(robot: RobotSpec) -> Array:
    return np.array([joint.kv / joint.kp for joint in robot.joints])
