# SPDX-License-Identifier: Apache-2.0
"""What objects cover of the ground, and how far apart they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

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
        """The rectangle or disc around a whole object that stands upright at ``pose``: what is ``above`` a height, m."""
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

    def apart(self, other: Footprint) -> float:
        """How far apart (m) this single figure is at least from every one of ``other``; negative where they overlap.

        The widest gap along any side of either figure or the line between their centres: never more than the distance.
        """
        if len(other.radius) == 0:
            return np.inf
        between = other.centre - self.centre  # (n, 2)
        along = between / np.maximum(np.linalg.norm(between, axis=1, keepdims=True), 1e-12)
        sides = np.broadcast_to(self.axes, (len(between), 2, 2))
        directions = np.concatenate([along[:, None], sides, other.axes], axis=1)  # (n, 5, 2)
        gaps = np.abs(np.einsum("nkd,nd->nk", directions, between)) - self._reach(directions) - other._reach(directions)
        return float(gaps.max(axis=1).min())

    def _reach(self, directions: Array) -> Array:
        """How far the figures extend from their centres along directions ``(n, k, 2)``: ``(n, k)`` m."""
        shares = np.abs(np.einsum("nkd,nsd->nks", directions, np.broadcast_to(self.axes, (len(directions), 2, 2))))
        return np.einsum("nks,ns->nk", shares, np.broadcast_to(self.half, (len(directions), 2))) + self.radius[:, None]


def swept(obj: ObjectSpec, poses: Sequence[Pose], above: float) -> Footprint:
    """What a part of furniture covers at any of several poses."""
    return Footprint.together(Footprint.parts(obj, pose, above) for pose in poses)


def _axes(pose: Pose) -> Array:
    """Directions of the object's x and y axes seen from above, ``(2, 2)``, one a row."""
    x = pose.matrix[:2, 0]
    x = x / np.linalg.norm(x)
    return np.array([x, [-x[1], x[0]]])
