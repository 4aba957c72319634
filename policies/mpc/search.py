# SPDX-License-Identifier: Apache-2.0
"""Which push next: sampled, judged by their way alone, rolled out in the model, refined (cross-entropy method).

::

    pushes = those of every side and grip that leave the hand room
    for each round:
        roll out the most promising ones; cost of the best place to stop along each
        pushes = samples around the elites
    return the best, one after the other

A cost is a length in metres: way pushed, way left, and what risks and further pushes are worth in way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robo_orch.policies.mpc.model import PushModel
from robo_orch.policies.mpc.plane import Shapes
from robo_orch.policies.mpc.pushes import (
    FACE,
    GRIP,
    GRIPS,
    LONGEST,
    STEP,
    Box,
    Grip,
    arcs,
    first,
    near,
    starts,
)
from robo_orch.policies.mpc.way import Ways
from robo_orch.types import Array

#: Pushes drawn for each side and grip, rolled out in each round, taken for elites, drawn around each of those (chosen:
#: a search takes about 0.5 s of one core).
DRAWN, ROLLED, ELITES, AROUND = 24, 28, 4, 7
#: They are rolled out as far as this share of them promises most, and so much farther, m (chosen).
FAR, FARTHER = 0.9, 0.04
#: Spread of the samples around elites in each further round, share of what is sampled at most (chosen).
SPREAD = (0.30,)
#: Room between the pads and the box where a push begins, m (chosen: three sigma of its side), and within the model.
ROOM, MODEL_ROOM = 0.014, 0.004
#: Nothing shall be nearer than this to pads and palm, m (chosen).
MARGIN = 0.004
#: What a push that begins anew costs; what is left to go, a further push and a sure collision cost, m (chosen).
ANEW, LEFT, AGAIN, COLLISION = 0.20, 1.3, 0.30, 2.5
#: What turning the box costs, m for each rad (chosen: it settles between ways that are else as good).
TURNING = 0.02
#: Distances from the base between which the hand can point down at the table, m (chosen: panda, tested with IK).
REACH = (0.30, 0.78)
#: What each metre beyond them costs, m (chosen: more than any way).
BEYOND = 40.0


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


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """The hand behind the box after a push: ``pusher`` ``(3,)``, at which side, with which grip."""

    pusher: Array
    face: int
    grip: int


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What a search needs to know of the scene.

    ``low``: what the box and the pads may run into, ``tall``: what the palm may; ``ways`` to the region.
    """

    low: Shapes
    tall: Shapes
    ways: Ways


def search(
    rng: np.random.Generator, model: PushModel, box: Box, ground: Ground, touch: Touch | None = None
) -> list[Plan]:
    """Pushes that bring the box nearer, the best first, at most one a side and grip and kind of beginning.

    Args:
        touch: where the hand is if it is behind the box already: going on from there costs nothing anew.
    """
    pushes = first(rng, DRAWN)
    found: list[Plan] = []
    for spread in (*SPREAD, 0.0):
        found += _promising(model, box, pushes, ground)
        if spread:
            elites = np.array([plan.push for plan in sorted(found, key=_cost)[:ELITES]])
            pushes = near(rng, elites, AROUND, spread)
    if touch is not None:
        mine = first(rng, DRAWN)
        mine = mine[(mine[:, FACE] == touch.face) & (mine[:, GRIP] == touch.grip)]
        found += _promising(model, box, mine, ground, touch.pusher)
    best: dict[tuple[int, int, bool], Plan] = {}
    for plan in sorted(found, key=_cost):
        best.setdefault((*plan.where, plan.fresh), plan)
    return list(best.values())


def _promising(model: PushModel, box: Box, pushes: Array, ground: Ground, hand: Array | None = None) -> list[Plan]:
    """The most promising of some pushes, rolled out as far as they promise; ``hand`` ``(3,)``: where all begin."""
    begin = None if hand is None else np.tile(hand, (len(pushes), 1))
    costs, ends = _guessed(box, pushes, ground, begin)
    order = np.argsort(costs, kind="stable")[:ROLLED]
    longest = min(LONGEST, float(np.quantile(ends[order], FAR)) + FARTHER)
    return _rolled(model, box, pushes[order], ground, longest, None if begin is None else begin[order])


def _guessed(box: Box, pushes: Array, ground: Ground, start: Array | None) -> tuple[Array, Array]:
    """Least costs of pushes if the box stuck to the pads, and after which way (m) each is reached, ``(n,)``."""
    begin, back = (starts(box, pushes, 0.0), starts(box, pushes, ROOM)) if start is None else (start, start)
    lengths = np.arange(0.0, LONGEST, 3 * STEP)
    paths = arcs(begin, pushes, 0.0, lengths)
    turned = paths[..., 2] - paths[:, :1, 2]
    offset = box.at[:2] - paths[:, :1, :2]
    c, s = np.cos(turned), np.sin(turned)
    x = paths[..., 0] + c * offset[..., 0] - s * offset[..., 1]
    y = paths[..., 1] + s * offset[..., 0] + c * offset[..., 1]
    boxes = np.stack([x, y, box.at[2] + turned], axis=-1)
    cost, *_ = judged(box, pushes, back, paths, boxes, ground)
    cost = cost + lengths
    return cost.min(axis=1), lengths[np.argmin(cost, axis=1)]


def _rolled(
    model: PushModel, box: Box, pushes: Array, ground: Ground, longest: float, start: Array | None
) -> list[Plan]:
    """The pushes, rolled out in the model, each ended where that is best."""
    fresh = start is None
    begin = starts(box, pushes, MODEL_ROOM) if start is None else start
    room = MODEL_ROOM if fresh else 0.0
    lengths = np.arange(0.0, longest + room, STEP)
    paths = arcs(begin, pushes, room, lengths)
    boxes = model.roll(box, pushes[:, GRIP].astype(int).tolist(), paths, STEP)
    back = starts(box, pushes, ROOM) if fresh else begin
    cost, risk, left = judged(box, pushes, back, paths, boxes, ground)
    cost = cost + lengths + ANEW * fresh
    ends = np.argmin(cost[:, 1:], axis=1) + 1
    return [
        Plan(pushes[i], fresh, paths[i, : e + 1], boxes[i, : e + 1], float(cost[i, e]), float(risk[i, e]), left[i, e])
        for i, e in enumerate(ends)
    ]


def judged(
    box: Box, pushes: Array, back: Array, paths: Array, boxes: Array, ground: Ground
) -> tuple[Array, Array, Array]:
    """Costs of stopping at each step, without the way pushed, risks and what is left, each ``(n, t)``.

    Args:
        back: poses ``(n, 3)`` of the pusher where the hand comes down.
        paths, boxes: of pusher and box, ``(n, t, 3)``.
    """
    gaps = ground.low.gaps(boxes[..., :2], boxes[..., 2], box.half[:2])
    now = ground.low.gaps(box.at[:2], box.at[2], box.half[:2])
    risk = ground.low.risks(gaps, box.sigma, 0.0, now)
    for grip in range(len(GRIPS)):
        mine = pushes[:, GRIP] == grip
        hand = _hand_risks(GRIPS[grip], np.concatenate([back[mine, None], paths[mine]], axis=1), ground)
        risk[mine] = 1.0 - (1.0 - risk[mine]) * (1.0 - np.maximum(hand[:, 1:], hand[:, :1]))
    risk = np.maximum.accumulate(risk, axis=1)
    left = ground.ways.togo(boxes[..., :2])
    distance = np.linalg.norm(paths[..., :2], axis=-1)
    beyond = np.maximum(distance - REACH[1], 0.0) + np.maximum(REACH[0] - distance, 0.0)
    cost = LEFT * left + AGAIN * (left > 0) + COLLISION * risk + BEYOND * np.maximum.accumulate(beyond, axis=1)
    return cost + TURNING * np.abs(boxes[..., 2] - box.at[2]), risk, left


def _hand_risks(grip: Grip, poses: Array, ground: Ground) -> Array:
    """Probability ``(n, t)`` that pads or palm touch something at pusher poses ``(n, t, 3)``."""
    low, tall, centre, yaw = ground.low, ground.tall, poses[..., :2], poses[..., 2]
    pads = low.risks(low.gaps(centre, yaw, grip.half), 0.0, MARGIN)
    palm = tall.risks(tall.gaps(centre, yaw, np.array(grip.palm)), 0.0, MARGIN)
    return np.asarray(1.0 - (1.0 - pads) * (1.0 - palm))


def _cost(plan: Plan) -> float:
    return plan.cost
