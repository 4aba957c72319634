# SPDX-License-Identifier: Apache-2.0
"""Room to lay objects out: what is taken already, and whether a hand has room around what lies there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from robo_orch.objects import Grasp, Inventory, ObjectSpec
from robo_orch.sim.scenes.footprint import Footprint, swept
from robo_orch.sim.scenes.scene import Area
from robo_orch.types import Array, Pose

#: At how many openings of a drawer or door nothing may be in its way, from shut to fully open (chosen).
OPENINGS = 9
#: What rises less than this above the area's ground is ground, m; what a palm may touch; what a wrist may (chosen).
GROUND, RAISED, TALL = 1e-4, 0.04, 0.13
#: A grasp is from above if the hand points down by more than this share (chosen: 60 degrees from level).
DOWN = 0.86


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """What furniture covers, drawers and doors at every opening: all of it, what a palm may touch, what a wrist may."""

    all: Footprint
    raised: Footprint
    tall: Footprint

    @classmethod
    def of(cls, inventory: Inventory, poses: Mapping[str, Pose], ground: float) -> Self:
        """Of furniture at these poses, around an area at a height, m."""
        swings = {name: _openings(obj, poses) for name, obj in inventory.items()}
        levels = (
            Footprint.together(swept(inventory[name], at, ground + height) for name, at in swings.items())
            for height in (GROUND, RAISED, TALL)
        )
        return cls(*levels)

    def near(self, area: Area, margin: float) -> Self:
        """Only what is closer to the area than ``margin``, m."""
        box = Footprint.box(area.x, area.y)
        return type(self)(*(f.pick(f.apart(box) < margin) for f in (self.all, self.raised, self.tall)))

    def above(self, height: float) -> Footprint:
        """What of it may be higher than a height over the ground, m."""
        return self.all if height < RAISED else self.raised if height < TALL else self.tall

    def leaves(self, figures: Footprint, area: Area) -> NDArray[np.bool_]:
        """Which of several figures keep their distance from it, ``(n,)`` bool."""
        good = figures.apart(self.all) >= area.furniture_gap
        if area.tall_gap > 0:
            good[good] = figures.pick(good).apart(self.tall) >= area.tall_gap
        return good


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """An object that is being laid out, about the origin.

    Attributes:
        obj: the object; ``figure`` what it covers, ``height`` how high it is, m.
        hand: for each part of the hand, what it covers at each grasp from above, and how high over the ground, m.
    """

    obj: ObjectSpec
    figure: Footprint
    height: float
    hand: tuple[tuple[Footprint, float], ...]

    @classmethod
    def of(cls, obj: ObjectSpec, area: Area) -> Self:
        """Standing as made."""
        low, high = obj.bounds()
        down = [g for g in obj.grasps if g.pose.matrix[2, 2] < -DOWN]
        hand = tuple(_part(size, down, float(-low[2])) for size in area.hand) if down else ()
        return cls(obj, Footprint.of(obj, Pose.of()), float(high[2] - low[2]), hand)


def hand_has_room(items: Mapping[str, Item], spots: Mapping[str, Array], standing: Standing, area: Area) -> bool:
    """Whether the hand has room at some grasp from above, and the arm at all, at each object that has a spot."""
    at = {name: items[name].figure.moved(spot[None, :2], spot[None, 2]) for name, spot in spots.items()}
    return all(
        _graspable(items, name, spots[name], at, standing) and _approachable(items, name, at, area) for name in spots
    )


def _graspable(
    items: Mapping[str, Item], name: str, spot: Array, at: Mapping[str, Footprint], standing: Standing
) -> bool:
    if not items[name].hand:
        return True
    free: NDArray[np.bool_] | bool = True
    for part, lowest in items[name].hand:
        higher = [figure for other, figure in at.items() if other != name and items[other].height > lowest]
        free = free & (part.placed(spot).apart(Footprint.together([standing.above(lowest), *higher])) > 0)
    return bool(np.any(free))


def _approachable(items: Mapping[str, Item], name: str, at: Mapping[str, Footprint], area: Area) -> bool:
    """Whether nothing tall stands between an object that can be grasped and the robot's base."""
    if area.arm is None or not items[name].obj.grasps:
        return True
    length, width, height = area.arm
    spot = at[name].centre
    arm = Footprint.box((-length, 0.0), (-width / 2, width / 2)).moved(spot, np.arctan2(spot[:, 1], spot[:, 0]))
    tall = [figure for other, figure in at.items() if other != name and items[other].height > height]
    return bool(arm.apart(Footprint.together(tall))[0] > 0)


def _part(size: tuple[float, float, float], grasps: Sequence[Grasp], height: float) -> tuple[Footprint, float]:
    """A part of the hand seen from above at each grasp of an object whose origin is at a height over the ground, m."""
    length, thickness, above = size
    fingers = np.array([g.pose.matrix[:2, 1] for g in grasps])
    tools = np.array([g.pose.position for g in grasps])
    box = Footprint.box((-length / 2, length / 2), (-thickness / 2, thickness / 2))
    figures = box.moved(tools[:, :2], np.arctan2(fingers[:, 1], fingers[:, 0]))
    return figures, float(tools[:, 2].min() + height + above)


def _openings(obj: ObjectSpec, poses: Mapping[str, Pose]) -> list[Pose]:
    if obj.joint is None:
        return [poses[obj.name]]
    parent = poses[obj.joint.parent]
    return [obj.joint.pose(parent, value) for value in np.linspace(*obj.joint.limits, OPENINGS)]
