# SPDX-License-Identifier: Apache-2.0
"""Ways on which a hand that presses on a box takes it along, all the way into a region.

Closed fingers that press on the middle of its top hold a box: it goes where they go, and keeps its heading. So a way
for both together is a way for one rigid figure that does not turn, searched on a grid of places::

    for each of several headings of the hand:
        risk = where the box, the fingers and the palm may touch something, by place
        for the least risk that leaves a way into the region:
            the cheapest one (Dijkstra), its corners cut where that is no riskier
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from robo_orch.policies.mpc.cost import AIM, MARGIN, REACH, Ground
from robo_orch.policies.mpc.pushes import GRIPS, STEP, TOP, Box
from robo_orch.types import Array

#: The grip with which a box is taken along.
ON_TOP = GRIPS.index(TOP)
#: The ground that is looked at (base frame) and the size of a cell, m; headings of the hand in half a turn (chosen).
X, Y, CELL, HEADINGS = (0.30, 0.78), (-0.62, 0.26), 0.012, 6
#: Risks of touching something that are accepted, one after the other where the one before leaves no way (chosen).
ACCEPTED = (0.03, 0.12, 0.3, 0.5)
#: What a metre through ground as risky as is just accepted costs more (chosen).
RELUCTANCE = 2.0
#: How far inside the region's border ways lead at least, m: where none leads as far as is aimed at (chosen).
INSIDE = 0.02

_Cell = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Drag:
    """A way: ``hand`` and ``boxes`` ``(t, 3)`` from where they are, a step apart; ``cost`` m, ``risk`` at its worst."""

    hand: Array
    boxes: Array
    cost: float
    risk: float


def drags(box: Box, ground: Ground, hand: Array | None = None) -> list[Drag]:
    """Ways into the region, the cheapest first, at most one for each heading of the hand.

    Args:
        hand: where it presses on the box already, ``(3,)``.
    """
    grid = _Grid(box, ground)
    if hand is not None:
        found = [grid.way(hand)]
    else:
        found = [grid.way(np.array([*box.at[:2], np.pi * i / HEADINGS])) for i in range(HEADINGS)]
    return sorted((drag for drag in found if drag is not None), key=lambda drag: drag.cost)


class _Grid:
    """Places of a box that does not turn, ``(nx, ny)``: what each risks, and which are in the region."""

    def __init__(self, box: Box, ground: Ground) -> None:
        self._box, self._ground = box, ground
        self._xy = np.stack(np.meshgrid(np.arange(*X, CELL), np.arange(*Y, CELL), indexing="ij"), axis=-1)
        here = ground.low.gaps(box.at[:2], box.at[2], box.half[:2])
        gaps = ground.low.gaps(self._xy, np.full(self._xy.shape[:2], box.at[2]), box.half[:2])
        self._low = ground.low.risks(gaps, box.sigma, 0.0, here)
        distance = np.linalg.norm(self._xy, axis=-1)
        self._low[(distance < REACH[0]) | (distance > REACH[1])] = 1.0
        inside = ground.ways.inside(self._xy)
        self._goals = [inside >= AIM, inside >= INSIDE]

    def way(self, hand: Array) -> Drag | None:
        """The way for a hand that stands at ``hand`` ``(3,)`` on the box, if there is one."""
        ground, at = self._ground, self._xy + (hand - self._box.at)[:2]
        yaw = np.full(at.shape[:2], hand[2])
        pads = ground.over.risks(ground.over.gaps(at, yaw, TOP.half), 0.0, MARGIN)
        palm = ground.high.risks(ground.high.gaps(at, yaw, np.array(TOP.palm)), 0.0, MARGIN)
        risk = 1.0 - (1.0 - self._low) * (1.0 - pads) * (1.0 - palm)
        start = self._cell(self._box.at)
        for accepted, goal in product(ACCEPTED, self._goals):
            free = risk <= accepted
            free[start] = True
            nodes = _shortest(1.0 + RELUCTANCE * np.minimum(risk / accepted, 1.0), free, free & goal, start)
            if len(nodes) > 1:
                return self._drawn(nodes, risk, accepted, hand)
        return None

    def _drawn(self, nodes: list[_Cell], risk: Array, accepted: float, hand: Array) -> Drag:
        """The way through cells, its corners cut where that is no riskier."""
        corners = [self._box.at[:2], *(self._xy[node] for node in nodes[1:])]
        kept, i = [corners[0]], 0
        while i < len(corners) - 1:
            straight = (
                j for j in range(len(corners) - 1, i + 1, -1) if self._clear(corners[i], corners[j], risk, accepted)
            )
            i = next(straight, i + 1)
            kept.append(corners[i])
        places = np.concatenate([kept[0][None], *(_between(a, b) for a, b in pairwise(kept))])
        worst = max(float(risk[self._cell(place)]) for place in places[1:])
        length = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
        boxes = np.column_stack([places, np.full(len(places), self._box.at[2])])
        return Drag(boxes + (hand - self._box.at), boxes, length + 2.0 * worst, worst)

    def _clear(self, a: Array, b: Array, risk: Array, accepted: float) -> bool:
        return all(risk[self._cell(place)] <= accepted for place in _between(a, b))

    def _cell(self, place: Array) -> _Cell:
        i = np.clip(round((place[0] - X[0]) / CELL), 0, self._xy.shape[0] - 1)
        j = np.clip(round((place[1] - Y[0]) / CELL), 0, self._xy.shape[1] - 1)
        return int(i), int(j)


def _shortest(price: Array, free: NDArray[np.bool_], goal: NDArray[np.bool_], start: _Cell) -> list[_Cell]:
    """Cells of the cheapest way from the start to a goal; empty if there is none."""
    number = np.arange(price.size).reshape(price.shape)
    cost, before = dijkstra(_graph(price, free), directed=False, indices=int(number[start]), return_predecessors=True)
    total = np.where(goal.ravel(), cost, np.inf)
    node, nodes = int(np.argmin(total)), list[_Cell]()
    if not np.isfinite(total[node]):
        return []
    while node >= 0:
        nodes.append(divmod(node, price.shape[1]))
        node = int(before[node])
    return nodes[::-1]


def _graph(price: Array, free: NDArray[np.bool_]) -> csr_array:
    """Neighbouring free cells, by what it costs (m) to go from one to the other."""
    number = np.arange(price.size).reshape(price.shape)
    whole, here, there = slice(None), slice(None, -1), slice(1, None)
    rows, columns, weights = [], [], []
    for a, b, length in (
        ((here, whole), (there, whole), CELL),
        ((whole, here), (whole, there), CELL),
        ((here, here), (there, there), CELL * 2**0.5),
        ((here, there), (there, here), CELL * 2**0.5),
    ):
        both = free[a] & free[b]
        rows.append(number[a][both])
        columns.append(number[b][both])
        weights.append(0.5 * length * (price[a] + price[b])[both])
    data = (np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns)))
    return csr_array(data, shape=(price.size, price.size))


def _between(a: Array, b: Array) -> Array:
    """Places ``(t, 2)`` after ``a`` up to ``b``, at most a step apart."""
    n = max(1, int(np.ceil(np.linalg.norm(b - a) / STEP)))
    return a + (b - a) * (np.arange(1, n + 1) / n)[:, None]
