# SPDX-License-Identifier: Apache-2.0
"""How far a box still has to go: shortest ways over the ground around what stands there (Dijkstra on a grid)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from robo_orch.objects import Surface
from robo_orch.policies.mpc.plane import Shapes
from robo_orch.types import Array, Pose

#: The ground that is looked at (base frame), and the size of a cell, m (chosen: within the arm's reach).
X, Y, CELL = (0.24, 0.86), (-0.66, 0.30), 0.015
#: What a way through something that is there for sure costs more than one through free ground (chosen).
RELUCTANCE = 12.0
#: Cells one after the other, and the length of the step, in cells.
_STEPS = ((0, 1, 1.0), (1, 0, 1.0), (1, 1, 2**0.5), (1, -1, 2**0.5))


class Ways:
    """The distance that the box's centre has to go from anywhere to within a region.

    Args:
        shapes: what stands in the way.
        region: the region's surface, and ``at`` its pose.
        margin: how far inside the region's border the centre shall come, m.
        reach: the box's half width, m: nothing may be nearer to its centre.
    """

    def __init__(self, shapes: Shapes, region: Surface, at: Pose, margin: float, reach: float) -> None:
        self._region, self._at = region, at
        x, y = np.arange(*X, CELL), np.arange(*Y, CELL)
        cells = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)  # (nx, ny, 2)
        risk = shapes.risks(shapes.away(cells), 0.0, reach)
        inside = self.inside(cells)
        goal = inside >= min(margin, float(inside.max()))
        free = goal & (risk < 0.5)
        self._shape = risk.shape
        self._togo = _distances(1.0 + RELUCTANCE * risk, free if free.any() else goal)

    def inside(self, centres: Array) -> Array:
        """How far inside the region's border points ``(..., 2)`` are, m."""
        local = np.concatenate([centres, np.zeros((*centres.shape[:-1], 1))], axis=-1)
        local = self._at.inverse().apply(local)[..., :2] - self._region.centre[:2]
        return np.asarray(np.min(np.array(self._region.half) - np.abs(local), axis=-1))

    def togo(self, centres: Array) -> Array:
        """What is left to go from points ``(..., 2)``, m; 0 where the margin is kept."""
        index = np.round((centres - np.array([X[0], Y[0]])) / CELL).astype(int)
        index = np.clip(index, 0, np.array(self._shape) - 1)
        return np.asarray(self._togo[index[..., 0], index[..., 1]])


def _distances(cost: Array, goal: NDArray[np.bool_]) -> Array:
    """Cost-weighted distance (m) of every cell from the nearest goal cell, ``(nx, ny)``."""
    number = np.arange(cost.size).reshape(cost.shape)
    rows, columns, weights = [], [], []
    for dx, dy, length in _STEPS:
        a = number[: cost.shape[0] - dx, max(0, -dy) : cost.shape[1] - max(0, dy)]
        b = number[dx:, max(0, dy) : cost.shape[1] + min(0, dy)]
        rows.append(a.ravel())
        columns.append(b.ravel())
        weights.append(0.5 * CELL * length * (cost.ravel()[a] + cost.ravel()[b]).ravel())
    graph = coo_array(
        (np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns))), shape=(cost.size,) * 2
    ).tocsr()
    found = dijkstra(graph, directed=False, indices=number[goal], min_only=True)
    return np.asarray(found).reshape(cost.shape)
