# SPDX-License-Identifier: Apache-2.0
"""The scene from above: what stands where, how high, how well that is known, and how far a rectangle is from it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from robo_orch.objects import Inventory, ObjectSpec, Shape
from robo_orch.types import Array, Pose, PoseEstimate

#: What is this much wider one way than the other is not round, m (chosen: rounding).
ROUND = 1e-3
#: Shapes wholly higher than this concern the arm alone, m (chosen: a hand that points down ends there).
HIGH = 0.20
#: Distances above this are not looked at closely, m (chosen: six sigma of a model's pose, two of worse ones).
FAR = 0.04
#: Corners of a rectangle and its middle, in half sizes.
_POINTS = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1], [0, 0]], dtype=float)


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Rectangles with rounded rims, ``k`` of them, seen from above in the base frame.

    Attributes:
        centre: ``(k, 2)`` m; ``yaw`` ``(k,)`` rad; ``half`` ``(k, 2)`` m; ``rim`` ``(k,)`` m, added all around.
        low, high: ``(k,)`` height of bottom and top over the base, m.
        sigma: ``(k,)`` of the position, m.
    """

    centre: Array
    yaw: Array
    half: Array
    rim: Array
    low: Array
    high: Array
    sigma: Array

    @classmethod
    def of(cls, inventory: Inventory, objects: Mapping[str, PoseEstimate], without: Collection[str]) -> Shapes:
        """What is perceived, one shape an object that can be moved, one a primitive of furniture."""
        rows = [
            (*row, objects[name].sigma)
            for name, spec in inventory.items()
            if name in objects and name not in without
            for row in _rows(spec, objects[name].pose)
        ]
        table = np.array(rows, dtype=float).reshape(-1, 9)
        table = table[table[:, 6] < HIGH]
        return cls(table[:, :2], table[:, 2], table[:, 3:5], table[:, 5], table[:, 6], table[:, 7], table[:, 8])

    def between(self, low: float, high: float) -> Shapes:
        """Those that reach into a layer of heights, m."""
        keep = (self.low < high) & (self.high > low)
        return Shapes(*(getattr(self, name)[keep] for name in self.__slots__))

    def away(self, points: Array) -> Array:
        """Distance (m) of points ``(..., 2)`` from each shape, ``(..., k)``; negative inside."""
        local = _turned(points[..., None, :] - self.centre, -self.yaw)
        return _outside(local, self.half) - self.rim

    def gaps(self, centre: Array, yaw: Array, half: Array) -> Array:
        """Distance (m) of rectangles ``(..., 2)``, ``(...)``, ``(2,)`` from each shape, ``(..., k)``.

        Two rectangles that are apart are nearest at a corner of one of them; where they overlap the distance is
        negative, if not exact. What is farther than :data:`FAR` is only said to be at least so far as it surely is.
        """
        rows, turns = centre.reshape(-1, 2), np.broadcast_to(yaw, centre.shape[:-1]).ravel()
        gaps = self.away(rows) - float(np.hypot(*half))
        near = np.nonzero(gaps < np.maximum(FAR, 2.0 * self.sigma))
        (row, shape), at, turn = near, rows[near[0]], turns[near[0]]
        mine = at[:, None] + _turned(_POINTS * half, turn[:, None])  # (m, 5, 2)
        theirs = self.centre[shape, None] + _turned(_POINTS * self.half[shape, None], self.yaw[shape, None])
        there = _turned(mine - self.centre[shape, None], -self.yaw[shape, None])
        here = _turned(theirs - at[:, None], -turn[:, None])
        apart = np.minimum(_outside(there, self.half[shape, None]).min(axis=1), _outside(here, half).min(axis=1))
        gaps[row, shape] = apart - self.rim[shape]
        return gaps.reshape(*centre.shape[:-1], len(self.sigma))

    def risks(self, gaps: Array, sigma: float, margin: float, before: Array | None = None) -> Array:
        """Probability ``(...)`` that something is nearer than ``margin`` (m) given gaps ``(..., k)``.

        Args:
            sigma: of the rectangle's own position, m.
            before: gaps where the rectangle is known to stand free, broadcast to ``gaps``: what is known that way of
                an error of an estimate counts.
        """
        if not len(self.sigma):
            return np.zeros(gaps.shape[:-1])
        spread = np.hypot(self.sigma, max(sigma, 1e-4))
        clear = ndtr((gaps - margin) / spread)
        if before is not None:
            free = np.maximum(ndtr(before / spread), 1e-3)
            clear = 1.0 - np.clip(free - clear, 0.0, None) / free
        return np.asarray(1.0 - np.prod(clear, axis=-1))


def heading(pose: Pose) -> float:
    """Angle (rad) of a pose's x axis seen from above."""
    x = pose.matrix[:, 0]
    return float(np.arctan2(x[1], x[0]))


def _rows(spec: ObjectSpec, pose: Pose) -> Iterator[tuple[float, ...]]:
    if not spec.fixed and spec.joint is None:
        low, high = spec.bounds()
        round_ = spec.geoms[0].shape is Shape.CYLINDER and abs(np.ptp((high - low)[:2])) < ROUND
        yield _row(pose @ Pose.of((low + high) / 2), (high - low) / 2, bool(round_))
        return
    for geom in spec.geoms:
        if geom.collides and spec.kind != "table":
            at = pose @ geom.pose
            turn = Pose.of((0, 0, 0), (0, 0, np.sin(heading(at) / 2), np.cos(heading(at) / 2)))
            yield _row(Pose(at.position, turn.quaternion), geom.extents((turn.inverse() @ at).matrix), False)


def _row(pose: Pose, half: Array, round_: bool) -> tuple[float, ...]:
    x, y, z = pose.position.tolist()
    flat = (0.0, 0.0, float(half[0])) if round_ else (float(half[0]), float(half[1]), 0.0)
    return (x, y, heading(pose), *flat, z - float(half[2]), z + float(half[2]))


def _turned(vectors: Array, yaw: Array) -> Array:
    """Vectors ``(..., 2)`` turned by ``(...)`` rad."""
    c, s = np.cos(yaw), np.sin(yaw)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([c * x - s * y, s * x + c * y], axis=-1)


def _outside(points: Array, half: Array) -> Array:
    """Signed distance (m) of points ``(..., 2)`` from a rectangle about the origin."""
    x, y = np.abs(points[..., 0]) - half[..., 0], np.abs(points[..., 1]) - half[..., 1]
    apart = np.sqrt(np.maximum(x, 0.0) ** 2 + np.maximum(y, 0.0) ** 2)
    return np.asarray(apart + np.minimum(np.maximum(x, y), 0.0))
