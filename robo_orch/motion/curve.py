# SPDX-License-Identifier: Apache-2.0
"""A smooth curve through joint space that hugs a polyline, checked before it is used.

The curve is Schoenberg's variation-diminishing cubic spline of the polyline: its control points are the
polyline at the Greville abscissae of a uniform knot vector. It reproduces straight stretches exactly, never
leaves the waypoints' convex hull (so joint limits hold), is twice continuously differentiable, and comes
closer to the polyline as the knots get denser (C. de Boor, A Practical Guide to Splines, chapter XI).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.interpolate import BSpline

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.path import Free
from robo_orch.robots.spec import JointLimits
from robo_orch.types import Array, Code

#: Largest change of any joint between two checked states of a curve, rad (chosen: the tool moves less than 1 cm, so
#: that even an edge that passes an edge between two checks reaches less deep than the padding).
CURVE_RESOLUTION = 0.01
#: Knot intervals per polyline segment that are tried, loosest first (chosen); then stops at the waypoints.
CLOSENESS = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A geometric path: ``pieces`` are splines into joint space, each travelled from rest to rest.

    A piece's parameter runs over ``[0, L]`` with L its length in seconds at full joint speed.
    """

    pieces: tuple[BSpline, ...]

    @property
    def start(self) -> Array:
        """First state, ``(n,)`` rad."""
        return self.pieces[0].c[0]

    @property
    def goal(self) -> Array:
        """Last state, ``(n,)`` rad."""
        return self.pieces[-1].c[-1]

    def states(self, resolution: float = CURVE_RESOLUTION) -> Array:
        """States ``(m, n)`` along the curve, ends included, no joint moving more than ``resolution`` between two."""
        return np.concatenate([_states(piece, resolution) for piece in self.pieces])


def straight_curve(q0: Array, q1: Array, limits: JointLimits) -> Curve:
    """The straight line between two states."""
    length = max(float(np.max(np.abs(q1 - q0) / limits.velocity)), 1e-9)
    return Curve((BSpline(np.array([0.0, 0.0, length, length]), np.stack([q0, q1]), 1),))


def hugging_curve(waypoints: Array, limits: JointLimits, intervals: int) -> Curve:
    """The variation-diminishing spline of a polyline ``(k, n)`` on ``intervals`` equal knot intervals."""
    times = np.append(0.0, np.cumsum(np.max(np.abs(np.diff(waypoints, axis=0)) / limits.velocity, axis=1)))
    if times[-1] < 1e-6:  # it is there already
        return straight_curve(waypoints[0], waypoints[-1], limits)
    knots = np.concatenate([np.zeros(3), np.linspace(0.0, times[-1], intervals + 1), np.full(3, times[-1])])
    greville = (knots[1:-3] + knots[2:-2] + knots[3:-1]) / 3.0
    control = np.stack([np.interp(greville, times, column) for column in waypoints.T], axis=1)
    control[0], control[-1] = waypoints[0], waypoints[-1]
    return Curve((BSpline(knots, control, 3),))


def stopping_curve(waypoints: Array, limits: JointLimits) -> Curve:
    """The polyline itself, with a stop at every waypoint."""
    return Curve(tuple(straight_curve(a, b, limits).pieces[0] for a, b in pairwise(waypoints)))


def smooth(
    waypoints: Array,
    free: Free,
    limits: JointLimits,
    closeness: tuple[int, ...] = CLOSENESS,
    resolution: float = CURVE_RESOLUTION,
) -> Curve:
    """The loosest curve along a polyline that is free.

    Args:
        waypoints: ``(k, n)`` rad; the ends are taken as checked.
        free: whether a state is free.
        limits: joint limits; their velocities weigh the joints.
        closeness: knot intervals per segment to try in turn.
        resolution: rad between checked states.

    Raises:
        MotionFailure: ``NO_PATH``, not even the polyline is free when looked at closely.
    """
    waypoints = _distinct(np.asarray(waypoints, dtype=float))
    if len(waypoints) == 2:
        candidates = iter([straight_curve(waypoints[0], waypoints[1], limits)])
    else:
        segments = len(waypoints) - 1
        candidates = (hugging_curve(waypoints, limits, segments * c) for c in closeness)
    for curve in candidates:
        if all(free(q) for q in curve.states(resolution)[1:-1]):
            return curve
    curve = stopping_curve(waypoints, limits)
    if len(waypoints) > 2 and all(free(q) for q in curve.states(resolution)[1:-1]):
        return curve
    raise MotionFailure(Code.NO_PATH, "the path that was found touches something when looked at closely")


def _distinct(waypoints: Array) -> Array:
    """The waypoints without repetitions, the ends kept exactly; at least two."""
    keep = np.append(True, np.max(np.abs(np.diff(waypoints, axis=0)), axis=1) > 1e-9)
    keep[-1] = True
    kept = waypoints[keep]
    return kept if len(kept) > 1 else waypoints[[0, -1]]


def _states(piece: BSpline, resolution: float) -> Array:
    a, b = piece.t[0], piece.t[-1]
    # A spline stays within the hull of its coefficients, so this bounds the speed of every joint.
    speed = np.max(np.abs(piece.derivative().c))
    steps = max(1, int(np.ceil(speed * (b - a) / resolution)))
    return piece(np.linspace(a, b, steps + 1))
