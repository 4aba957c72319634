# SPDX-License-Identifier: Apache-2.0
"""Pushes as numbers: where the finger pads touch a box, and the arc on which they move from there.

A push has five numbers, ``(face, grip, offset, skew, curvature)``: the side of the box that is touched (0: +x, then
anticlockwise), how the hand stands (:class:`Grip`), where along the side (share of its half length), the angle between
where the pads look and where they go (rad), and how they turn on their way (rad/m). Arrays of pushes are ``(n, 5)``.

Pads that press on the top push by friction: ``face`` is then the side that they look away from, over the box's middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robo_orch.types import Array, Pose

#: Names of a push's numbers by place.
FACE, GRIP, OFFSET, SKEW, CURVATURE = range(5)
#: What is sampled at most: offset, skew (rad), curvature (rad/m): beside a box (chosen: beyond that, boxes slip along
#: rubber pads) and on top of it (chosen: every direction).
MOST, MOST_ON_TOP = np.array([0.55, 0.30, 4.5]), np.array([0.0, np.pi / 4, 0.0])
#: Longest push, m, and the step at which it is looked at, m (chosen).
LONGEST, STEP = 0.32, 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Grip:
    """One way in which the hand stands behind a box. All lengths in m, x to where the pads look.

    Attributes:
        name: said to people.
        width: opening of the gripper.
        pads, palm: rectangles ``(centre y, half x, half y)`` seen from above.
        turn: yaw of the tool seen from the pusher, rad; half a turn more is as good.
        press: how hard the pads press on top of the box, N; 0 where they stand beside it.
    """

    name: str
    width: float
    pads: tuple[tuple[float, float, float], ...]
    palm: tuple[float, float]
    turn: float
    press: float = 0.0

    @property
    def on_top(self) -> bool:
        """Whether the pads press on the box instead of standing beside it."""
        return self.press > 0.0

    @property
    def front(self) -> float:
        """How far the pads reach forward."""
        return self.pads[0][1]

    @property
    def half(self) -> Array:
        """Half sizes ``(2,)`` of the rectangle around the pads."""
        return np.array([self.front, max(abs(y) + half for y, _, half in self.pads)])


#: Half the thickness and half the width of a pad, and of the palm (panda.urdf), m.
PAD, PALM = (0.009, 0.006), (0.032, 0.1)
#: The hand across the way, two pads apart, so that what is pushed keeps its heading (chosen: as far apart as the
#: shortest side of a box allows); and along the way, the fingers closed, where there is no room across.
FORK = Grip("across", 0.05, ((0.031, *PAD), (-0.031, *PAD)), PALM, 0.0)
BLADE = Grip("along", 0.0, ((0.0, 2 * PAD[1], PAD[0]),), PALM[::-1], np.pi / 2)
#: On top, where no side is free: the hand across the way, or along it (chosen: closed, for of two fingers apart one
#: presses more, and turns the box; rubber then holds twice what the table does).
TOP = Grip("on top, across", 0.0, ((0.0, PAD[0], 2 * PAD[1]),), PALM, 0.0, press=12.0)
TOP_ALONG = Grip("on top, along", 0.0, BLADE.pads, PALM[::-1], np.pi / 2, press=12.0)
#: On top, to turn a box (chosen: as wide as boxes are; so hard that both pads press although the hand is not
#: quite level).
WIDE = Grip("on top, apart", 0.07, ((0.041, *PAD), (-0.041, *PAD)), PALM, 0.0, press=24.0)
GRIPS: Sequence[Grip] = (FORK, BLADE, TOP, TOP_ALONG, WIDE)
#: How many of them single pushes are drawn for: with the last one whole ways are gone.
DRAWN_FOR = 4
#: By grip: how far the pads reach forward, and whether they press on top.
FRONTS, ON_TOP = np.array([g.front for g in GRIPS]), np.array([g.on_top for g in GRIPS])


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """What is pushed: where it is seen from above and its size.

    ``at`` ``(3,)`` x, y (m), yaw (rad), or ``(n, 3)`` for as many pushes; ``half`` ``(3,)`` m;
    ``sigma`` of its position, m.
    """

    at: Array
    half: Array
    sigma: float

    def normal(self, face: Array) -> tuple[Array, Array, Array]:
        """Angle (rad) of the outward normals of sides, and half lengths (m) along and across them."""
        across = np.asarray(face).astype(int) % 2
        return self.at[..., 2] + np.asarray(face) * np.pi / 2, self.half[across], self.half[1 - across]


def starts(box: Box, pushes: Array, room: float) -> Array:
    """Poses ``(n, 3)`` of the pusher, ``room`` (m) before it touches the box."""
    angle, along, across = box.normal(pushes[:, FACE])
    grip = pushes[:, GRIP].astype(int)
    out, side = np.where(ON_TOP[grip], 0.0, along + FRONTS[grip] + room), pushes[:, OFFSET] * across
    x = box.at[..., 0] + np.cos(angle) * out - np.sin(angle) * side
    y = box.at[..., 1] + np.sin(angle) * out + np.cos(angle) * side
    return np.stack([x, y, angle + np.pi], axis=1)


def arcs(start: Array, pushes: Array, room: float, lengths: Array) -> Array:
    """Poses ``(n, t, 3)`` of the pusher after lengths ``(t,)`` m of its way: straight for ``room``, then on the arc."""
    ahead = np.minimum(lengths, room)
    on = np.maximum(lengths - room, 0.0)
    curvature, skew = pushes[:, CURVATURE, None], pushes[:, SKEW, None]
    turned = curvature * on  # (n, t)
    half = turned / 2
    chord = on * np.sinc(half / np.pi)
    way = start[:, 2, None] + skew + half
    x = start[:, 0, None] + np.cos(start[:, 2, None]) * ahead + np.cos(way) * chord
    y = start[:, 1, None] + np.sin(start[:, 2, None]) * ahead + np.sin(way) * chord
    return np.stack([x, y, start[:, 2, None] + turned], axis=-1)


def first(rng: np.random.Generator, n: int) -> Array:
    """Pushes ``(16 n, 5)`` of every side and grip, drawn evenly; the straight one in the middle is among them."""
    out = []
    for face in range(4):
        for grip in range(DRAWN_FOR):
            free = rng.uniform(-1.0, 1.0, (n, 3)) * (MOST_ON_TOP if ON_TOP[grip] else MOST) * (0.4, 1.0, 1.0)
            free[0] = 0.0
            out.append(np.column_stack([np.tile([face, grip], (n, 1)), free]))
    return np.concatenate(out)


def onward(rng: np.random.Generator, face: int, grip: int, n: int) -> Array:
    """Pushes ``(n, 5)`` that go on from where the pads are: on top of a box in any direction."""
    pushes = np.column_stack([np.tile([face, grip], (n, 1)), rng.uniform(-1.0, 1.0, (n, 3)) * MOST])
    pushes[0, OFFSET:] = 0.0
    if ON_TOP[grip]:
        pushes[:, SKEW] = np.linspace(-np.pi, np.pi, n)
        pushes[:, CURVATURE] = 0.0
    return pushes


def near(rng: np.random.Generator, elites: Array, n: int, share: float) -> Array:
    """``n`` pushes around each elite, ``share`` of what is sampled at most off in one sigma."""
    out = np.repeat(elites, n, axis=0)
    most = np.where(ON_TOP[out[:, GRIP].astype(int), None], MOST_ON_TOP, MOST)
    out[:, OFFSET:] = np.clip(out[:, OFFSET:] + rng.normal(size=(len(out), 3)) * most * share, -most, most)
    return out


def tool(pusher: Array, height: float, grip: Grip, half_turn: bool = False) -> Pose:
    """The tool's pose for a pusher ``(3,)``: pointing down at a height, m."""
    yaw = pusher[2] + grip.turn + np.pi * half_turn
    down = Pose.of((0, 0, 0), (1, 0, 0, 0))
    return Pose.of((pusher[0], pusher[1], height), (0, 0, np.sin(yaw / 2), np.cos(yaw / 2))) @ down


def pusher(tool_pose: Pose, grip: Grip, towards: float) -> Array:
    """The pusher ``(3,)`` that a tool pose stands for; of the two headings that nearer to ``towards``, rad."""
    x = tool_pose.matrix[:2, 0]
    yaw = np.arctan2(x[1], x[0]) - grip.turn
    if np.cos(yaw - towards) < 0:
        yaw += np.pi
    return np.array([*tool_pose.position[:2], yaw])
