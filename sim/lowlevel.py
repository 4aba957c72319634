# SPDX-License-Identifier: Apache-2.0
"""The low-level path: how a setpoint at control rate becomes servo commands in every physics step.

Everything that moves the simulated arm goes through :func:`servo_commands`: executor, training and probes alike. With
:mod:`robo_orch.robots.actions`, which makes setpoints of actions, and :mod:`robo_orch.robots.mjcf`, which sets the time
step and contacts, it is frozen together with a scene; :func:`low_level_hash` is part of the scene's hash.
"""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np

from robo_orch.robots import actions, arm, rows
from robo_orch.robots.actions import Setpoint
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Array, JointTarget

__all__ = ["Setpoint", "low_level_hash", "servo_commands"]


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
    q = np.minimum(np.maximum(target.q, limits.lower), limits.upper)
    qd = np.minimum(np.maximum(target.qd, -limits.velocity), limits.velocity)
    ends = np.array([start.q, robot.period * start.qd, q, robot.period * qd])  # (4, n)
    basis_and_slope, share = _hermite(steps)
    on_curve = basis_and_slope @ ends
    commands = np.empty((steps, len(q) + len(gripper.joints)))
    commands[:, : len(q)] = on_curve[:steps] + _lead(robot) * on_curve[steps:]
    reach = gripper.speed * robot.period
    wish = min(max(target.gripper, 0.0), gripper.max_width)
    width = float(min(max(wish, start.width - reach), start.width + reach))
    commands[:, len(q) :] = (0.5 * (start.width + (width - start.width) * share))[:, None]
    return commands, Setpoint(q, qd, width)


@cache
def low_level_hash() -> str:
    """Digest of the code of the low-level path and of the physics below it (comments and docstrings do not count)."""
    physics = _source(actions).with_name("mjcf.py")  # read, not imported: that would bring MuJoCo along
    sources = [Path(__file__), *(_source(module) for module in (actions, arm, rows)), physics]
    return hashlib.sha256("\n".join(_code(path) for path in sources).encode()).hexdigest()


def _source(module: ModuleType) -> Path:
    return Path(str(module.__file__))


def _code(path: Path) -> str:
    """The text of a file without docstrings, comments and blank lines: the same for every version of Python."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            lines[line - 1] = lines[line - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            first, last = node.body[0].lineno, node.body[0].end_lineno or 0
            lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip())


@cache
def _hermite(steps: int) -> tuple[Array, Array]:
    """Cubic Hermite basis over the period, then its derivative, ``(2 steps, 4)``; share of it gone after each step."""
    s = np.arange(steps) / steps
    basis = np.stack([2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2], axis=1)
    slope = np.stack([6 * s**2 - 6 * s, 3 * s**2 - 4 * s + 1, 6 * s - 6 * s**2, 3 * s**2 - 2 * s], axis=1)
    return np.concatenate([basis, slope]), (np.arange(steps) + 1.0) / steps


@cache
def _lead(robot: RobotSpec) -> Array:
    """``kv / kp`` per control period, ``(n,)``."""
    return np.array([joint.kv / joint.kp for joint in robot.joints]) / robot.period
