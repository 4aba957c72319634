# SPDX-License-Identifier: Apache-2.0
"""What a push costs, as a length in metres: the way left, and what risks, reach and further pushes are worth in way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robo_orch.policies.mpc.plane import Shapes
from robo_orch.policies.mpc.pushes import GRIP, GRIPS, LONGEST, ON_TOP, STEP, Box, Grip, arcs, starts
from robo_orch.policies.mpc.way import Ways
from robo_orch.types import Array

#: How far inside the region's border the box's centre shall come, m (chosen: six sigma of its pose).
AIM = 0.03
#: Room between the pads and the box where a push begins, m (chosen: three sigma of its side), and within the model.
ROOM, MODEL_ROOM = 0.014, 0.004
#: Nothing shall be nearer than this to pads and palm, m (chosen).
MARGIN = 0.004
#: What a push that begins anew costs; what is left to go, a further push and a sure collision cost, m (chosen).
ANEW, LEFT, AGAIN, COLLISION = 0.20, 1.3, 0.30, 2.5
#: What pressing on the box costs, m (chosen: a side is taken where one is free).
DRAGGING = 0.05
#: What turning the box costs, m for each rad (chosen: it settles between ways that are else as good).
TURNING = 0.02
#: Distances from the base between which the hand can point down at the table, m (chosen: panda, tested with IK).
REACH = (0.30, 0.78)
#: What each metre beyond them costs, m (chosen: more than any way).
BEYOND = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What a search needs to know of the scene.

    ``low``: what the box and pads beside it may run into, ``tall``: what the palm may; ``over`` and ``high``: what pads
    and palm on top of it may; ``ways`` to the region.
    """

    low: Shapes
    tall: Shapes
    over: Shapes
    high: Shapes
    ways: Ways


def judged(
    box: Box, pushes: Array, back: Array, paths: Array, boxes: Array, ground: Ground
) -> tuple[Array, Array, Array]:
    """Costs of stopping at each step, without the way pushed, risks and what is left, each ``(n, t)``.

    Args:
        box: where it begins.
        back: poses ``(n, 3)`` of the pusher where the hand comes down.
        paths, boxes: of pusher and box, ``(n, t, 3)``.
    """
    at = box.at[..., None, :]
    gaps = ground.low.gaps(boxes[..., :2], boxes[..., 2], box.half[:2])
    now = ground.low.gaps(at[..., :2], at[..., 2], box.half[:2])
    risk = ground.low.risks(gaps, box.sigma, 0.0, now)
    for grip in range(len(GRIPS)):
        mine = pushes[:, GRIP] == grip
        hand = _hand_risks(GRIPS[grip], np.concatenate([back[mine, None], paths[mine]], axis=1), ground)
        risk[mine] = 1.0 - (1.0 - risk[mine]) * (1.0 - np.maximum(hand[:, 1:], hand[:, :1]))
    risk = np.maximum.accumulate(risk, axis=1)
    left = ground.ways.togo(boxes[..., :2])
    distance = np.linalg.norm(paths[..., :2], axis=-1)
    beyond = np.maximum(distance - REACH[1], 0.0) + np.maximum(REACH[0] - distance, 0.0)
    on_top = DRAGGING * ON_TOP[pushes[:, GRIP].astype(int), None]
    cost = on_top + LEFT * left + AGAIN * (left > 0) + COLLISION * risk + BEYOND * np.maximum.accumulate(beyond, axis=1)
    return cost + TURNING * np.abs(boxes[..., 2] - at[..., 2]), risk, left


def guessed(box: Box, pushes: Array, ground: Ground, start: Array | None) -> tuple[Array, Array]:
    """Least costs of pushes if the box stuck to the pads, and after which way (m) each is reached, ``(n,)``.

    ``start`` ``(n, 3)``: where the pads are already.
    """
    begin, back = (starts(box, pushes, 0.0), starts(box, pushes, ROOM)) if start is None else (start, start)
    lengths = np.arange(0.0, LONGEST, 3 * STEP)
    paths = arcs(begin, pushes, 0.0, lengths)
    turned = paths[..., 2] - paths[:, :1, 2]
    at = box.at[..., None, :]
    offset = at[..., :2] - paths[:, :1, :2]
    c, s = np.cos(turned), np.sin(turned)
    x = paths[..., 0] + c * offset[..., 0] - s * offset[..., 1]
    y = paths[..., 1] + s * offset[..., 0] + c * offset[..., 1]
    boxes = np.stack([x, y, at[..., 2] + turned], axis=-1)
    cost, *_ = judged(box, pushes, back, paths, boxes, ground)
    cost = cost + lengths
    return cost.min(axis=1), lengths[np.argmin(cost, axis=1)]


def _hand_risks(grip: Grip, poses: Array, ground: Ground) -> Array:
    """Probability ``(n, t)`` that pads or palm touch something at pusher poses ``(n, t, 3)``."""
    low, tall = (ground.over, ground.high) if grip.on_top else (ground.low, ground.tall)
    centre, yaw = poses[..., :2], poses[..., 2]
    pads = low.risks(low.gaps(centre, yaw, grip.half), 0.0, MARGIN)
    palm = tall.risks(tall.gaps(centre, yaw, np.array(grip.palm)), 0.0, MARGIN)
    return np.asarray(1.0 - (1.0 - pads) * (1.0 - palm))
