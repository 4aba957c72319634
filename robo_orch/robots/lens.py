# SPDX-License-Identifier: Apache-2.0
"""Where points of the world appear in a picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np

from robo_orch.types import Array, Pose

Vector = tuple[float, float, float]


class Camera(Protocol):
    """Where a camera is and looks, m, in the frame of what carries it; ``fovy`` is its height of view in degrees."""

    @property
    def position(self) -> Vector:
        """Of the lens."""
        ...

    @property
    def target(self) -> Vector:
        """A point in the middle of its picture."""
        ...

    @property
    def up(self) -> Vector:
        """What is up in the picture."""
        ...

    @property
    def fovy(self) -> float:
        """Degrees."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """One camera of a scene with a picture of ``size`` (width, height), pixels."""

    camera: Camera
    size: tuple[int, int]

    def rays(self, window: tuple[int, int, int, int]) -> tuple[Array, Array]:
        """Where the camera is, ``(3,)``, and the matrix ``(3, 3)`` of the rays' directions, in its mount's frame.

        Args:
            window: left, top, width, height, pixels; the matrix takes (column, row, 1) as shares of it.
        """
        left, top, width, height = window
        across, down = self.size
        focal = 0.5 * down / np.tan(0.5 * np.radians(self.camera.fovy))
        seen = np.array([[width, 0.0, left - 0.5 * across], [0.0, height, top - 0.5 * down], [0.0, 0.0, focal]]) / focal
        axes = _axes(self.camera.position, self.camera.target, self.camera.up)
        return np.array(self.camera.position), axes.T @ seen

    def project(self, points: Array, mount: Pose) -> Array:
        """Columns, rows (pixels, from the upper left corner) and depths (m) of points ``(n, 3)``, ``(n, 3)``.

        Args:
            points: base frame, m.
            mount: where the link that carries the camera is; the base's own pose for one that stands.
        """
        camera = self.camera
        axes, origin = _axes(camera.position, camera.target, camera.up), np.array(camera.position)
        seen = (mount.inverse().apply(points) - origin) @ axes.T  # right, down, ahead
        width, height = self.size
        focal = 0.5 * height / np.tan(0.5 * np.radians(self.camera.fovy))
        ahead = np.maximum(seen[:, 2], 1e-3)
        columns = 0.5 * width + focal * seen[:, 0] / ahead
        rows = 0.5 * height + focal * seen[:, 1] / ahead
        return np.stack([columns, rows, seen[:, 2]], axis=1)


@cache
def _axes(position: Vector, target: Vector, up: Vector) -> Array:
    """Right, down and ahead of the picture in the mount's frame, one a row, ``(3, 3)``."""
    ahead = np.subtract(target, position)
    ahead = ahead / np.linalg.norm(ahead)
    right = np.cross(ahead, up)
    right = right / np.linalg.norm(right)
    return np.stack([right, np.cross(ahead, right), ahead])
