# SPDX-License-Identifier: Apache-2.0
"""Kinematics of an arm alone, fast enough for every action: where the tool is, and joints that bring it elsewhere.

Part of the low-level path that is frozen with a scene; planning has its own (:mod:`robo_orch.motion.kinematics`).
"""

from __future__ import annotations

import mujoco
import numpy as np
from scipy.linalg.lapack import dposv

from robo_orch.robots.mjcf import TOOL_SITE, robot_spec_mjcf
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Array, Pose

#: Inverse kinematics: iterations at most, the error (m, rad) at which to stop, and the least damping (chosen).
ITERATIONS, TOLERANCE, DAMPING = 8, 1e-5, 1e-5
#: Share of the way to the resting posture that the free joint goes each time, so that it does not drift (chosen).
POSTURE = 0.02

_XYZW = np.array([1, 2, 3, 0])


class Arm:
    """Forward and inverse kinematics of one robot's arm. One thread at a time."""

    def __init__(self, robot: RobotSpec) -> None:
        self._model = robot_spec_mjcf(robot).compile()
        self._data = mujoco.MjData(self._model)
        self._site = self._model.site(TOOL_SITE).id
        self._qpos = np.array([self._model.joint(n).qposadr.item() for n in robot.names])
        self._dofs = np.array([self._model.joint(n).dofadr.item() for n in robot.names])
        self._lower, self._upper, self._home = robot.limits.lower, robot.limits.upper, robot.home
        self._full = np.zeros((6, self._model.nv))
        # The model's arrays, looked up once: attribute access costs as much as the arithmetic.
        self._joints = self._data.qpos
        self._at, self._turn = self._data.site_xpos[self._site], self._data.site_xmat[self._site]

    def tool(self, q: Array) -> Pose:
        """The tool's pose in the base frame at joints ``q`` ``(n,)``."""
        self._move(q)
        wxyz = np.empty(4)
        mujoco.mju_mat2Quat(wxyz, self._turn)
        return Pose(self._at.copy(), wxyz[_XYZW])

    def inverse(self, pose: Pose, start: Array) -> Array:
        """Joints ``(n,)`` near ``start`` that bring the tool to ``pose``, or as near to it as the limits allow.

        Levenberg-Marquardt with damping in proportion to the squared error (Sugihara, "Solvability-unconcerned inverse
        kinematics by the Levenberg-Marquardt method", IEEE T-RO 2011); the arm's free motion goes a little towards its
        resting posture first.
        """
        wxyz = pose.wxyz
        q = self._rested(start)
        for _ in range(ITERATIONS):
            self._move(q)
            error = self._error(pose.position, wxyz)
            size = float(error @ error)
            if size < TOLERANCE**2:
                break
            jacobian = self._jacobian()
            step = jacobian.T @ _solve(jacobian @ jacobian.T, 0.5 * size + DAMPING, error)
            q = np.minimum(np.maximum(q + step, self._lower), self._upper)
        return q

    def _move(self, q: Array) -> None:
        self._joints[self._qpos] = q
        mujoco.mj_kinematics(self._model, self._data)

    def _rested(self, q: Array) -> Array:
        """``q`` moved along the arm's free motion a little towards the resting posture."""
        self._move(q)
        jacobian = self._jacobian()
        pull = POSTURE * (self._home - q)
        return q + pull - jacobian.T @ _solve(jacobian @ jacobian.T, DAMPING, jacobian @ pull)

    def _jacobian(self) -> Array:
        """Of the tool point where the arm was moved last, ``(6, n)``."""
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_jacSite(self._model, self._data, self._full[:3], self._full[3:], self._site)
        return self._full.take(self._dofs, axis=1)

    def _error(self, position: Array, wxyz: Array) -> Array:
        """Translation and rotation vector ``(6,)`` (m, rad, base axes) from the tool to a pose."""
        now, difference, error = np.empty(4), np.empty(4), np.empty(6)
        mujoco.mju_mat2Quat(now, self._turn)
        now[1:] *= -1.0
        mujoco.mju_mulQuat(difference, wxyz, now)
        mujoco.mju_quat2Vel(error[3:], difference, 1.0)
        error[:3] = position - self._at
        return error


def _solve(square: Array, damping: float, right: Array) -> Array:
    """``x`` in ``(square + damping I) x = right`` for a positive semidefinite matrix ``(6, 6)``."""
    square.flat[:: len(square) + 1] += damping
    _, x, _ = dposv(square, right)
    return x
