# SPDX-License-Identifier: Apache-2.0
"""The scripted expert: from the true state alone, what the hand does next.

It remembers nothing: whatever noise brought the hand somewhere, what it says there is what is right there. The hand
points down; it comes to a grasp and to a goal in a funnel that is wide above and narrow below.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.types import Array, Pose

#: Farthest that the hand goes in one action at 10 Hz, m and rad (chosen: the joints keep up).
STRIDE, TURN = 0.034, 0.16
#: Near its aim it goes so far in an action, m, and this share of what is left besides (chosen).
SLOWEST, BRAKE = 0.006, 0.35
#: How far above a grasp or goal the funnel's walls are per metre beside it (chosen).
SLOPE = 4.5
#: Within these (m, m, rad) the hand is where it wants to be, where no more is said (chosen).
ASIDE, ABOVE, ASKEW = 0.007, 0.005, 0.10
#: A hand that is too low to go sideways still goes so large a share of its way where it is within this of its aim, m
#: (chosen): who hovers there, on top of what he should have between his fingers, must not be told to rise only.
SIDEWAYS, NEARLY = 0.5, 0.03
#: How much the fingers move in one action, m, at the gripper's 0.1 m/s.
CLOSING = 0.01
#: How far the hand rises after letting go, m, and from where on the errand counts as done (chosen).
RISE, DONE = 0.12, 0.06


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """The tool: ``position`` ``(3,)`` m, ``yaw`` rad about the vertical, ``tilt`` ``(2,)`` rad about base x and y.

    ``width`` m between the pads; ``gripped``: the errand's object is between them.
    """

    position: Array
    yaw: float
    tilt: Array
    width: float
    gripped: bool = False

    @property
    def pose(self) -> Pose:
        """The tool's pose in the base frame."""
        lean = Rotation.from_rotvec([*self.tilt, 0.0])
        return Pose.from_rotation(self.position, lean * Rotation.from_euler("ZX", [self.yaw, math.pi]))


@dataclass(frozen=True, slots=True, eq=False)
class Aim:
    """One place for the tool: ``position`` ``(3,)``, ``yaw``; ``over``: the height at which it is come to, m.

    ``aside`` (m) and ``askew`` (rad): within these it will do. Asking for more than the errand needs makes imitators
    hover: what does not matter cannot be seen to a millimetre.
    """

    position: Array
    yaw: float
    over: float
    aside: float = ASIDE
    askew: float = ASKEW


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """An errand as the expert sees it.

    Attributes:
        grasps: where the tool may take the object, none of them blocked.
        width: of the object between the pads, m.
        goal: where the tool lets go, for the object as it is held or as the nearest grasp would hold it.
        placed: the object lies where it should.
        spot: where the object's foot is to stand, ``(3,)`` m.
    """

    grasps: tuple[Aim, ...]
    width: float
    goal: Mapping[int, Aim]
    placed: bool = False
    spot: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """A row: ``move`` ``(3,)`` m and ``turn`` ``(3,)`` rad in base axes, ``width`` m to open to."""

    move: Array
    turn: Array
    width: float

    @property
    def row(self) -> Array:
        """``(7,)``."""
        return np.concatenate([self.move, self.turn, [self.width]])


def chosen(hand: Hand, work: Work) -> int:
    """The grasp that is nearest to the hand as it is, by its place and turn."""
    costs = [abs(wrapped(g.yaw - hand.yaw)) + 4.0 * math.dist(g.position[:2], hand.position[:2]) for g in work.grasps]
    return costs.index(min(costs))


def act(hand: Hand, work: Work, grasp: int, opened: float) -> tuple[Action, bool]:
    """What the hand does now, and whether the errand is done."""
    goal = work.goal[grasp]
    if work.placed and not hand.gripped:
        return _leave(hand, goal, opened)
    if hand.gripped:
        move, turn, there = _come(hand, goal)
        return Action(move, turn, opened if there else 0.0), False
    move, turn, there = _come(hand, work.grasps[grasp])
    if not there and hand.width < opened - 0.012 and _beside(hand, work.grasps[grasp]):
        there = True  # the fingers are closing already
    return Action(move, turn, 0.0 if there else opened), False


def step(hand: Hand, work: Work, action: Action, opened: float) -> tuple[Hand, Work]:
    """Where hand and object are after an action, kinematically: what is held moves along, what is let go lies."""
    width = min(max(action.width, hand.width - CLOSING), hand.width + CLOSING)
    gripped, placed = hand.gripped, work.placed
    if hand.gripped and width > work.width + 0.002:
        gripped, placed = False, True
    elif not placed and action.width < work.width and width <= work.width:
        width, gripped = work.width, hand.width <= work.width + 1e-9
    position = hand.position + action.move
    moved = replace(
        hand,
        position=position,
        yaw=wrapped(hand.yaw + float(action.turn[2])),
        tilt=hand.tilt + action.turn[:2],
        width=min(max(width, 0.0), opened),
        gripped=gripped,
    )
    return moved, replace(work, placed=placed)


def chunk(hand: Hand, work: Work, steps: int, opened: float) -> tuple[Array, bool]:
    """The expert's next actions ``(steps, 7)`` without any noise, and whether the errand is done now."""
    rows, done_now = [], False
    grasp = chosen(hand, work)
    for i in range(steps):
        action, done = act(hand, work, grasp, opened)
        done_now = done if i == 0 else done_now
        rows.append(action.row)
        hand, work = step(hand, work, action, opened)
    return np.array(rows), done_now


def wrapped(angle: float) -> float:
    """The same angle in [-pi, pi)."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def _come(hand: Hand, aim: Aim) -> tuple[Array, Array, bool]:
    """One action down the funnel, and whether the hand has arrived."""
    way = aim.position - hand.position
    beside = math.hypot(way[0], way[1])
    yaw = wrapped(aim.yaw - hand.yaw)
    askew = max(0.0, abs(yaw) - aim.askew / 2)
    off = max(0.0, beside + 0.08 * askew - aim.aside / 2)
    room = max(0.0, aim.over - float(aim.position[2]))
    height = float(aim.position[2]) + min(SLOPE * off, room)
    rise = height - float(hand.position[2])
    low = max(0.0, rise - 0.02)  # too low to go sideways: up first
    along = _braked(beside) * max(SIDEWAYS if beside < NEARLY else 0.0, 1.0 - low / 0.04)
    vertical = math.copysign(_braked(abs(rise)), rise)
    share = along / max(beside, 1e-9)
    move = np.array([share * way[0], share * way[1], vertical])
    turn = np.array([*(min(max(-t, -TURN), TURN) for t in hand.tilt.tolist()), min(max(yaw, -TURN), TURN)])
    there = beside < aim.aside and abs(float(way[2])) < ABOVE and abs(yaw) < aim.askew
    return move, turn, there


def _braked(left: float) -> float:
    """How far to go in one action with ``left`` m to go: the arm overshoots where its command stops dead."""
    return min(STRIDE, left, SLOWEST + BRAKE * left)


def _beside(hand: Hand, aim: Aim) -> bool:
    way = aim.position - hand.position
    return bool(math.hypot(way[0], way[1]) < 0.014 and abs(way[2]) < 0.012)


def _leave(hand: Hand, goal: Aim, opened: float) -> tuple[Action, bool]:
    """Open, then straight up."""
    left = float(goal.position[2] + RISE - hand.position[2])
    up = min(max(left, 0.0), STRIDE) if hand.width > opened - 0.012 else 0.0
    turn = np.array([*(min(max(-t, -TURN), TURN) for t in hand.tilt.tolist()), 0.0])
    done = hand.width > opened - 0.012 and hand.position[2] > goal.position[2] + DONE
    return Action(np.array([0.0, 0.0, up]), turn, opened), bool(done)
