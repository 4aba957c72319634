# SPDX-License-Identifier: Apache-2.0
"""Where an object could be set down on or in another: candidate poses, best first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from robo_orch.objects import JointKind, ObjectSpec, Surface
from robo_orch.types import Array, Pose

#: Headings tried for a square or round thing: it looks the same after a quarter turn (chosen).
HEADINGS = np.deg2rad([0, 90, 180, 270, 45, 135, 225, 315])
#: The same for a hand that points away from the robot, or so much to the side of it (chosen).
ASIDE = np.deg2rad([0, 12, -12, 25, -25, 45, -45, 70, -70])
#: The same for a hand that gets into a covered hollow, off straight in (chosen: little more gets in).
STRAIGHT_IN = np.deg2rad([0, 4, -4, 8, -8])
#: The spots tried first in a covered hollow, as shares of its depth (chosen: from rather far in to the doorway).
DEPTHS = (0.4, 0.0, -0.4, -0.8)
#: How far beyond a hollow its walls are looked for, m, and points on the way (chosen: closer than a wall is thick).
WALLED, RAY = 0.03, 80
#: How many headings are tried at each spot but the first; others at the next spot (chosen).
LATER = 2
#: Random spots tried on a surface (chosen).
SPOTS = 32
#: A surface with more room than this around a thing is large: spots near the thing come first, m (chosen).
LARGE = 0.20
#: A surface is for several things if it is so many times as wide as the thing (chosen): then the middle is left free.
ROOMY = 1.3
#: Beyond this distance from the base the arm has little choice left of how it holds things, m, and how much more each
#: further metre counts than a metre of room beside others (chosen: what is set down may have to bear others later).
FAR, FARTHER = 0.68, 1.0
#: How far from where the thing is, or from where the arm reaches with ease, spots on a large surface are drawn, m, one
#: sigma (chosen).
NEAR = 0.22
#: Clearance to the walls of a hollow, m (chosen).
WALL = 0.008


def placements(
    thing: ObjectSpec,
    target: ObjectSpec,
    at: Pose,
    now: Pose,
    rng: np.random.Generator,
    inside: bool = False,
    approach: float | None = None,
    handy: Array | None = None,
    others: Array | None = None,
) -> Iterator[Pose]:
    """Poses (base frame) at which ``thing``, upright, would stand on ``target`` or, with ``inside``, in its hollow.

    Args:
        at: where ``target`` is, base frame.
        now: where ``thing`` is; headings close to its own come first, and on large surfaces spots near it.
        rng: draws the spots; the same generator state gives the same poses.
        inside: on the floor of the hollow, with its middle within.
        approach: yaw (rad, base frame) in which a hand that holds the thing from the side points now. Headings are
            then those that let it point away from the robot, whose arm reaches farthest so.
        handy: points ``(k, 3)`` (base frame) that the arm reaches with ease; on large surfaces spots near those, too.
        others: where other things are, ``(m, 3)``; where there is room for several, spots far from those come first.
    """
    if inside and not _fits_under(thing, target):
        return
    near = at.inverse().apply(np.array([now.position, *([] if handy is None else handy)]))[:, :2]
    surfaces = target.beds if inside else target.tops
    there = np.zeros((0, 2)) if others is None else at.inverse().apply(others)[:, :2]
    turns = zip(
        *(_shares(thing, surface, near, there, target, rng, _far_off(surface, at)) for surface in surfaces),
        strict=False,
    )
    for i, shares in enumerate(turns):
        for surface, share in zip(surfaces, shares, strict=True):  # each surface in turn: one may be out of reach
            headings = _headings(target if inside else None, at, surface, share, now, approach)
            # What juts out over a border may lie on its rim: only where it fits in no other way.
            within = [h for h in headings if np.all(_room(thing, surface, h) >= 0.0)] or headings
            spots = (_standing(thing, at, surface, share, heading, inside) for heading in within)
            standing = [spot for spot in spots if spot is not None]
            first = LATER * i % len(standing) if standing else 0
            yield from standing if i == 0 else standing[first : first + LATER]


def _headings(
    hollow: ObjectSpec | None, at: Pose, surface: Surface, share: Array, now: Pose, approach: float | None
) -> list[float]:
    """Headings to try at a spot, relative to the target's own, best first."""
    own = _yaw(now) - _yaw(at)
    if approach is None:
        return sorted(HEADINGS, key=lambda heading: abs(np.angle(np.exp(1j * (heading - own)))))
    if hollow is not None and (inward := doorways(hollow)):
        return [own + _yaw(at) + yaw - approach + float(off) for off in STRAIGHT_IN for yaw in inward]
    x, y, _ = at.apply(surface.centre + np.append(share * np.array(surface.half), 0.0))
    away = own + np.arctan2(y, x) - approach
    return [away + float(off) for off in ASIDE]


@lru_cache(maxsize=64)  # asked for every spot; specs are compared by identity
def doorways(target: ObjectSpec) -> tuple[float, ...]:
    """Yaws (rad, target's frame) in which a hand gets into a hollow that is covered; empty if it is open to the top."""
    if target.interior is None or not _walled(target, np.array([0.0, 0.0, 1.0])):
        return ()
    yaws = np.deg2rad([0, 90, 180, 270])
    return tuple(float(yaw) for yaw in yaws if not _walled(target, -np.array([np.cos(yaw), np.sin(yaw), 0.0])))


def _walled(target: ObjectSpec, direction: Array) -> bool:
    """Whether something of the target is in the way from the middle of its hollow outwards."""
    hollow = target.interior
    if hollow is None:
        return False
    middle, reach = hollow.centre, float(np.abs(direction) @ hollow.half) + WALLED
    ray = middle + np.linspace(0.0, reach, RAY)[:, None] * direction  # (RAY, 3)
    for geom in target.geoms:
        inside = np.abs(geom.pose.inverse().apply(ray)) <= geom.half_extents
        if geom.collides and np.any(np.all(inside, axis=1)):
            return True
    return False


def _yaw(pose: Pose) -> float:
    """Heading of a pose's x axis, rad."""
    x, y, z, w = pose.quaternion.tolist()
    return math.atan2(2 * (x * y + z * w), 1 - 2 * (y * y + z * z))


def _fits_under(thing: ObjectSpec, target: ObjectSpec) -> bool:
    """Whether the thing's middle, in a covered hollow all of it, comes to lie below the hollow's upper end."""
    low, high = thing.bounds()
    height = high[2] - low[2] if doorways(target) else thing.height_below(Pose.of())
    return target.interior is not None and height < 2 * target.interior.half[2]


def _far_off(surface: Surface, at: Pose) -> Callable[[Array], Array]:
    """By how much spots on a surface, as shares ``(k, 2)``, are beyond easy reach, ``(k,)`` m."""

    def excess(shares: Array) -> Array:
        spots = surface.centre[:2] + shares * np.array(surface.half)
        points = at.apply(np.c_[spots, np.full(len(spots), surface.centre[2])])
        beyond: Array = np.maximum(0.0, np.linalg.norm(points[:, :2], axis=1) - FAR)
        return beyond

    return excess


def _shares(
    thing: ObjectSpec,
    surface: Surface,
    near: Array,
    there: Array,
    target: ObjectSpec,
    rng: np.random.Generator,
    far_off: Callable[[Array], Array],
) -> Iterator[Array]:
    """Spots as shares ``(2,)`` in [-1, 1] of the room that there is."""
    half = np.array(surface.half)
    if surface.round:
        radius, angle = np.sqrt(rng.random(SPOTS)), 2 * np.pi * rng.random(SPOTS)
        shares = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    elif min(half) > LARGE:
        around = (
            near[rng.integers(len(near), size=SPOTS)] + rng.normal(scale=NEAR, size=(SPOTS, 2)) - surface.centre[:2]
        )
        shares = np.clip(around / half, -1.0, 1.0)
    else:
        shares = rng.uniform(-1.0, 1.0, size=(SPOTS, 2))
    if min(half) <= LARGE:
        shares = np.vstack([np.zeros(2), shares])
        if min(half) > ROOMY * _reach(thing):
            worth = _elbow_room(surface.centre[:2] + shares * half, there) - FARTHER * far_off(shares)
            shares = shares[np.argsort(-worth, kind="stable")]
    if doors := doorways(target):  # a hand gets in along the middle, and leaves room before what it sets down
        inward = np.array([np.cos(doors[0]), np.sin(doors[0])])
        shares = shares[np.argsort(np.abs(shares @ [-inward[1], inward[0]]), kind="stable")]
        shares = np.vstack([np.outer(DEPTHS, inward), shares])
    if target.joint is not None and target.joint.kind is JointKind.SLIDE:
        # What is drawn out farthest is easiest to reach.
        shares = shares[np.argsort(-(shares * half) @ target.joint.axis[:2], kind="stable")]
    yield from shares


def _elbow_room(spots: Array, there: Array) -> Array:
    """How far spots ``(k, 2)`` are from the nearest of other things ``(m, 2)``; a little for the border."""
    room: Array = 0.2 * np.linalg.norm(spots - spots.mean(axis=0), axis=1)
    if len(there):
        room = room + np.min(np.linalg.norm(spots[:, None] - there[None], axis=2), axis=1)
    return room


def _reach(thing: ObjectSpec) -> float:
    low, high = thing.bounds()
    return float(np.max(np.maximum(-low, high)[:2]))


def _standing(thing: ObjectSpec, at: Pose, surface: Surface, share: Array, heading: float, inside: bool) -> Pose | None:
    """The thing upright at a share of the room that there is for it at this heading; ``None`` if it does not fit."""
    room = _room(thing, surface, heading) - (WALL if inside else 0.0)
    if inside and np.any(room < 0.0):
        return None
    spot = surface.centre + np.append(share * np.maximum(room, 0.0), 0.0)
    x, y, z = at.apply(spot).tolist()
    half = 0.5 * (heading + _yaw(at))
    return Pose.of((x, y, z + _footprint(thing, 0.0)[1]), (0.0, 0.0, math.sin(half), math.cos(half)))


@lru_cache(maxsize=1024)  # asked for every spot
def _footprint(thing: ObjectSpec, heading: float) -> tuple[Array, float]:
    """How far the thing reaches from its origin to the sides, ``(2,)`` m, and downwards, upright at a heading."""
    low, high = thing.bounds(Pose.of((0, 0, 0), (0.0, 0.0, math.sin(0.5 * heading), math.cos(0.5 * heading))))
    return np.maximum(-low, high)[:2], float(-low[2])


def _room(thing: ObjectSpec, surface: Surface, heading: float) -> Array:
    """How far the thing's middle can be from the surface's, ``(2,)`` m, at a heading; negative: it does not fit."""
    reach, _ = _footprint(thing, round(float(heading), 9))
    if surface.round:
        reach = np.full(2, np.linalg.norm(reach) if len(thing.geoms) > 1 else np.max(reach))
    return np.array(surface.half) - reach
