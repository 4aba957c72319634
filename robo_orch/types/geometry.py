# SPDX-License-Identifier: Apache-2.0
"""Rigid transforms in plain arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]


_CONJUGATE = np.array([-1.0, -1.0, -1.0, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """A rigid transform: where a child frame is, seen from its parent.

    Attributes:
        position: ``(3,)`` metres.
        quaternion: ``(4,)`` unit quaternion, xyzw.
    """

    position: Array
    quaternion: Array

    @classmethod
    def of(cls, position: Any = (0.0, 0.0, 0.0), quaternion: Any = (0.0, 0.0, 0.0, 1.0)) -> Self:
        """Build a pose from anything array-like; the quaternion (xyzw) is normalised."""
        p = np.asarray(position, dtype=float).reshape(3).copy()
        q = np.asarray(quaternion, dtype=float).reshape(4)
        norm = float(np.linalg.norm(q))
        if not np.isfinite(p).all() or not np.isfinite(norm) or norm < 1e-9:
            raise ValueError(f"a pose needs a finite position and a non-zero quaternion, got {p} and {q}")
        return cls(p, q / norm)

    @classmethod
    def from_rotation(cls, position: Any, rotation: Rotation) -> Self:
        """Build a pose from a position and a scipy rotation."""
        return cls.of(position, rotation.as_quat())

    @classmethod
    def from_wxyz(cls, position: Any, wxyz: Any) -> Self:
        """Build a pose from MuJoCo's quaternion order."""
        w, x, y, z = np.asarray(wxyz, dtype=float).reshape(4)
        return cls.of(position, (x, y, z, w))

    @property
    def rotation(self) -> Rotation:
        """The orientation as a scipy rotation."""
        return Rotation.from_quat(self.quaternion)

    @property
    def wxyz(self) -> Array:
        """The quaternion in MuJoCo's order, ``(4,)``."""
        return self.quaternion[[3, 0, 1, 2]]

    @property
    def matrix(self) -> Array:
        """The rotation matrix, ``(3, 3)``; its columns are the child's axes seen from the parent."""
        x, y, z, w = self.quaternion.tolist()
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )

    def __matmul__(self, other: Pose) -> Pose:
        """Compose: ``a @ b`` is ``b``'s child frame seen from ``a``'s parent."""
        # Plain floats: a hundred poses are composed each tick, and scipy's checks cost ten times the arithmetic.
        ax, ay, az, aw = self.quaternion.tolist()
        bx, by, bz, bw = other.quaternion.tolist()
        x = aw * bx + ax * bw + ay * bz - az * by
        y = aw * by - ax * bz + ay * bw + az * bx
        z = aw * bz + ax * by - ay * bx + az * bw
        w = aw * bw - ax * bx - ay * by - az * bz
        s = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
        return Pose(self.matrix @ other.position + self.position, np.array([s * x, s * y, s * z, s * w]))

    def inverse(self) -> Pose:
        """The transform the other way round."""
        return Pose(-self.position @ self.matrix, self.quaternion * _CONJUGATE)

    def apply(self, points: Array) -> Array:
        """Map points ``(..., 3)`` from the child frame to the parent frame."""
        return np.asarray(points) @ self.matrix.T + self.position

    def distance(self, other: Pose) -> tuple[float, float]:
        """Translation (m) and rotation angle (rad) between two poses."""
        cosine = min(1.0, abs(float(self.quaternion @ other.quaternion)))
        return float(np.linalg.norm(self.position - other.position)), 2.0 * math.acos(cosine)
