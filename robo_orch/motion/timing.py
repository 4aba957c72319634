# SPDX-License-Identifier: Apache-2.0
"""When to be where: jerk-limited timing that keeps to its curve exactly.

The curve is re-parametrised by a pace at which no joint exceeds what curvature allows, a one-dimensional
jerk-limited profile (ruckig) runs along it, and then time is stretched by the one factor that makes every joint
keep its velocity, acceleration and jerk limits. What was checked for collisions is what is executed: only the
schedule changes, never the shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ruckig import ControlInterface, InputParameter, Result, Ruckig, Synchronization
from ruckig import Trajectory as Profile
from scipy.interpolate import BSpline, CubicSpline

from robo_orch.motion.curve import Curve, hugging_curve, straight_curve
from robo_orch.robots.spec import JointLimits
from robo_orch.types import Array

#: How many states of a piece carry its pace (chosen).
GRID = 200
#: Share of a piece's length over which its pace is evened out, so that the pace itself costs little jerk (chosen).
EVEN = 0.1
#: States per control period at which the limits are verified (chosen).
FINE = 4

#: First, second and third derivative, each ``(m, n)``.
Derivatives = tuple[Array, Array, Array]


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Setpoints at a fixed period.

    Attributes:
        q: ``(T, n)`` rad; the first row is the start, the last the goal.
        qd: ``(T, n)`` rad/s; the last row is zero.
        period: s between rows.
    """

    q: Array
    qd: Array
    period: float

    @property
    def duration(self) -> float:
        """Time from the first to the last setpoint, s."""
        return (len(self.q) - 1) * self.period

    def then(self, other: Trajectory) -> Trajectory:
        """This trajectory followed by one that starts where it ends; the shared setpoint appears once."""
        return Trajectory(np.concatenate([self.q, other.q[1:]]), np.concatenate([self.qd, other.qd[1:]]), self.period)


def time_path(path: Curve | Array, limits: JointLimits, period: float) -> Trajectory:
    """Travel a curve from rest to rest within the limits.

    Args:
        path: a checked curve (see :func:`robo_orch.motion.curve.smooth`), or waypoints ``(k, n)`` in rad through
            which a closely hugging curve is laid.
        limits: what no joint exceeds; slower motion by :meth:`JointLimits.scaled`.
        period: s between setpoints. The duration is rounded up to whole periods, so that the last setpoint is the
            goal at rest.

    Returns:
        Setpoints that lie on the curve, from its start exactly to its goal exactly.
    """
    curve = path if isinstance(path, Curve) else _curve_through(np.asarray(path, dtype=float), limits)
    whole: Trajectory | None = None
    for piece in curve.pieces:
        part = _time_piece(piece, limits, period)
        whole = part if whole is None else whole.then(part)
    if whole is None:
        raise ValueError("a curve needs at least one piece")
    return whole


def stop_profile(q: Array, qd: Array, limits: JointLimits, period: float, qdd: Array | None = None) -> Trajectory:
    """Bring every joint to rest as fast as its acceleration and jerk limits allow.

    Args:
        q, qd, qdd: ``(n,)`` state to stop from, rad, rad/s, rad/s^2 (0 if not given); any velocity.
        limits: acceleration and jerk are kept, wherever the state itself does not exceed them already.
        period: s between setpoints.

    Returns:
        Setpoints from ``q`` to standstill; the last velocity is exactly zero.
    """
    n = len(q)
    accelerations = np.zeros(n) if qdd is None else np.asarray(qdd, dtype=float)
    question = InputParameter(n)
    question.control_interface = ControlInterface.Velocity
    question.synchronization = Synchronization.No
    question.current_position, question.current_velocity = list(map(float, q)), list(map(float, qd))
    question.current_acceleration = list(map(float, accelerations))
    question.target_velocity = question.target_acceleration = [0.0] * n
    question.max_acceleration = list(np.maximum(limits.acceleration, np.abs(accelerations) * 1.001))
    question.max_jerk = list(map(float, limits.jerk))
    profile = _solve(question, n)
    steps = max(1, int(np.ceil(profile.duration / period - 1e-9)))
    rows = [profile.at_time(min(i * period, profile.duration)) for i in range(steps + 1)]
    velocity = np.array([row[1] for row in rows])
    velocity[0], velocity[-1] = qd, 0.0
    return Trajectory(np.array([row[0] for row in rows]), velocity, period)


def _curve_through(waypoints: Array, limits: JointLimits) -> Curve:
    if len(waypoints) <= 2:
        return straight_curve(waypoints[0], waypoints[-1], limits)
    return hugging_curve(waypoints, limits, 8 * (len(waypoints) - 1))


def _time_piece(piece: BSpline, limits: JointLimits, period: float) -> Trajectory:
    start, goal = piece.c[0], piece.c[-1]
    if np.max(np.abs(piece.c - start)) < 1e-9:
        return Trajectory(np.stack([start, goal]), np.zeros((2, len(start))), period)
    pace = _pace(piece, limits)
    length = float(pace.x[-1])
    profile = _profile(length, *_scalar_limits(piece, pace, limits))
    fine = np.linspace(0.0, profile.duration, max(GRID, FINE * int(profile.duration / period)))
    duration = profile.duration * _stretch(piece, pace, profile, fine, limits)
    steps = max(1, int(np.ceil(duration / period - 1e-9)))
    times = np.linspace(0.0, profile.duration, steps + 1)
    s, s1, *_ = _travel(profile, times)
    u = np.clip(pace(s), 0.0, piece.t[-1])
    q = piece(u)
    qd = piece(u, 1) * (pace(s, 1) * s1 * profile.duration / (steps * period))[:, None]
    q[0], q[-1], qd[0], qd[-1] = start, goal, 0.0, 0.0
    return Trajectory(q, qd, period)


def _pace(piece: BSpline, limits: JointLimits) -> CubicSpline:
    """The piece's parameter as a function of paced length: per unit of it no joint is asked for more than it can.

    At unit speed along the result, velocities and the accelerations that come from curvature are within limits.
    """
    u = np.linspace(piece.t[0], piece.t[-1], GRID)
    velocity = np.max(np.abs(piece(u, 1)) / limits.velocity, axis=1)
    if piece.k < 2:
        return CubicSpline(np.append(0.0, np.cumsum(np.diff(u) * velocity[1:])), u)
    bend = np.sqrt(np.max(np.abs(piece(u, 2)) / limits.acceleration, axis=1))
    need = np.maximum(np.maximum(velocity, bend), 1e-3)
    width = max(1, int(EVEN * GRID) // 2)
    need = _widen(need, width)
    steps = np.diff(u) * (need[1:] + need[:-1]) / 2.0
    return CubicSpline(np.append(0.0, np.cumsum(steps)), u)


def _widen(values: Array, width: int) -> Array:
    """A smooth curve that is nowhere below ``values``: running maximum, then twice a running mean."""
    padded = np.pad(values, width, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * width + 1).max(axis=1)
    for half in (width // 2, width - width // 2):
        window = np.full(2 * half + 1, 1.0 / (2 * half + 1))
        highest = np.convolve(np.pad(highest, half, mode="edge"), window, mode="valid")
    return highest


def _scalar_limits(piece: BSpline, pace: CubicSpline, limits: JointLimits) -> tuple[float, float, float]:
    """Velocity, acceleration and jerk along paced length at which the joint most concerned is at its limit."""
    fastest = np.max(np.abs(_along(piece, pace, pace.x)[0]), axis=0)
    fastest = np.maximum(fastest, 1e-9)
    velocity, acceleration, jerk = (bound / fastest for bound in (limits.velocity, limits.acceleration, limits.jerk))
    return float(np.min(velocity)), float(np.min(acceleration)), float(np.min(jerk))


def _profile(length: float, velocity: float, acceleration: float, jerk: float) -> Profile:
    question = InputParameter(1)
    question.current_position, question.target_position = [0.0], [length]
    question.max_velocity, question.max_acceleration, question.max_jerk = [velocity], [acceleration], [jerk]
    return _solve(question, 1)


def _solve(question: InputParameter, n: int) -> Profile:
    profile = Profile(n)
    result = Ruckig(n).calculate(question, profile)
    if result not in (Result.Working, Result.Finished):
        raise ValueError(f"no jerk-limited profile exists for this state: {result}")
    return profile


def _travel(profile: Profile, times: Array) -> tuple[Array, Array, Array, Array]:
    """Position, velocity, acceleration and jerk ``(m,)`` along a one-dimensional profile from rest to rest."""
    phases = profile.profiles[0][0]
    starts = np.append(0.0, np.cumsum(phases.t))
    i = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, len(phases.t) - 1)
    t = times - starts[i]
    p, v, a, j = (np.array(values)[i] for values in (phases.p, phases.v, phases.a, phases.j))
    return p + t * (v + t * (a / 2.0 + t * j / 6.0)), v + t * (a + t * j / 2.0), a + t * j, j


def _along(piece: BSpline, pace: CubicSpline, s: Array) -> Derivatives:
    """Derivatives ``(m, n)`` of the piece by paced length."""
    u = np.clip(pace(s), 0.0, piece.t[-1])
    first, second, third = (piece(u, k) if k <= piece.k else np.zeros((len(s), piece.c.shape[1])) for k in (1, 2, 3))
    return _chain((first, second, third), (pace(s, 1)[:, None], pace(s, 2)[:, None], pace(s, 3)[:, None]))


def _chain(f: Derivatives, g: Derivatives) -> Derivatives:
    """Derivatives of ``f(g(x))`` from those of ``f`` at ``g(x)`` and of ``g`` at ``x`` (Faa di Bruno)."""
    return (
        f[0] * g[0],
        f[1] * g[0] ** 2 + f[0] * g[1],
        f[2] * g[0] ** 3 + 3.0 * f[1] * g[0] * g[1] + f[0] * g[2],
    )


def _stretch(piece: BSpline, pace: CubicSpline, profile: Profile, times: Array, limits: JointLimits) -> float:
    """The factor by which time must be stretched for all joints to keep all limits; it may be below 1."""
    s, s1, s2, s3 = _travel(profile, times)
    v, a, j = _chain(_along(piece, pace, s), (s1[:, None], s2[:, None], s3[:, None]))
    return max(
        float(np.max(np.abs(v) / limits.velocity)),
        float(np.sqrt(np.max(np.abs(a) / limits.acceleration))),
        float(np.cbrt(np.max(np.abs(j) / limits.jerk))),
    )
