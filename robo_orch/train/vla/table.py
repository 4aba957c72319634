# SPDX-License-Identifier: Apache-2.0
"""What the expert makes of a scene: where each object can be taken, and where it is to be let go."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.sim.scenes.footprint import Footprint
from robo_orch.train.vla.errand import Errand
from robo_orch.train.vla.expert import Aim, Work, wrapped
from robo_orch.types import Array, Pose

#: Parts of an open hand that comes from above, as in kitchen.yaml: along the fingers, across, above the tool point, m.
HAND = ((0.155, 0.044, -0.012), (0.235, 0.095, 0.022))
#: A grasp is from above if the hand points down by more than this share (chosen: 15 degrees from vertical).
DOWN = 0.96
#: Turns about the vertical at which round things are taken, best first, rad (chosen: the hand as it hangs).
ROUND = (0.0, 0.4, -0.4, 0.8, -0.8, 1.2, -1.2, math.pi / 2)
#: A square thing up to this wide across its corners is closed on at any turn, m; it turns between the fingers (chosen).
CORNERS = 0.068
#: How far (m) beside its goal something may be let go: on another thing, and elsewhere; how far (rad) the hand may be
#: turned from its way into the bin (chosen).
ON_TOP, ANYWHERE, INTO_BIN = 0.010, 0.018, 0.1
#: Farthest that the hand turns from how it hangs, rad (chosen: joint limits are beyond).
FARTHEST = 1.9
#: What is narrower is a rim, m; how far (rad) a rim's grasp keeps from a handle (chosen).
RIM, HANDLE = 0.010, 0.8
#: How far the hand stays above all that is on its way, m, and how wide that way is (chosen).
CLEAR, SWATH = 0.05, 0.15
#: The least height (m) at which the hand travels, above the table (chosen).
LEAST = 0.16
#: Above what stands below things are let go, m (chosen), and above the bin's floor (the palm stays above its rim).
DROP, BIN = 0.004, 0.075
#: How the hand is turned at the bin, rad: its length along the bin's; what is longer than this (m) lies along the bin,
#: and the hand, which holds it by its middle, across.
BIN_YAW, LONG = math.radians(-115.0), 0.16
#: What is nearer than this to the bin's middle is in it, m.
IN_BIN = 0.09
#: An object lies where it should within this, m (chosen).
LIES = 0.03
#: What is farther than this (m) from the tool is beside the hand for sure: half the hand and the largest thing.
FAR = 0.26
#: What furniture covers, and how high it is, m.
Furniture = Sequence[tuple[Footprint, float]]
#: Spots on a surface that are tried, as shares of its half sizes, best first.
_SPOTS = [(x, y) for y in (0.0, -0.5, 0.5) for x in (0.0, -0.5, 0.5)]


class Table:
    """A moment of a scene, for the expert.

    Args:
        inventory: what there is; ``poses``: where it truly is.
    """

    def __init__(self, inventory: Inventory, poses: Mapping[str, Pose], furniture: Furniture | None = None) -> None:
        self.inventory, self.poses = inventory, poses
        free = [o for o in inventory.values() if not o.fixed and o.joint is None]
        self._free = [o.name for o in free]
        self._figures = {o.name: Footprint.of(o, poses[o.name]) for o in free}
        self._tops = {o.name: float(o.bounds(poses[o.name])[1][2]) for o in free}
        self._furniture = furniture_of(inventory, poses) if furniture is None else furniture
        self._found: dict[str, list[Pose]] = {}

    def moved(self, name: str, pose: Pose) -> Table:
        """The same with one object elsewhere."""
        return Table(self.inventory, {**self.poses, name: pose}, self._furniture)

    def work(self, errand: Errand, hand: Array, held: Pose | None = None, in_hand: Pose | None = None) -> Work | None:
        """The errand, for a hand at ``(3,)``; ``None`` if it cannot be done from above.

        Args:
            held: where the object is if it is in the hand; ``in_hand`` is its pose in the tool's frame then.
        """
        thing = self.inventory[errand.object]
        at = self.poses[thing.name] if held is None else held
        if held is not None and in_hand is not None:
            grasps = [held @ in_hand.inverse()]
        else:
            if thing.name not in self._found:
                self._found[thing.name] = self._grasps(thing)
            grasps = self._found[thing.name] or self._above(thing, errand.target)
        spot = self._spot(thing, errand.target) if grasps else None
        if spot is None:
            return None
        over = self._height(hand, at.position, {thing.name})
        aims = tuple(Aim(g.position, _yaw(g), max(over, float(g.position[2]) + 0.06)) for g in grasps)
        goals = {i: self._goal(thing, at, g, errand.target, spot) for i, g in enumerate(grasps)}
        width = min((g.width for g in thing.grasps if _downward(g.pose) < -DOWN), default=0.0)
        aside = math.dist(at.position[:2], spot[:2])
        lies = aside < LIES and abs(at.position[2] - thing.height_below(at) - spot[2]) < 0.012
        in_bin = errand.target == "bin" and aside < IN_BIN
        return Work(aims, width, goals, placed=(lies or in_bin) and held is None, spot=spot)

    def _grasps(self, thing: ObjectSpec) -> list[Pose]:
        """Tool poses that take a thing from above, none of them blocked, ``thing`` upright."""
        at = self.poses[thing.name]
        if at.matrix[2, 2] < 0.98:
            return []
        offered = [g for g in thing.grasps if _downward(g.pose) < -DOWN]
        if not offered:
            return []
        if offered[0].width < RIM:
            poses = [p for p in map(partial(_at_rim, at, offered[0].pose), ROUND) if not _by_handle(thing, at, p)]
        elif _any_turn(thing):
            poses = [Pose.of((at @ offered[0].pose).position, _hanging(yaw)) for yaw in ROUND]
        else:
            poses = [at @ g.pose for g in offered]
        turned = [q for p in poses for q in (p, p @ Pose.of((0, 0, 0), (0, 0, 1, 0)))]
        good = (p for p in turned if abs(_yaw(p)) < FARTHEST and self._room(p, {thing.name}))
        return list(islice(good, 1 if _any_turn(thing) or offered[0].width < RIM else None))

    def gripped(self, name: str, at: Pose, hand: Pose) -> Pose:
        """Where an object is once the fingers have closed on it: what they turn lies along them."""
        if not _any_turn(self.inventory[name]):
            return at
        turn = wrapped(_yaw(hand) - math.atan2(at.matrix[1, 0], at.matrix[0, 0]))
        turn -= round(turn / (math.pi / 2)) * math.pi / 2
        return Pose.from_rotation(at.position, Rotation.from_euler("Z", turn) * at.rotation)

    def _above(self, thing: ObjectSpec, target: str) -> list[Pose]:
        """Where the hand let go of what lies in the bin, where it could not be taken again."""
        at, bin_at = self.poses[thing.name], self.poses[target]
        if target != "bin" or math.dist(at.position[:2], bin_at.position[:2]) > IN_BIN:
            return []
        return [Pose.of([*at.position[:2], float(at.position[2]) + 0.02], _hanging(BIN_YAW))]

    def _room(self, tool: Pose, without: set[str]) -> bool:
        """Whether the open hand touches nothing there."""
        yaw = np.array([math.atan2(tool.matrix[1, 1], tool.matrix[0, 1])])
        for length, across, above in HAND:
            box = Footprint.box((-length / 2, length / 2), (-across / 2, across / 2))
            low = float(tool.position[2]) + above
            near = [
                (figure, self._tops[name])
                for name, figure in self._figures.items()
                if name not in without and math.dist(figure.centre[0], tool.position[:2]) < FAR
            ]
            higher = [f for f, top in (*near, *self._furniture) if top > low]
            part = box.moved(tool.position[None, :2], yaw)
            if higher and part.apart(Footprint.together(higher))[0] < 0.003:
                return False
        return True

    def _spot(self, thing: ObjectSpec, target: str) -> Array | None:
        """Where the object's middle comes to be, and the height of what it stands on there, ``(3,)``."""
        spec, at = self.inventory[target], self.poses[target]
        if target == "bin":
            return np.array([*at.position[:2], at.position[2] + 0.006])
        if at.matrix[2, 2] < 0.98:
            return None
        others = Footprint.together(
            f for n, f in self._figures.items() if n not in (thing.name, target) and self._tops[n] > 0.005
        )
        for surface in spec.tops[:1]:
            for x, y in _SPOTS if spec.fixed else _SPOTS[:1]:
                middle = at.apply(surface.centre + np.array([x * surface.half[0], y * surface.half[1], 0.0]))
                if not self._taken(thing, middle, others, target):
                    return middle
        return None

    def _taken(self, thing: ObjectSpec, middle: Array, others: Footprint, target: str) -> bool:
        if not len(others.radius):
            return False
        low, high = thing.bounds()
        radius = 0.5 * float(np.hypot(*(high - low)[:2])) + (0.03 if self.inventory[target].fixed else 0.012)
        disc = Footprint(middle[None, :2], np.eye(2)[None], np.zeros((1, 2)), np.array([radius]))
        return bool(disc.apart(others)[0] < 0.0)

    def _goal(self, thing: ObjectSpec, at: Pose, grasp: Pose, target: str, spot: Array) -> Aim:
        """Where the tool lets go, for an object taken at ``grasp``."""
        yaw, offset = _yaw(grasp), (grasp.position - at.position)[:2]
        foot = float(grasp.position[2] - at.position[2] + thing.height_below(at))
        height = float(spot[2]) + foot + DROP
        if target == "bin":
            across = _across_bin(thing, yaw)
            turn = across - yaw
            cos, sin = math.cos(turn), math.sin(turn)
            offset = np.array([[cos, -sin], [sin, cos]]) @ offset
            yaw, height = across, max(height, BIN)
        over = max(self._height(at.position, spot, {thing.name}) + foot, height + 0.06)
        if target == "bin":
            over = max(over, 0.27 + foot)
        loose = ANYWHERE if self.inventory[target].fixed or target == "plate" else ON_TOP
        askew = INTO_BIN if target == "bin" else math.pi
        return Aim(np.array([*(spot[:2] + offset), height]), yaw, over, loose, askew)

    def _height(self, start: Array, end: Array, without: set[str]) -> float:
        """Height (m) at which the hand is clear of what stands on the way between two places."""
        way = (end - start)[:2]
        length = max(float(np.hypot(*way)), 1e-6)
        highest = LEAST - CLEAR
        for name in self._free:
            if name in without or self._tops[name] <= highest:
                continue
            offset = self.poses[name].position[:2] - start[:2]
            along = min(max(float(offset @ way) / length, 0.0), length)
            if math.dist(offset, along * way / length) < SWATH:
                highest = self._tops[name]
        return highest + CLEAR


def furniture_of(inventory: Inventory, poses: Mapping[str, Pose]) -> Furniture:
    """Furniture beside which objects lie, and its height; the table is below everything."""
    found = []
    for name, spec in inventory.items():
        if (spec.fixed or spec.joint is not None) and spec.geoms and name != "table":
            found.append((Footprint.of(spec, poses[name]), float(spec.bounds(poses[name])[1][2])))
    return found


def _across_bin(thing: ObjectSpec, yaw: float) -> float:
    """How a hand that is turned by ``yaw`` turns at the bin: either way round, the nearer without a full turn."""
    low, high = thing.bounds()
    one = BIN_YAW + (math.pi / 2 if float(np.max((high - low)[:2])) > LONG else 0.0)
    return min((one, one + math.pi), key=lambda turn: abs(turn - yaw))


def _any_turn(thing: ObjectSpec) -> bool:
    """Whether the hand may close on a thing from above as it hangs: it is round, or small and square."""
    offered = [g for g in thing.grasps if _downward(g.pose) < -DOWN]
    round_ = len(offered) >= 8
    return bool(offered) and offered[0].width >= RIM and (round_ or _square(thing, offered[0].width))


def _square(thing: ObjectSpec, width: float) -> bool:
    low, high = thing.bounds()
    return bool(np.all(np.abs((high - low)[:2] - width) < 0.002)) and math.sqrt(2.0) * width < CORNERS


def _downward(pose: Pose) -> float:
    return float(pose.matrix[2, 2])


def _hanging(yaw: float) -> Sequence[float]:
    """The quaternion (xyzw) of a hand that points down, turned by ``yaw``."""
    return (math.cos(yaw / 2), math.sin(yaw / 2), 0.0, 0.0)


def _yaw(tool: Pose) -> float:
    """How a hand that points down is turned: 0 with its fingers along the base's y."""
    return wrapped(math.atan2(tool.matrix[1, 0], tool.matrix[0, 0]))


def _at_rim(at: Pose, grasp: Pose, yaw: float) -> Pose:
    """A tool pose at the rim of what stands at a pose, the hand turned by ``yaw``; ``grasp``: one at its rim."""
    x, y, z = grasp.position.tolist()
    out = math.hypot(x, y) * np.array([math.sin(yaw), -math.cos(yaw), 0.0])  # along the fingers, towards the robot
    return Pose.of(at.position + out + np.array([0.0, 0.0, z]), _hanging(yaw))


def _by_handle(thing: ObjectSpec, at: Pose, tool: Pose) -> bool:
    """Whether a tool pose is where a handle is in the way: at +x of what also has grasps elsewhere than its rim."""
    handled = any(g.width >= RIM for g in thing.grasps)
    x, y, _ = at.inverse().apply(tool.position).tolist()
    return handled and abs(math.atan2(y, x)) < HANDLE
