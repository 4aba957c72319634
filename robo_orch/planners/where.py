# SPDX-License-Identifier: Apache-2.0
"""What the robot believes about where things are, as far as words like "on the table" and "leftmost" need it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robo_orch.objects import ObjectSpec, Trait
from robo_orch.predicates import CONTACT_TOLERANCE, Facts, evaluate
from robo_orch.types import Predicate

#: Two objects lie apart in a direction if their distance exceeds this many sigma (chosen).
APART_SIGMAS = 2.0
#: Sizes within this ratio count as equal (chosen: people see no difference of 5 %).
SAME_SIZE = 1.05
#: One thing is next to another if no more than this is free between them, m (chosen: a hand's length).
NEXT_TO = 0.15
#: Of things next to another, one is meant if all others are further away by this factor (chosen).
CLEARLY_CLOSER = 2.0
#: Relations by direction: the axis and its sign, seen from the robot's base (x forward, y left).
_SIDES = {"left": (1, 1.0), "right": (1, -1.0), "front": (0, -1.0), "behind": (0, 1.0)}


def related(name: str, preposition: str, places: Sequence[str], facts: Facts) -> bool:
    """Whether ``name`` is rather on or in one of ``places`` than not; for ``ON``, also through other movable things."""
    joint = facts.inventory[name].joint
    if joint is not None and preposition in ("ON", "IN", "OFF"):
        return joint.parent in places
    for place in places:
        if preposition in _SIDES or preposition == "next":
            return _beside(name, preposition, place, facts)
        if preposition in ("IN", "OFF", "TO") and _rather("in", name, place, facts):
            return True
        region = Trait.REGION in facts.inventory[place].traits
        if (preposition != "IN" or region) and _on_top(name, place, facts, set()):
            return True
    return False


def _beside(name: str, relation: str, place: str, facts: Facts) -> bool:
    if name not in facts.objects or place not in facts.objects:
        return False
    if relation == "next":
        return gap(name, place, facts) < NEXT_TO
    axis, sign = _SIDES[relation]
    a, b = facts.objects[name], facts.objects[place]
    apart = sign * (a.pose.position[axis] - b.pose.position[axis])
    return bool(apart > APART_SIGMAS * np.hypot(a.sigma, b.sigma))


def closest(names: Sequence[str], places: Sequence[str], facts: Facts) -> list[str]:
    """Of things next to ``places``, the one that is clearly the closest; all of them where none is."""
    distance = {n: min(gap(n, p, facts) for p in places) for n in names}
    near = min(distance.values(), default=0.0)
    first = [n for n, d in distance.items() if d <= near]
    others = [d for n, d in distance.items() if n not in first]
    return first if all(d > CLEARLY_CLOSER * max(near, CONTACT_TOLERANCE) for d in others) else list(names)


def gap(a: str, b: str, facts: Facts) -> float:
    """Horizontal distance (m) between the boxes around two perceived objects, 0 where they overlap."""
    low_a, high_a = facts.inventory[a].bounds(facts.objects[a].pose)
    low_b, high_b = facts.inventory[b].bounds(facts.objects[b].pose)
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(low_a - high_b, low_b - high_a))[:2]))


def ground_of(region: str, facts: Facts) -> str | None:
    """The furniture of which a region is a part, ``None`` where that is not perceived."""
    if region not in facts.objects:
        return None
    area = facts.inventory[region].surfaces[0]
    middle = facts.objects[region].pose.apply(area.centre)
    for name, spec in facts.inventory.items():
        if not spec.fixed or Trait.REGION in spec.traits or name not in facts.objects:
            continue
        local = facts.objects[name].pose.inverse().apply(middle)
        for surface in spec.surfaces:
            if surface.inside(local[:2]) > 0 and abs(local[2] - surface.centre[2]) < CONTACT_TOLERANCE:
                return name
    return None


def _on_top(name: str, place: str, facts: Facts, seen: set[str]) -> bool:
    if _rather("on", name, place, facts):
        return True
    seen.add(name)
    between = [n for n, s in facts.inventory.items() if s.movable and n not in seen and _rather("on", name, n, facts)]
    return any(_on_top(n, place, facts, seen) for n in between)


def _rather(relation: str, name: str, place: str, facts: Facts) -> bool:
    if name == place:
        return False
    truth = evaluate(Predicate(relation, (name, place)), facts)
    return truth.known and truth.probability > 0.5


def outermost(place: str, names: Sequence[str], facts: Facts) -> list[str]:
    """The one that lies furthest to a side, seen from the robot's base; several where sigma leaves it open.

    ``place`` is ``left`` (+y), ``right`` (-y), ``near`` or ``far`` (distance from the base). Names that were never
    perceived are left out.
    """
    seen = [name for name in names if name in facts.objects]
    if not seen:
        return []
    score = {name: _along(place, facts.objects[name].pose.position) for name in seen}
    best = max(seen, key=score.__getitem__)
    sigma = {name: facts.objects[name].sigma for name in seen}
    return [
        name
        for name in seen
        if name == best or score[best] - score[name] < APART_SIGMAS * np.hypot(sigma[name], sigma[best])
    ]


def _along(place: str, position: np.ndarray) -> float:
    match place:
        case "left":
            return float(position[1])
        case "right":
            return float(-position[1])
        case "near":
            return float(-np.linalg.norm(position[:2]))
        case _:
            return float(np.linalg.norm(position[:2]))


def sized(size: str, names: Sequence[str], specs: Sequence[ObjectSpec], several: bool) -> list[str]:
    """Those of ``names`` that a size word means: the extreme one, or for ``several`` all on that side of the middle.

    ``size`` is ``large`` or ``small`` (volume of the bounding box) or ``tall`` or ``short`` (height).
    """
    measure = {n: _measure(size, s) for n, s in zip(names, specs, strict=True)}
    if not measure or max(measure.values()) <= SAME_SIZE * min(measure.values()):
        return list(names)
    sign = 1.0 if size in ("large", "tall") else -1.0
    values = np.array([measure[n] for n in names])
    if several:
        middle = (values.max() + values.min()) / 2
        return [n for n in names if sign * (measure[n] - middle) > 0]
    if sign > 0:
        return [n for n in names if measure[n] * SAME_SIZE > values.max()]
    return [n for n in names if measure[n] <= values.min() * SAME_SIZE]


def _measure(size: str, spec: ObjectSpec) -> float:
    low, high = spec.bounds()
    extent = high - low
    return float(extent[2]) if size in ("tall", "short") else float(np.prod(extent))
