# SPDX-License-Identifier: Apache-2.0
"""What an arm without a force sensor feels, and small steps by which its hand gives way."""

from __future__ import annotations

import numpy as np

from robo_orch.motion.kinematics import Kinematics
from robo_orch.robots import RobotSpec
from robo_orch.types import Array, RobotState

#: Lever below which joints tell little of a force at the tool, m (chosen: 0.4 m then tell 94 % of it).
STRETCHED = 0.1
#: How long the hand takes for a small step, and rests after it, s: a moving arm's efforts tell nothing of what pushes
#: it (chosen: its servos settle in it).
STEP, REST = 0.08, 0.06


def force(kinematics: Kinematics, state: RobotState) -> Array:
    """Force at the tool that the joints' efforts amount to, ``(3,)`` N, base frame.

    Damped least squares: where the arm is stretched, what rubs in its joints would otherwise look like a pull.
    """
    jacobian = kinematics.jacobian(state.q)
    square = jacobian @ jacobian.T + STRETCHED**2 * np.eye(6)
    return np.asarray(np.linalg.solve(square, jacobian @ state.effort)[:3])


def eased(robot: RobotSpec, state: RobotState) -> tuple[Array, Array]:
    """Setpoints ``(k, n)``, rad and rad/s, from the last command to where the arm is, from rest to rest, and rest.

    An arm that presses on something is told to be where it is, and presses no more.
    """
    n, still = round(STEP / robot.period), round(REST / robot.period)
    s = np.append(np.arange(1, n + 1) / n, np.ones(still))[:, None]
    way = np.clip(state.q, robot.limits.lower, robot.limits.upper) - state.start  # pressed, it may be a little beyond
    return state.start + way * s**2 * (3 - 2 * s), way * 6 * s * (1 - s) / STEP


def nudge(kinematics: Kinematics, state: RobotState, step: Array) -> tuple[Array, Array]:
    """Setpoints ``(k, n)``, rad and rad/s, that move the tool by ``step`` ``(3,)`` m, from rest to rest, and rest."""
    robot, q = kinematics.robot, state.start
    turn = np.linalg.pinv(kinematics.jacobian(q)) @ np.append(step, np.zeros(3))
    n, still = round(STEP / robot.period), round(REST / robot.period)
    s = np.append(np.arange(1, n + 1) / n, np.ones(still))[:, None]
    qd = turn * 6 * s * (1 - s) / STEP
    return np.clip(q + turn * s**2 * (3 - 2 * s), robot.limits.lower, robot.limits.upper), qd
