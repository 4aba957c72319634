# SPDX-License-Identifier: Apache-2.0
"""What the fixed cameras can see, by rays from each camera to points on the objects, against the true geometry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from robo_orch.objects import Inventory, ObjectSpec, Shape
from robo_orch.types import Array

#: Width over height of the image that a camera's estimator looks at (chosen: 640 x 480).
ASPECT = 4.0 / 3.0
#: Points that stand for an object at most (chosen: 12 objects and two cameras then cost well below a millisecond; a
#: ray that meets the object before its point counts too, so that these are points of its outline).
POINTS = 10
#: Share of an object at which no further camera is asked (chosen).
ENOUGH = 0.5
#: Geom groups that block a view: everything but the robot's finer visual shapes, whose collision shapes stand for them.
GROUPS = np.array([1, 0, 1, 1, 1, 1], np.uint8)


class Sight:
    """Casts the rays in one model. Furniture that stands fast is calibrated once and asks for none.

    Args:
        cameras: names of the cameras to look from.
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, inventory: Inventory, cameras: Sequence[str]
    ) -> None:
        self._model, self._data = model, data
        self._cameras = [model.camera(name).id for name in cameras]
        self._slopes = [np.tan(np.radians(model.cam_fovy[i]) / 2.0) * np.array([ASPECT, 1.0]) for i in self._cameras]
        looked_for = [obj for obj in inventory.values() if not obj.fixed and obj.geoms]
        self._names = [obj.name for obj in looked_for]
        points = [_points(obj) for obj in looked_for]
        counts = [len(p) for p in points]
        self._local = np.concatenate([*points, np.empty((0, 3))])  # (r, 3)
        self._bodies = np.array([model.body(name).id for name in self._names], dtype=int)
        self._of = np.repeat(np.arange(len(points)), counts)  # (r,) index of the object
        self._counts = np.array(counts)
        self._geom_body = np.array(model.geom_bodyid)

    def share(self) -> Mapping[str, float]:
        """By object, the share of its points that a camera sees: the most of all cameras, or what the first one sees
        that sees :data:`ENOUGH`.
        """
        best, points = np.zeros(len(self._names)), self._points()
        for camera, slopes in zip(self._cameras, self._slopes, strict=True):
            rays = np.flatnonzero(best[self._of] < ENOUGH)
            if len(rays):
                hits = np.bincount(self._of[rays], self._seen(camera, slopes, points[rays], rays), len(self._names))
                best = np.maximum(best, hits / self._counts)
        return dict(zip(self._names, best.tolist(), strict=True))

    def _points(self) -> Array:
        """The points in the base frame, ``(r, 3)``."""
        bodies = self._bodies[self._of]
        turned = np.einsum("rij,rj->ri", self._data.xmat[bodies].reshape(-1, 3, 3), self._local)
        return turned + self._data.xpos[bodies]

    def _seen(self, camera: int, slopes: Array, points: Array, which: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether each point is in the picture and nothing of another body is in front of it, ``(r,)``."""
        eye, turn = self._data.cam_xpos[camera], self._data.cam_xmat[camera].reshape(3, 3)
        rays = points - eye
        x, y, z = (rays @ turn).T
        depth = -z
        framed = (depth > 0) & (np.abs(x) < slopes[0] * depth) & (np.abs(y) < slopes[1] * depth)
        geoms, distances = np.full(len(rays), -1, np.int32), np.empty(len(rays))
        flat = np.ascontiguousarray(rays).reshape(-1, 1)
        mujoco.mj_multiRay(
            self._model, self._data, eye, flat, GROUPS, True, -1, geoms, distances, None, len(rays), mujoco.mjMAXVAL
        )
        return framed & (geoms >= 0) & (self._geom_body[geoms] == self._bodies[self._of[which]])


def _points(obj: ObjectSpec) -> Array:
    """Points just under the surface, ``(r, 3)`` in the object's frame, as many on each geom, at most POINTS in all."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    faces = np.concatenate([np.eye(3), -np.eye(3)])
    found = []
    for geom in obj.geoms:
        reach = 0.9 if geom.shape is Shape.BOX else 0.5
        found.append(geom.pose.apply(np.concatenate([0.95 * faces, reach * corners]) * geom.half_extents))
    points = np.concatenate(found)
    if len(points) <= POINTS:
        return points
    return points[np.linspace(0, len(points) - 1, POINTS).round().astype(int)]
