# SPDX-License-Identifier: Apache-2.0
"""Which push next: sampled, judged by their way alone, rolled out in the model, refined (cross-entropy method).

::

    pushes = those that go on from where the hand is; if one of them leads there, no others are asked for
    pushes = samples of every side and grip
    for each round:
        roll out the most promising ones
        pushes = samples around the elites
    where no push leads there: what one more push could do from where they may end decides
    return the best of each side and grip, one after the other
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from robo_orch.policies.mpc.cost import AGAIN, ANEW, LEFT, MODEL_ROOM, ROOM, Ground, guessed, judged
from robo_orch.policies.mpc.model import PushModel
from robo_orch.policies.mpc.pushes import (
    DRAWN_FOR,
    FACE,
    GRIP,
    GRIPS,
    LONGEST,
    STEP,
    Box,
    arcs,
    first,
    near,
    onward,
    starts,
)
from robo_orch.types import Array

#: Pushes drawn for each side and grip, rolled out in each round, taken for elites, drawn around each of those (chosen:
#: a search takes about 0.5 s of one core).
DRAWN, ROLLED, ELITES, AROUND = 16, 28, 4, 7
#: They are rolled out as far as this share of them promises most, and so much farther, m (chosen).
FAR, FARTHER = 0.9, 0.04
#: Spread of the samples around elites in each further round, share of what is sampled at most (chosen).
SPREAD = (0.30,)
#: What each better one of the same side and grip counts, m, and the fewest steps of a push (chosen).
VARIED, SHORTEST = 0.04, 3
#: A push that leads there with a risk below this is good enough to ask for no others, or not to look ahead (chosen).
FINE = 0.2
#: Stops of pushes from which is looked ahead, at most; every how many steps; pushes drawn there a side and grip
#: (chosen: it takes 0.3 s).
STOPS, EVERY, SECOND = 64, 4, 2


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A push and what it leads to.

    Attributes:
        push: ``(5,)``; ``fresh`` says whether the hand has yet to go to where it begins.
        path: pusher poses ``(t, 3)``, the first where it begins; ``boxes`` ``(t, 3)`` where the box then is.
        cost: m; ``risk`` the probability that something is touched, ``left`` the way left at its end, m.
    """

    push: Array
    fresh: bool
    path: Array
    boxes: Array
    cost: float
    risk: float
    left: float

    @property
    def grip(self) -> int:
        """Index into :data:`GRIPS`."""
        return int(self.push[GRIP])

    @property
    def where(self) -> tuple[int, int]:
        """Side and grip."""
        return int(self.push[FACE]), self.grip

    @property
    def fine(self) -> bool:
        """Whether it leads there at little risk."""
        return self.left == 0.0 and self.risk < FINE


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """The hand behind the box after a push: ``pusher`` ``(3,)``, at which side, with which grip."""

    pusher: Array
    face: int
    grip: int


def search(
    rng: np.random.Generator, model: PushModel, box: Box, ground: Ground, touch: Touch | None = None
) -> list[Plan]:
    """Pushes that bring the box nearer, the best first, at most one a side and grip and kind of beginning.

    Args:
        touch: where the hand is if it is behind the box already: going on from there costs nothing anew.
    """
    found: list[list[Plan]] = []
    if touch is not None:
        mine = onward(rng, touch.face, touch.grip, DRAWN)
        found += _promising(model, box, mine, ground, touch.pusher)
        if _best(found).fine:
            return [_best(found)]
    pushes = first(rng, DRAWN)
    for spread in (*SPREAD, 0.0):
        found += _promising(model, box, pushes, ground)
        if spread:
            elites = sorted((min(stops, key=_cost) for stops in found), key=_cost)[:ELITES]
            pushes = near(rng, np.array([plan.push for plan in elites]), AROUND, spread)
    plans = list(chain.from_iterable(found))
    if not _best(found).fine:
        plans = _ahead(rng, box, plans, ground)
    best: dict[tuple[int, int, bool], Plan] = {}
    for plan in sorted(plans, key=_cost):
        best.setdefault((*plan.where, plan.fresh), plan)
    return list(best.values())


def _promising(
    model: PushModel, box: Box, pushes: Array, ground: Ground, hand: Array | None = None
) -> list[list[Plan]]:
    """The most promising of some pushes, rolled out as far as they promise; ``hand`` ``(3,)``: where all begin."""
    begin = None if hand is None else np.tile(hand, (len(pushes), 1))
    costs, ends = guessed(box, pushes, ground, begin)
    order = _varied(costs, pushes)[:ROLLED]
    longest = min(LONGEST, float(np.quantile(ends[order], FAR)) + FARTHER)
    return _rolled(model, box, pushes[order], ground, longest, None if begin is None else begin[order])


def _rolled(
    model: PushModel, box: Box, pushes: Array, ground: Ground, longest: float, start: Array | None
) -> list[list[Plan]]:
    """The pushes, rolled out in the model: for each one the plans of ending it here or there, the best first."""
    fresh = start is None
    begin = starts(box, pushes, MODEL_ROOM) if start is None else start
    room = MODEL_ROOM if fresh else 0.0
    lengths = np.arange(0.0, max(longest + room, (SHORTEST + 1) * STEP), STEP)
    paths = arcs(begin, pushes, room, lengths)
    boxes = model.roll(box, pushes[:, GRIP].astype(int).tolist(), paths, STEP)
    back = starts(box, pushes, ROOM) if fresh else begin
    cost, risk, left = judged(box, pushes, back, paths, boxes, ground)
    cost = cost + lengths + ANEW * fresh

    def ended(i: int, e: int) -> Plan:
        ways = paths[i, : e + 1], boxes[i, : e + 1]
        return Plan(pushes[i], fresh, *ways, float(cost[i, e]), float(risk[i, e]), float(left[i, e]))

    best = np.argmin(cost[:, SHORTEST:], axis=1) + SHORTEST
    stops = range(EVERY, len(lengths), EVERY)
    return [[ended(i, int(e)), *(ended(i, stop) for stop in stops if stop != e)] for i, e in enumerate(best)]


def _ahead(rng: np.random.Generator, box: Box, plans: Sequence[Plan], ground: Ground) -> list[Plan]:
    """The most promising plans, with the cost of one more push instead of that of the way left."""
    order = _varied(np.array([plan.cost for plan in plans]), np.array([plan.push for plan in plans]))
    some = [plans[i] for i in order[:STOPS]]
    pushes = np.tile(first(rng, SECOND), (len(some), 1))
    each = 4 * DRAWN_FOR * SECOND
    there = Box(np.repeat([plan.boxes[-1] for plan in some], each, axis=0), box.half, box.sigma)
    costs, _ = guessed(there, pushes, ground, None)
    then = costs.reshape(len(some), each).min(axis=1) + ANEW
    return [
        replace(plan, cost=plan.cost - LEFT * plan.left - AGAIN + float(more)) if plan.left > 0.0 else plan
        for plan, more in zip(some, then, strict=True)
    ]


def _varied(costs: Array, pushes: Array) -> Array:
    """Order ``(n,)`` by cost, in which the next best of the same side and grip counts as a little worse each time."""
    order = np.argsort(costs, kind="stable")
    kinds = pushes[order, FACE] * len(GRIPS) + pushes[order, GRIP]
    rank = np.array([np.count_nonzero(kinds[:i] == kind) for i, kind in enumerate(kinds)])
    return np.asarray(order[np.argsort(costs[order] + VARIED * rank, kind="stable")])


def _best(found: Sequence[Sequence[Plan]]) -> Plan:
    return min((stops[0] for stops in found), key=_cost)


def _cost(plan: Plan) -> float:
    return plan.cost
