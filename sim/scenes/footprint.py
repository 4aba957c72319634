# SPDX-License-Identifier: Apache-2.0
"""What objects cover of the ground, and how far apart they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from robo_orch.objects import ObjectSpec, Shape
from robo_orch.types import Array, Pose


@dataclass(frozen=True, slots=True, eq=False)
class Footprint:
    """Rectangles and discs seen from above, n of them.

    Attributes:
        centre: ``(n, 2)`` m, base frame.
        axes: ``(n, 2, 2)``; row i is the direction of a rectangle's side i.
        half: ``(n, 2)`` half lengths of the sides, m; 0 for a disc.
        radius: ``(n,)`` m, 0 for a rectangle.
    """

    centre: Array
    axes: Array
    half: Array
    radius: Array

    @classmethod
    def of(cls, obj: ObjectSpec, pose: Pose, above: float = -np.inf) -> Self:
        """The rectangle or disc around what an object that stands upright at ``pose`` has ``above`` a height, m."""
        parts = cls.parts(obj, pose, above)
        if len(parts.radius) == 0:
            return parts
        axes = _axes(pose)
        offsets = (parts.centre - pose.position[:2]) @ axes.T  # (n, 2)
        if np.all(parts.radius > 0.0) and np.allclose(offsets, 0.0, atol=1e-9):
            return cls(pose.position[None, :2], axes[None], np.zeros((1, 2)), np.array([parts.radius.max()]))
        reach = parts.radius[:, None] + parts.half
        low, high = (offsets - reach).min(0), (offsets + reach).max(0)
        centre = pose.position[:2] + 0.5 * (low + high) @ axes
        return cls(centre[None], axes[None], 0.5 * (high - low)[None], np.zeros(1))

    @classmethod
    def parts(cls, obj: ObjectSpec, pose: Pose, above: float = -np.inf) -> Self:
        """One rectangle or disc for each solid geom that rises above a height ``above``, m."""
        axes = _axes(pose)
        level = np.eye(3)
        level[:2, :2] = axes
        rows = []
        for geom in (g for g in obj.geoms if g.collides):
            at = pose @ geom.pose
            turned = level @ at.matrix
            half = geom.extents(turned)
            if at.position[2] + half[2] > above:
                upright = geom.shape in (Shape.CYLINDER, Shape.CAPSULE, Shape.SPHERE) and abs(turned[2, 2]) > 1 - 1e-9
                rows.append((at.position[:2], np.zeros(2) if upright else half[:2], half[0] if upright else 0.0))
        if not rows:
            return cls.none()
        centre, sides, radius = (np.array(column) for column in zip(*rows, strict=True))
        return cls(centre, np.repeat(axes[None], len(rows), 0), sides, radius)

    @classmethod
    def box(cls, x: tuple[float, float], y: tuple[float, float]) -> Self:
        """A rectangle along the axes, from its bounds in m."""
        low, high = np.array([x[0], y[0]]), np.array([x[1], y[1]])
        return cls(0.5 * (low + high)[None], np.eye(2)[None], 0.5 * (high - low)[None], np.zeros(1))

    @classmethod
    def none(cls) -> Self:
        """Nothing."""
        return cls(np.zeros((0, 2)), np.zeros((0, 2, 2)), np.zeros((0, 2)), np.zeros(0))

    @classmethod
    def together(cls, several: Iterable[Self]) -> Self:
        """All rectangles and discs of several."""
        found = [cls.none(), *several]
        return cls(
            np.concatenate([f.centre for f in found]),
            np.concatenate([f.axes for f in found]),
            np.concatenate([f.half for f in found]),
            np.concatenate([f.radius for f in found]),
        )

    @property
    def extent(self) -> float:
        """The longest side or diameter among the figures, m."""
        return float(2.0 * max(self.half.max(initial=0.0), self.radius.max(initial=0.0)))

    def moved(self, xy: Array, yaw: Array) -> Self:
        """This single figure, made about the origin, turned by ``yaw`` ``(m,)`` rad and moved to ``xy`` ``(m, 2)``."""
        cos, sin = np.cos(yaw), np.sin(yaw)
        turn = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)  # (m, 2, 2)
        m = len(yaw)
        axes = np.einsum("mij,sj->msi", turn, self.axes[0])
        return type(self)(
            xy + turn @ self.centre[0], axes, np.repeat(self.half, m, axis=0), np.repeat(self.radius, m, axis=0)
        )

    def placed(self, spot: Array) -> Self:
        """All figures, made about the origin, turned and moved together to one spot ``(x, y, yaw)``."""
        cos, sin = np.cos(spot[2]), np.sin(spot[2])
        turn = np.array([[cos, sin], [-sin, cos]])
        return type(self)(spot[:2] + self.centre @ turn, self.axes @ turn, self.half, self.radius)

    def pick(self, index: NDArray[Any]) -> Self:
        """Some of the figures, by index or by mask."""
        return type(self)(self.centre[index], self.axes[index], self.half[index], self.radius[index])

    def apart(self, other: Footprint) -> Array:
        """How far apart (m) each figure is at least from every one of ``other``, ``(n,)``; negative where they overlap.

        The widest gap along any side of either figure or the line between their centres: never more than the distance.
        """
        n, m = len(self.radius), len(other.radius)
        if m == 0:
            return np.full(n, np.inf)
        between = other.centre[None] - self.centre[:, None]  # (n, m, 2)
        far = np.linalg.norm(between, axis=-1, keepdims=True)
        along = np.where(far > 1e-9, between / np.maximum(far, 1e-9), _EAST)
        mine = np.broadcast_to(self.axes[:, None], (n, m, 2, 2))
        theirs = np.broadcast_to(other.axes[None], (n, m, 2, 2))
        directions = np.concatenate([along[:, :, None], mine, theirs], axis=2)  # (n, m, 5, 2)
        gaps = np.abs(directions @ between[..., None])[..., 0]
        gaps -= np.abs(directions @ np.swapaxes(mine, -1, -2)) @ self.half[:, None, :, None] @ _ONE
        gaps -= np.abs(directions @ np.swapaxes(theirs, -1, -2)) @ other.half[None, :, :, None] @ _ONE
        gaps -= self.radius[:, None, None] + other.radius[None, :, None]
        return gaps.max(axis=2).min(axis=1)


_ONE, _EAST = np.ones(1), np.array([1.0, 0.0])


def swept(obj: ObjectSpec, poses: Sequence[Pose], above: float) -> Footprint:
    """What a part of furniture covers at any of several poses."""
    return Footprint.together(Footprint.of(obj, pose, above) for pose in poses)


def overlap(a: ObjectSpec, at: Pose, b: ObjectSpec, there: Pose, depth: float = 0.002) -> bool:
    """Whether solid geoms of two upright things go into each other by more than ``depth`` m, sideways and in height."""
    mine, theirs = Footprint.parts(a, at), Footprint.parts(b, there)
    heights = _heights(b, there)
    for i, (low, high) in enumerate(_heights(a, at)):
        level = np.flatnonzero(np.minimum(high, heights[:, 1]) - np.maximum(low, heights[:, 0]) > depth)
        if len(level) and mine.pick(np.array([i])).apart(theirs.pick(level))[0] < -depth:
            return True
    return False


def _heights(obj: ObjectSpec, pose: Pose) -> Array:
    """Lowest and highest point of each solid geom, ``(n, 2)`` m."""
    found = []
    for geom in (g for g in obj.geoms if g.collides):
        at = pose @ geom.pose
        half = geom.extents(at.matrix)[2]
        found.append((at.position[2] - half, at.position[2] + half))
    return np.array(found).reshape(-1, 2)


def _axes(pose: Pose) -> Array:
    """Directions of the object's x and y axes seen from above, ``(2, 2)``, one a row."""
    x = pose.matrix[:2, 0]
    x = x / np.linalg.norm(x)
    return np.array([x, [-x[1], x[0]]])
