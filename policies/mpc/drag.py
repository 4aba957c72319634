# SPDX-License-Identifier: Apache-2.0
"""Ways on which a hand that presses on a box takes it along, all the way into a region.

Fingers that press on the middle of its top hold a box: it goes where they go. So a way for both together is a way for
one rigid figure, searched on a grid of places and headings::

    with closed fingers and without turning, and only if there is no way, with fingers apart and turning:
        for each of several headings of the hand on the box:
            risk = where the box, the fingers and the palm may touch something, by heading and place
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
from robo_orch.policies.mpc.pushes import GRIPS, STEP, TOP, WIDE, Box, Grip
from robo_orch.types import Array

#: The ground that is looked at (base frame) and the size of a cell, m (chosen).
X, Y, CELL = (0.30, 0.78), (-0.62, 0.26), 0.014
#: Headings of a box in half a turn; of those, headings in which the hand may stand on it (chosen: half a turn on, box
#: and hand cover what they covered; between neighbours corners move 25 mm at most).
HEADINGS, STANCES = 12, (0, 6, 3, 9)
#: Risks of touching something that are accepted, one after the other where the one before leaves no way (chosen).
ACCEPTED = (0.03, 0.12, 0.3, 0.5)
#: A way without turning that risks more than this is worth a look for one with turning (chosen).
RISKY = 0.2
#: What a metre through ground as risky as is just accepted costs more, and what a turn by a heading costs, m (chosen:
#: a box that is turned slips more than one that is not).
RELUCTANCE, TURN = 2.0, 0.06
#: How far inside the region's border ways lead at least, m: where none leads as far as is aimed at (chosen).
INSIDE = 0.02
#: How far (rad) a box turns at most in one step of a way (chosen: its corners then move by about a step).
TURN_STEP = 0.12

_Cell = tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Drag:
    """A way: ``hand`` and ``boxes`` ``(t, 3)`` from where they are, a step apart.

    ``grip``: index into :data:`GRIPS`; ``cost`` m; ``risk`` at its worst.
    """

    grip: int
    hand: Array
    boxes: Array
    cost: float
    risk: float


def drags(box: Box, ground: Ground, held: tuple[Array, int] | None = None) -> list[Drag]:
    """Ways into the region, the cheapest first.

    Args:
        held: where the hand presses on the box already, ``(3,)``, and with which grip.
    """
    if held is not None:
        way = _Grid(box, ground, HEADINGS if GRIPS[held[1]] is WIDE else 1).way(*held)
        return [] if way is None else [way]
    found = _all(_Grid(box, ground, 1), box, GRIPS.index(TOP))
    if not found or found[0].risk > RISKY:
        found += _all(_Grid(box, ground, HEADINGS), box, GRIPS.index(WIDE))
    return sorted(found, key=lambda drag: drag.cost)


def _all(grid: _Grid, box: Box, grip: int) -> list[Drag]:
    found = (grid.way(box.at + np.array([0.0, 0.0, np.pi * i / HEADINGS]), grip) for i in STANCES)
    return sorted((drag for drag in found if drag is not None), key=lambda drag: drag.cost)


class _Grid:
    """Poses of a box, ``(k, nx, ny)``: what each risks, and which are in the region.

    Args:
        headings: how many it may have; 1: it does not turn.
    """

    def __init__(self, box: Box, ground: Ground, headings: int) -> None:
        self._box, self._ground = box, ground
        self._xy = np.stack(np.meshgrid(np.arange(*X, CELL), np.arange(*Y, CELL), indexing="ij"), axis=-1)
        self._turns = np.pi * np.arange(headings) / headings
        here = ground.low.gaps(box.at[:2], box.at[2], box.half[:2])
        low = [ground.low.gaps(self._xy, np.full(self._xy.shape[:2], box.at[2] + t), box.half[:2]) for t in self._turns]
        self._low = ground.low.risks(np.array(low), box.sigma, 0.0, here)
        distance = np.linalg.norm(self._xy, axis=-1)
        self._low[:, (distance < REACH[0]) | (distance > REACH[1])] = 1.0
        inside = ground.ways.inside(self._xy)
        self._goals = [inside >= AIM, inside >= INSIDE]

    def way(self, hand: Array, grip: int) -> Drag | None:
        """The way for a hand that stands at ``hand`` ``(3,)`` on the box, if there is one."""
        risk = 1.0 - (1.0 - self._low) * (1.0 - np.array([self._hand(hand, t, GRIPS[grip]) for t in self._turns]))
        start = self._cell(self._box.at)
        for accepted, goal in product(ACCEPTED, self._goals):
            free = risk <= accepted
            free[start] = True
            nodes = _shortest(1.0 + RELUCTANCE * np.minimum(risk / accepted, 1.0), free, free & goal, start)
            if len(nodes) > 1:
                return self._drawn(nodes, risk, accepted, hand, grip)
        return None

    def _hand(self, hand: Array, turn: float, grip: Grip) -> Array:
        """What the hand risks ``(nx, ny)`` if it stands on the box as at ``hand``, both turned by an angle, rad."""
        ground, at = self._ground, self._xy + _turned((hand - self._box.at)[:2], turn)
        yaw = np.full(at.shape[:2], hand[2] + turn)
        pads = ground.over.risks(ground.over.gaps(at, yaw, grip.half), 0.0, MARGIN)
        palm = ground.high.risks(ground.high.gaps(at, yaw, np.array(grip.palm)), 0.0, MARGIN)
        return np.asarray(1.0 - (1.0 - pads) * (1.0 - palm))

    def _drawn(self, nodes: list[_Cell], risk: Array, accepted: float, hand: Array, grip: int) -> Drag:
        """The way through cells, its corners cut where that is no riskier."""
        corners = self._corners(nodes)
        kept, i = [corners[0]], 0
        while i < len(corners) - 1:
            further = range(len(corners) - 1, i + 1, -1)
            i = next((j for j in further if self._clear(corners[i], corners[j], risk, accepted)), i + 1)
            kept.append(corners[i])
        boxes = np.concatenate([kept[0][None], *(_between(a, b) for a, b in pairwise(kept))])
        worst = max(float(risk[self._cell(pose)]) for pose in boxes[1:])
        length = float(np.linalg.norm(np.diff(boxes[:, :2], axis=0), axis=1).sum())
        turned = float(np.abs(np.diff(boxes[:, 2])).sum()) * HEADINGS / np.pi
        turn = boxes[:, 2] - self._box.at[2]
        offset = _turned((hand - self._box.at)[:2], turn)
        hands = np.column_stack([boxes[:, :2] + offset, hand[2] + turn])
        return Drag(grip, hands, boxes, length + TURN * turned + 2.0 * worst, worst)

    def _corners(self, nodes: list[_Cell]) -> list[Array]:
        """Box poses of cells, the first where the box is; headings go on from there: half a turn changes nothing."""
        poses = [self._box.at]
        for k, i, j in nodes[1:]:
            turn = self._box.at[2] + self._turns[k] - poses[-1][2]
            poses.append(np.array([*self._xy[i, j], poses[-1][2] + (turn + np.pi / 2) % np.pi - np.pi / 2]))
        return poses

    def _clear(self, a: Array, b: Array, risk: Array, accepted: float) -> bool:
        return all(risk[self._cell(pose)] <= accepted for pose in _between(a, b))

    def _cell(self, pose: Array) -> _Cell:
        k = round(float(pose[2] - self._box.at[2]) / np.pi * len(self._turns)) % len(self._turns)
        i = np.clip(round((pose[0] - X[0]) / CELL), 0, self._xy.shape[0] - 1)
        j = np.clip(round((pose[1] - Y[0]) / CELL), 0, self._xy.shape[1] - 1)
        return k, int(i), int(j)


def _shortest(price: Array, free: NDArray[np.bool_], goal: NDArray[np.bool_], start: _Cell) -> list[_Cell]:
    """Cells of the cheapest way from the start to a goal; empty if there is none."""
    number = np.arange(price.size).reshape(price.shape)
    cost, before = dijkstra(_graph(price, free), directed=False, indices=int(number[start]), return_predecessors=True)
    total = np.where(goal.ravel(), cost, np.inf)
    node, nodes = int(np.argmin(total)), list[_Cell]()
    if not np.isfinite(total[node]):
        return []
    while node >= 0:
        k, i, j = np.unravel_index(node, price.shape)
        nodes.append((int(k), int(i), int(j)))
        node = int(before[node])
    return nodes[::-1]


def _graph(price: Array, free: NDArray[np.bool_]) -> csr_array:
    """Neighbouring free cells, by what it costs (m) to go from one to the other."""
    number = np.arange(price.size).reshape(price.shape)
    whole, here, there, last, first = slice(None), slice(None, -1), slice(1, None), slice(-1, None), slice(0, 1)
    rows, columns, weights = [], [], []
    for a, b, length in (
        ((whole, here, whole), (whole, there, whole), CELL),
        ((whole, whole, here), (whole, whole, there), CELL),
        ((whole, here, here), (whole, there, there), CELL * 2**0.5),
        ((whole, here, there), (whole, there, here), CELL * 2**0.5),
        ((here, whole, whole), (there, whole, whole), TURN),
        ((last, whole, whole), (first, whole, whole), TURN),
    ):
        both = free[a] & free[b]
        rows.append(number[a][both])
        columns.append(number[b][both])
        weights.append(0.5 * length * (price[a] + price[b])[both])
    data = (np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns)))
    return csr_array(data, shape=(price.size, price.size))


def _between(a: Array, b: Array) -> Array:
    """Poses ``(t, 3)`` after ``a`` up to ``b``, at most a step apart."""
    n = max(1, int(np.ceil(max(np.linalg.norm((b - a)[:2]) / STEP, abs(b[2] - a[2]) / TURN_STEP))))
    return a + (b - a) * (np.arange(1, n + 1) / n)[:, None]


def _turned(vector: Array, angle: Array | float) -> Array:
    """A vector ``(2,)`` turned by angles ``(...)`` rad, ``(..., 2)``."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]], axis=-1)
