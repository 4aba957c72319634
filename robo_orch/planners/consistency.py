# SPDX-License-Identifier: Apache-2.0
"""Whether facts can hold together, and whether objects are such that they can hold at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter

from robo_orch.errors import GoalError
from robo_orch.objects import Inventory, ObjectSpec, Shape, Trait
from robo_orch.predicates import check
from robo_orch.types import Code, Predicate

#: Predicates that say where an object is; those that mean "on" are alike here.
PLACED = {"on": "on", "stacked": "on", "at": "on", "in": "in"}


#: What lies in a region may reach over its border by about so much, for its centre counts, m (chosen: half a mug).
_OVERHANG = 0.05
#: What each fact about a part needs, in words and as traits of which one must be there.
_MADE_FOR = {
    "open": ("something that opens and closes", {Trait.SLIDES, Trait.SWINGS}, "name a drawer or a door"),
    "closed": ("something that opens and closes", {Trait.SLIDES, Trait.SWINGS}, "name a drawer or a door"),
    "pressed": ("something that can be pressed", {Trait.PRESSES}, "name a button"),
    "turned": ("something that can be turned", {Trait.TURNS}, "name a knob"),
    "holding": ("something that the robot can pick up", {Trait.GRASPABLE}, "name something that it can grip"),
    "upright": ("something that can stand by itself", {Trait.FREE}, "name something that is not furniture"),
    "clear": ("something with a surface to clear", {Trait.SURFACE}, "name something that things can stand on"),
}


def conflict(a: Predicate, b: Predicate, inventory: Inventory) -> bool:
    """Whether two facts cannot hold at the same time. Symmetric."""
    return _conflict(a, b, inventory) or _conflict(b, a, inventory)


def check_consistent(facts: Sequence[Predicate], inventory: Inventory) -> None:
    """Refuse facts that cannot all hold at the same time.

    Raises:
        GoalError: ``CONTRADICTORY_GOAL``, naming the facts that exclude each other.
    """
    for i, a in enumerate(facts):
        if a.name in PLACED and not a.negated and a.args[0] == a.args[1]:
            raise _contradiction(f"'{a}'")
        for b in facts[:i]:
            if conflict(a, b, inventory):
                raise _contradiction(f"'{b}' together with '{a}'")
    below: dict[str, set[str]] = {}
    for fact in facts:
        if fact.name in PLACED and not fact.negated:
            below.setdefault(fact.args[0], set()).add(fact.args[1])
    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        ring = error.args[1]
        raise _contradiction(f"{', '.join(sorted(set(ring)))} each above the other") from None


def check_possible(facts: Iterable[Predicate], inventory: Inventory) -> None:
    """Refuse facts that the objects' make rules out.

    Raises:
        GoalError: ``IMPOSSIBLE_GOAL`` (or what :func:`robo_orch.predicates.check` raises for unknown names).
    """
    facts = list(facts)
    for fact in facts:
        check(fact, inventory)
        spec = inventory[fact.args[0]]
        expected, traits, remedy = _MADE_FOR.get(fact.name, ("", spec.traits, ""))
        if not traits & spec.traits and expected:
            raise _impossible(expected, spec, remedy)
        if not fact.negated and fact.name in PLACED:
            _check_placed(fact, inventory)
    _check_room(facts, inventory)


def agree(facts: Sequence[Predicate], inventory: Inventory) -> bool:
    """Whether facts can hold together."""
    try:
        check_possible(facts, inventory)
        check_consistent(facts, inventory)
    except GoalError:
        return False
    return True


def carried(earlier: Sequence[Predicate], later: Sequence[Predicate], inventory: Inventory) -> list[Predicate]:
    """``later`` and as much of ``earlier`` as can surely still hold beside it, in the order said."""
    kept: list[Predicate] = []
    for fact in dict.fromkeys(earlier):
        surely = not any(_doubtful(fact, other, inventory) or _doubtful(other, fact, inventory) for other in later)
        if fact not in later and surely and agree([*kept, fact, *later], inventory):
            kept.append(fact)
    return [*kept, *dict.fromkeys(later)]


def footprint(spec: ObjectSpec) -> float:
    """Area (m^2) that an object takes as made: its bounding rectangle, or the disc for something round."""
    low, high = spec.bounds()
    if len(spec.geoms) == 1 and spec.geoms[0].shape in (Shape.CYLINDER, Shape.SPHERE):
        return float(3.1416 * spec.geoms[0].size[0] ** 2)
    return float((high[0] - low[0]) * (high[1] - low[1]))


def area(spec: ObjectSpec) -> float:
    """Area (m^2) of the surfaces on which things stand on an object, else of the floor of its hollow."""
    if not spec.surfaces and spec.interior is not None:
        return float(4 * spec.interior.half[0] * spec.interior.half[1])
    if Trait.REGION in spec.traits:
        return sum(4 * (s.half[0] + _OVERHANG) * (s.half[1] + _OVERHANG) for s in spec.surfaces)
    return sum((3.1416 * s.half[0] ** 2) if s.round else 4 * s.half[0] * s.half[1] for s in spec.tops)


def _conflict(a: Predicate, b: Predicate, inventory: Inventory) -> bool:
    same = PLACED.get(a.name, a.name) == PLACED.get(b.name, b.name) and a.args == b.args
    if same:
        return a.negated != b.negated
    if a.name in ("open", "closed") and b.name in ("open", "closed"):
        return a.args == b.args and a.negated == b.negated
    if a.negated or b.negated:
        return False
    if a.name in PLACED and b.name in PLACED:
        return a.args[0] == b.args[0] and not _at_once(a, b, inventory)
    if a.name == "holding":
        return b.name == "holding" or (b.name in PLACED and b.args[0] == a.args[0])
    return a.name == "clear" and PLACED.get(b.name) == "on" and b.args[1] == a.args[0]


def _at_once(a: Predicate, b: Predicate, inventory: Inventory) -> bool:
    """Whether one thing can be at both places."""
    if a.args[1] != b.args[1]:
        return _part_of(a.args[1], b.args[1], inventory)
    return PLACED[a.name] == PLACED[b.name] or only_floor(inventory[a.args[1]])


def only_floor(spec: ObjectSpec) -> bool:
    """Whether whatever stands on it is in it: a drawer, a bin."""
    return bool(spec.surfaces) and len(spec.floors) == len(spec.surfaces)


def _part_of(region: str, whole: str, inventory: Inventory) -> bool:
    """Whether ``region`` may be a part of ``whole`` (or the other way round): both may hold of one thing."""
    traits = [inventory[name].traits for name in (region, whole)]
    regions = [Trait.REGION in t for t in traits]
    return any(regions) and not all(regions) and all(inventory[name].fixed for name in (region, whole))


def _doubtful(at: Predicate, other: Predicate, inventory: Inventory) -> bool:
    """Whether it depends on where a region is if ``other``, about other furniture, can hold beside ``at``."""
    if at.name != "at" or at.negated or Trait.REGION in inventory[other.args[-1]].traits:
        return False
    same = other.name in PLACED and other.args[0] == at.args[0]
    return same or (other.name == "clear" and not other.negated)


def _check_placed(fact: Predicate, inventory: Inventory) -> None:
    thing, place = (inventory[name] for name in fact.args)
    pushed = Trait.REGION in place.traits and Trait.FREE in thing.traits
    if not thing.movable and not pushed:
        if Trait.FREE in thing.traits and (
            regions := [_said(s) for s in inventory.values() if Trait.REGION in s.traits]
        ):
            remedy = f"it can only be pushed, to the {' or the '.join(regions)}"
            raise _impossible("something that the robot can pick up", thing, remedy)
        why = "it is furniture" if thing.fixed or thing.joint else "there is nothing to grasp it by"
        raise _impossible("something that the robot can pick up", thing, f"{why}; name something else")
    if fact.name == "in" and place.interior is None:
        raise _impossible("something hollow to put things into", place, _instead(place, "on"))
    if fact.name != "in" and not place.surfaces:
        raise _impossible("something with a surface to stand on", place, _instead(place, "in"))


def _instead(place: ObjectSpec, preposition: str) -> str:
    can = place.surfaces if preposition == "on" else place.interior
    return f"say '{preposition} the {_said(place)}'" if can else "choose another place"


def _check_room(facts: Sequence[Predicate], inventory: Inventory) -> None:
    loads: dict[str, dict[str, float]] = {}
    for fact in facts:
        if PLACED.get(fact.name) == "on" and not fact.negated:
            loads.setdefault(fact.args[1], {})[fact.args[0]] = footprint(inventory[fact.args[0]])
    for place, load in loads.items():
        if len(load) > 1 and sum(load.values()) > area(inventory[place]):
            remedy = "put fewer things there, or stack them"
            expected = f"as many things as {_said(inventory[place])} has room for"
            raise GoalError(expected, f"{', '.join(load)} on it", remedy, Code.IMPOSSIBLE_GOAL)


def _contradiction(what: str) -> GoalError:
    remedy = 'drop one of them, or say "then" where one is to follow the other'
    return GoalError("facts that can hold at the same time", what, remedy, Code.CONTRADICTORY_GOAL)


def _impossible(expected: str, spec: ObjectSpec, remedy: str) -> GoalError:
    return GoalError(expected, f"the {_said(spec)}", remedy, Code.IMPOSSIBLE_GOAL)


def _said(spec: ObjectSpec) -> str:
    return spec.name.replace("_", " ")
