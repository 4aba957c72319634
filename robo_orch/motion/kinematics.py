# SPDX-License-Identifier: Apache-2.0
"""Where the tool is, and which joint angles bring it somewhere (damped Newton steps on the robot's MuJoCo model)."""

from __future__ import annotations

import math
from collections.abc import Callable

import mujoco
import numpy as np
from scipy.linalg.lapack import dposv
from scipy.spatial.transform import Rotation

from robo_orch.motion.failure import MotionFailure
from robo_orch.robots.mjcf import TOOL_SITE, robot_spec_mjcf
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Array, Code, Pose

#: When a pose counts as reached: m, rad (chosen; well below what a grasp tolerates).
TOLERANCE = (1e-3, 5e-3)
#: Newton steps of one descent (chosen: converging ones need 4 to 15).
STEPS = 30
#: Step of a straight tool line: m, rad (chosen: the curve laid through strays less than 0.2 mm).
STRAIGHT_STEP = (0.02, 0.1)
#: Largest joint change within one step of a straight line before it counts as a jump, rad (chosen).
JUMP = 0.45
#: Progress, as a share of the error, below which a descent is given up, and after how many steps (chosen).
STALLED, STALLS = 0.02, 4
#: What a radian counts beside a metre (chosen: the tool is three tenths of a metre from the wrist's middle).
RADIAN = 0.3
#: Largest joint change of one Newton step, rad: far from the target the linearisation reaches no farther (chosen).
REACH = 0.6
#: Damping, least and per squared error: near singularities steps stay small (chosen).
DAMPING = (1e-6, 1e-3)


class Kinematics:
    """Forward and inverse kinematics of one robot's tool point, in the base frame.

    Not for use from several threads at once.

    Attributes:
        steps: Newton steps made so far.
    """

    def __init__(self, robot: RobotSpec) -> None:
        spec = robot_spec_mjcf(robot)
        self.robot, self.steps = robot, 0
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        self._site = self._model.site(TOOL_SITE).id
        joints = [self._model.joint(name) for name in robot.names]
        self._qpos = np.array([int(joint.qposadr[0]) for joint in joints])
        self._dofs = np.array([int(joint.dofadr[0]) for joint in joints])
        self._jacobian = np.zeros((6, self._model.nv))
        self._weights = np.array([1.0] * 3 + [RADIAN] * 3)[:, None]

    def forward(self, q: Array) -> Pose:
        """Pose of the tool at ``q`` ``(n,)`` rad."""
        self._data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self._model, self._data)
        wxyz = np.empty(4)
        mujoco.mju_mat2Quat(wxyz, self._data.site_xmat[self._site])
        return Pose.from_wxyz(self._data.site_xpos[self._site], wxyz)

    def jacobian(self, q: Array) -> Array:
        """``(6, n)``: the tool point's velocity (m/s), then its angular velocity (rad/s), per joint velocity."""
        self._data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self._model, self._data)
        return self._slope()

    def inverse(
        self,
        target: Pose,
        near: Array,
        rng: np.random.Generator,
        restarts: int = 12,
        tolerance: tuple[float, float] = TOLERANCE,
        accept: Callable[[Array], bool] | None = None,
    ) -> Array:
        """Joint angles ``(n,)`` rad that bring the tool to ``target``, as near to ``near`` as the descent finds them.

        The first descent starts at ``near``, later ones farther and farther from it.

        Args:
            target: of the tool, base frame.
            near: ``(n,)`` rad.
            rng: the same state gives the same answer.
            restarts: descents after the first.
            tolerance: m and rad within which the target counts as reached.
            accept: says whether a solution will do, for example whether it is free.

        Raises:
            MotionFailure: ``UNREACHABLE`` with the residual, or ``GOAL_IN_COLLISION`` where the pose is reached but
                never accepted.
        """
        reached, best = 0, (np.inf, np.inf, near)
        for attempt in range(restarts + 1):
            q, off = self._descend(self._seed(near, attempt / max(restarts, 1), rng), target, tolerance)
            if _within(off, tolerance):
                if accept is None or accept(q):
                    return q
                reached += 1
            elif off[0] + RADIAN * off[1] < best[0] + RADIAN * best[1]:
                best = (*off, q)
        if reached:
            reason = f"the tool reaches {_words(target)} in {reached} ways, all of them in collision"
            raise MotionFailure(Code.GOAL_IN_COLLISION, reason)
        reason = f"the tool stays {best[0] * 1e3:.0f} mm and {np.degrees(best[1]):.0f} deg short of {_words(target)}"
        raise MotionFailure(Code.UNREACHABLE, reason + self._limited(best[2]))

    def straight(
        self,
        q0: Array,
        target: Pose,
        step: tuple[float, float] = STRAIGHT_STEP,
        tolerance: tuple[float, float] = TOLERANCE,
    ) -> Array:
        """Waypoints ``(k, n)`` rad along which the tool goes straight from where it is at ``q0`` to ``target``.

        Position and orientation turn evenly; neighbouring waypoints are at most ``step`` (m, rad) apart.

        Raises:
            MotionFailure: ``UNREACHABLE``, saying at which share of the way the line breaks off and why.
        """
        origin = self.forward(q0)
        distance, angle = origin.distance(target)
        count = max(2, int(np.ceil(max(distance / step[0], angle / step[1]))))
        waypoints = [np.asarray(q0, dtype=float)]
        for i, pose in enumerate(_line(origin, target, count)):
            # The arm goes on as it went: most waypoints are a step or two from there.
            seed = 2 * waypoints[-1] - waypoints[-2] if i else waypoints[-1]
            q, off = self._descend(seed, pose, tolerance)
            jump = float(np.max(np.abs(q - waypoints[-1])))
            if not _within(off, tolerance) or jump > JUMP:
                why = self._limited(q) or (f": the arm would have to jump {jump:.2f} rad" if jump > JUMP else "")
                where = f"breaks off at {100 * (i + 1) / count:.0f} % of its {distance * 100:.0f} cm"
                raise MotionFailure(Code.UNREACHABLE, f"the straight line to {_words(target)} {where}{why}")
            waypoints.append(q)
        return np.array(waypoints)

    def _descend(self, seed: Array, target: Pose, tolerance: tuple[float, float]) -> tuple[Array, tuple[float, float]]:
        """Newton steps within joint limits from ``seed``: the best joint angles, and how far off (m, rad) they are."""
        limits, goal = self.robot.limits, target.wxyz
        q = best = np.minimum(np.maximum(np.asarray(seed, dtype=float), limits.lower), limits.upper)
        best_error, off, patience = np.inf, (np.inf, np.inf), STALLS
        aim = 0.2 * tolerance[0], 0.2 * tolerance[1]
        for _ in range(STEPS):
            self.steps += 1
            error = self._error(q, target.position, goal)
            now = math.sqrt(error[:3] @ error[:3]), math.sqrt(error[3:] @ error[3:])
            size = now[0] + RADIAN * now[1]
            if size < best_error * (1.0 - STALLED) or (size < best_error and _within(now, tolerance)):
                best, best_error, off, patience = q, size, now, STALLS
            else:
                patience -= 1
            if _within(now, aim) or patience == 0:
                break
            q = q + self._step(q, error)
        return best, off

    def _error(self, q: Array, position: Array, wxyz: Array) -> Array:
        """What the tool at ``q`` lacks to a pose: translation (m) and rotation vector (rad), ``(6,)``, base frame."""
        data, error = self._data, np.empty(6)
        data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self._model, data)
        own, turn = np.empty(4), np.empty(4)
        mujoco.mju_mat2Quat(own, data.site_xmat[self._site])
        mujoco.mju_negQuat(own, own)
        mujoco.mju_mulQuat(turn, wxyz, own)
        mujoco.mju_quat2Vel(error[3:], turn, 1.0)
        error[:3] = position - data.site_xpos[self._site]
        return error

    def _slope(self) -> Array:
        """The Jacobian ``(6, n)`` where the arm was put last."""
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_jacSite(self._model, self._data, self._jacobian[:3], self._jacobian[3:], self._site)
        return self._jacobian[:, self._dofs]

    def _step(self, q: Array, error: Array) -> Array:
        """The damped Newton step ``(n,)`` rad; joints that it would drive beyond their limits stop there."""
        slope, wish = self._slope() * self._weights, error * self._weights[:, 0]
        damping = DAMPING[0] + DAMPING[1] * float(wish @ wish)
        low, high = self.robot.limits.lower - q, self.robot.limits.upper - q
        square, pull = slope.T @ slope, slope.T @ wish
        square.flat[:: len(q) + 1] += damping
        step = dposv(square, pull)[1]
        beyond = (step < low) | (step > high)
        fixed = np.zeros(len(q), dtype=bool)
        while beyond.any():
            step, fixed = np.minimum(np.maximum(step, low), high), fixed | beyond
            free = ~fixed
            if not free.any():
                break
            step[free] = dposv(square[np.ix_(free, free)], pull[free] - square[np.ix_(free, fixed)] @ step[fixed])[1]
            beyond = free & ((step < low) | (step > high))
        return step * min(1.0, REACH / max(float(np.abs(step).max()), 1e-9))

    def _seed(self, near: Array, share: float, rng: np.random.Generator) -> Array:
        """A start for a descent: ``near`` at share 0, anywhere within limits at share 1, in between a mixture."""
        if share == 0.0:
            return near
        limits = self.robot.limits
        anywhere = rng.uniform(limits.lower, limits.upper)
        return near + share * (anywhere - near)

    def _limited(self, q: Array) -> str:
        """Which joints are at their limits, as the end of a sentence."""
        limits = self.robot.limits
        at = np.flatnonzero((q < limits.lower + 0.02) | (q > limits.upper - 0.02))
        names = [self.robot.names[i] for i in at]
        return f": {' and '.join(names)} at the limit" if names else ""


def _within(off: tuple[float, float], tolerance: tuple[float, float]) -> bool:
    return off[0] <= tolerance[0] and off[1] <= tolerance[1]


def _line(a: Pose, b: Pose, count: int) -> list[Pose]:
    """``count`` poses evenly on the way from ``a``, without it, to ``b``."""
    shares = np.arange(1, count + 1)[:, None] / count
    turn = (b.rotation * a.rotation.inv()).as_rotvec()
    turned = (Rotation.from_rotvec(shares * turn) * a.rotation).as_quat()
    return [Pose(p, q) for p, q in zip(a.position + shares * (b.position - a.position), turned, strict=True)]


def _words(pose: Pose) -> str:
    x, y, z = pose.position
    return f"({x:.3f}, {y:.3f}, {z:.3f}) m"
