# SPDX-License-Identifier: Apache-2.0
"""Ways on which a hand that presses on a box can take it along, all the way into a region.

Pads that press on its top hold a box: it moves as the hand does, in any direction. So a way for both together is a way
for one rigid figure, searched on a grid of places and headings::

    for each of several ways the hand may stand on the box:
        risk = where the box, the pads and the palm may touch something, by place and heading
        for the least risk that leaves a way into the region:
            the shortest one (Dijkstra), its corners cut where that is no riskier
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from robo_orch.policies.mpc.cost import AIM, MARGIN, REACH, Ground
from robo_orch.policies.mpc.plane import Shapes
from robo_orch.policies.mpc.pushes import GRIPS, STEP, TOP, Box
from robo_orch.types import Array

#: The ground that is looked at (base frame), the size of a cell, m, and headings in half a turn: turned by half of one,
#: box and hand cover what they covered (chosen: between neighbours a box's corners move 25 mm at most).
X, Y, CELL, HEADINGS = (0.30, 0.78), (-0.62, 0.26), 0.015, 12
#: Headings of the hand against the box's, in steps of the grid: across, along, and between.
STANCES = (0, 6, 3, 9)
#: Risks of touching something that are accepted, one after the other where the one before leaves no way (chosen).
ACCEPTED = (0.03, 0.12, 0.3, 0.5)
#: What a metre through ground as risky as is just accepted costs more, and what a turn by a heading costs, m (chosen:
#: a box that is turned slips under the pads, by a third of the turn at worst).
RELUCTANCE, TURN = 2.0, 0.08
#: How far inside the region's border ways lead at least, m: where none leads as far as is aimed at (chosen).
INSIDE = 0.02
#: How far (rad) a box turns at most in one step of a way (chosen: its corners then move by about a step).
TURN_STEP = 0.12


@dataclass(frozen=True, slots=True, eq=False)
class Drag:
    """A way: ``hand`` and ``boxes`` ``(t, 3)`` from where they are, a step apart; ``cost`` m, ``risk`` at its worst."""

    hand: Array
    boxes: Array
    cost: float
    risk: float


def drags(box: Box, ground: Ground, held: Array | None = None) -> list[Drag]:
    """Ways into the region, the cheapest first, one for each way the hand may stand.

    Args:
        held: where the hand presses on the box already, ``(3,)`` in the box's frame.
    """
    grid = _Grid(box, ground)
    if held is not None:
        k = round(float(held[2]) / np.pi * HEADINGS) % HEADINGS
        found = [grid.way(k, held)]
    else:
        found = [grid.way(k, np.array([0.0, 0.0, np.pi * k / HEADINGS])) for k in STANCES]
    return sorted((drag for drag in found if drag is not None), key=lambda drag: drag.cost)


class _Grid:
    """Box poses on a grid ``(k, nx, ny)``: what each risks, and what is left to go from it."""

    def __init__(self, box: Box, ground: Ground) -> None:
        self._box = box
        x, y = np.arange(*X, CELL), np.arange(*Y, CELL)
        self._xy = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)  # (nx, ny, 2)
        self._yaw = np.pi * np.arange(HEADINGS) / HEADINGS
        centre = np.broadcast_to(self._xy, (HEADINGS, *self._xy.shape))
        yaw = np.broadcast_to(self._yaw[:, None, None], centre.shape[:-1])
        at = box.at
        here = ground.low.gaps(at[:2], at[2], box.half[:2])
        gaps = ground.low.gaps(centre, yaw, box.half[:2])
        self._low = ground.low.risks(gaps, box.sigma, 0.0, here)
        pads = _touching(ground.over, centre, yaw, TOP.half)
        palm = _touching(ground.high, centre, yaw, np.array(TOP.palm))
        self._hand = 1.0 - (1.0 - pads) * (1.0 - palm)
        distance = np.linalg.norm(self._xy, axis=-1)
        self._reached = (distance > REACH[0]) & (distance < REACH[1])
        inside = ground.ways.inside(self._xy)
        self._goals = [inside >= AIM, inside >= INSIDE]

    def way(self, stance: int, held: Array) -> Drag | None:
        """The way for a hand that stands at ``held`` ``(3,)`` on the box, ``stance`` headings on, if there is one."""
        risk = 1.0 - (1.0 - self._low) * (1.0 - np.roll(self._hand, -stance, axis=0))
        risk[:, ~self._reached] = 1.0
        start = self._cell(self._box.at)
        for accepted, goal in product(ACCEPTED, self._goals):
            free = risk <= accepted
            free[start] = True
            nodes = self._shortest(risk, free, free & goal, accepted, start)
            if len(nodes) > 1:
                return self._drawn(nodes, risk, max(accepted, float(risk[start])), held)
        return None

    def _shortest(
        self,
        risk: Array,
        free: NDArray[np.bool_],
        goal: NDArray[np.bool_],
        accepted: float,
        start: tuple[int, int, int],
    ) -> list[tuple[int, int, int]]:
        """Cells of the cheapest way from the start to a goal; empty if there is none."""
        if not goal.any():
            return []
        price = 1.0 + RELUCTANCE * np.minimum(risk / accepted, 1.0)
        number = np.arange(risk.size).reshape(risk.shape)
        cost, before = dijkstra(
            _graph(price, free), directed=False, indices=int(number[start]), return_predecessors=True
        )
        total = np.where(goal, cost.reshape(risk.shape), np.inf)
        node = int(np.argmin(total))
        if not np.isfinite(total.ravel()[node]):
            return []
        nodes = []
        while node >= 0:
            nodes.append(node)
            node = int(before[node])
        return [tuple(int(i) for i in np.unravel_index(n, risk.shape)) for n in reversed(nodes)]  # type: ignore[misc]

    def _drawn(self, nodes: list[tuple[int, int, int]], risk: Array, accepted: float, held: Array) -> Drag:
        """The way through cells, its corners cut where that is no riskier."""
        corners = self._corners(nodes)
        kept, i = [corners[0]], 0
        while i < len(corners) - 1:
            j = next(
                (j for j in range(len(corners) - 1, i + 1, -1) if self._clear(corners[i], corners[j], risk, accepted)),
                i + 1,
            )
            kept.append(corners[j])
            i = j
        boxes = np.concatenate([kept[0][None], *(_between(a, b) for a, b in pairwise(kept))])
        worst = max(float(risk[self._cell(pose)]) for pose in boxes)
        length = float(np.linalg.norm(np.diff(boxes[:, :2], axis=0), axis=1).sum())
        turned = float(np.abs(np.diff(boxes[:, 2])).sum())
        return Drag(_carried(boxes, held), boxes, length + TURN * turned + 2.0 * worst, worst)

    def _corners(self, nodes: list[tuple[int, int, int]]) -> list[Array]:
        """Box poses of cells, the first where the box is, headings unwrapped: half a turn looks the same."""
        poses = [self._box.at]
        for k, i, j in nodes[1:]:
            turn = (self._yaw[k] - poses[-1][2] + np.pi / 2) % np.pi - np.pi / 2
            poses.append(np.array([*self._xy[i, j], poses[-1][2] + turn]))
        return poses

    def _clear(self, a: Array, b: Array, risk: Array, accepted: float) -> bool:
        return all(risk[self._cell(pose)] <= accepted for pose in _between(a, b))

    def _cell(self, pose: Array) -> tuple[int, int, int]:
        k = round(float(pose[2]) / np.pi * HEADINGS) % HEADINGS
        i = int(np.clip(round((pose[0] - X[0]) / CELL), 0, self._xy.shape[0] - 1))
        j = int(np.clip(round((pose[1] - Y[0]) / CELL), 0, self._xy.shape[1] - 1))
        return k, i, j


def _touching(shapes: Shapes, centre: Array, yaw: Array, half: Array) -> Array:
    return shapes.risks(shapes.gaps(centre, yaw, half), 0.0, MARGIN)


def _graph(price: Array, free: NDArray[np.bool_]) -> csr_array:
    """Neighbouring free cells, by what it costs (m) to go from one to the other."""
    number = np.arange(price.size).reshape(price.shape)
    rows, columns, weights = [], [], []

    def join(a: tuple[slice, ...], b: tuple[slice, ...], length: float) -> None:
        both = free[a] & free[b]
        rows.append(number[a][both])
        columns.append(number[b][both])
        weights.append(0.5 * length * (price[a] + price[b])[both])

    whole, here, there = slice(None), slice(None, -1), slice(1, None)
    join((whole, here, whole), (whole, there, whole), CELL)
    join((whole, whole, here), (whole, whole, there), CELL)
    join((whole, here, here), (whole, there, there), CELL * 2**0.5)
    join((whole, here, there), (whole, there, here), CELL * 2**0.5)
    join((here, whole, whole), (there, whole, whole), TURN)
    join((slice(-1, None), whole, whole), (slice(0, 1), whole, whole), TURN)
    data = (np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns)))
    return csr_array(data, shape=(price.size, price.size))


def _between(a: Array, b: Array) -> Array:
    """Poses ``(t, 3)`` after ``a`` up to ``b``, at most a step apart."""
    n = max(1, int(np.ceil(max(np.linalg.norm((b - a)[:2]) / STEP, abs(b[2] - a[2]) / TURN_STEP))))
    return a + (b - a) * (np.arange(1, n + 1) / n)[:, None]


def _carried(boxes: Array, held: Array) -> Array:
    """Where the hand is that stands at ``held`` ``(3,)`` on boxes ``(t, 3)``."""
    c, s = np.cos(boxes[:, 2]), np.sin(boxes[:, 2])
    x, y = c * held[0] - s * held[1], s * held[0] + c * held[1]
    return np.stack([boxes[:, 0] + x, boxes[:, 1] + y, boxes[:, 2] + held[2]], axis=-1)


#: The grip with which a box is taken along.
ON_TOP = GRIPS.index(TOP)
