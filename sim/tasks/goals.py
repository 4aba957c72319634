# SPDX-License-Identifier: Apache-2.0
"""Goals by category, drawn from what a scene contains. A draw proposes facts; whether they can be said and planned for
is checked by who asks (``robo_orch/bench/tasks.py``).

No kind is known by name here: objects are chosen by what their make allows (``ObjectSpec.traits``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from robo_orch.objects import Inventory, ObjectSpec, Trait
from robo_orch.predicates import shutters
from robo_orch.types import Precision, Predicate

#: A tower's upper object may overhang the lower one's surface by this much, m (chosen: the centre stays well inside).
OVERHANG = 0.01
#: It may be so many times as high as what it rests on is wide, and a tower so high, m (chosen: no bottle on a cube).
SLENDER, TALLEST = 3.5, 0.30
#: Subgoals in one part of a mixed goal, at most (chosen).
LARGEST_PART = 3
#: Share of a place's area that things may cover, and by how much each of several is larger for the fingers that set it
#: down beside the others, m (chosen: a finger's thickness).
FILL, FINGERS = 0.5, 0.024
#: How far the middle of what is in something has to be below its border, m (chosen: well within what perception sees).
BORDER = 0.015


class NotHere(Exception):
    """The scene has not what a goal of this category and size needs. Draw again, or from another scene."""


@dataclass(slots=True)
class Draw:
    """A scene's objects by what can be done with them, and the random choices among them.

    Args:
        inventory: what the scene contains.
        rng: of all choices.
        dishes: kinds on which things are served.
        precise: leave out objects with nothing but a coarse pose.
        skip: names that no goal may name, for example because the arm cannot reach them.
        eager: take objects with a coarse pose first.
    """

    inventory: Inventory
    rng: np.random.Generator
    dishes: Collection[str] = ()
    precise: bool = False
    skip: Collection[str] = ()
    eager: bool = False
    used: set[str] = field(default_factory=set)

    def having(self, *traits: Trait, without: Collection[Trait] = ()) -> list[ObjectSpec]:
        """Objects with all of ``traits`` and none of ``without`` that the goal does not name yet, in random order."""
        found = [
            spec
            for name, spec in self.inventory.items()
            if name not in self.used
            and name not in self.skip
            and spec.traits.issuperset(traits)
            and not spec.traits.intersection(without)
            and not (self.precise and coarse(spec))
        ]
        order = [found[i] for i in self.rng.permutation(len(found))]
        return sorted(order, key=coarse, reverse=True) if self.eager else order

    def take(self, n: int, *traits: Trait, without: Collection[Trait] = ()) -> list[str]:
        """The names of ``n`` such objects, which the goal names from now on.

        Raises:
            NotHere: there are not so many.
        """
        found = self.having(*traits, without=without)
        if len(found) < n:
            raise NotHere(f"{n} objects with {', '.join(traits)}")
        names = [spec.name for spec in found[:n]]
        self.used.update(names)
        return names

    def one(self, names: Collection[str]) -> str:
        """One of several names.

        Raises:
            NotHere: there are none.
        """
        if not names:
            raise NotHere("a choice")
        return str(self.rng.choice(sorted(names)))


def coarse(spec: ObjectSpec) -> bool:
    """Whether an object's pose is known coarsely at best."""
    return spec.precision in (Precision.COARSE, Precision.NONE)


def draw_goal(category: str, draw: Draw, size: int) -> list[Predicate]:
    """Facts of a category that take about ``size`` subgoals.

    Raises:
        NotHere: the scene has not what it takes, or no room for it.
        KeyError: there is no such category.
    """
    facts = CATEGORIES[category](draw, size)
    for place in {fact.args[1] for fact in facts if fact.name in ("on", "in", "at")}:
        there = [fact for fact in facts if fact.args[1:] == (place,) and fact.name != "stacked"]
        if not _room(draw, [fact.args[0] for fact in there], place, there[0].name == "in"):
            raise NotHere(f"room in or on {place}")
    return facts


def _room(draw: Draw, things: Collection[str], place: str, within: bool) -> bool:
    """Whether a place has room for things: area for all of them, in a hollow also height for each."""
    specs, spec = [draw.inventory[name] for name in things], draw.inventory[place]
    surfaces = sum((np.pi if s.round else 4.0) * s.half[0] * s.half[1] for s in spec.surfaces)
    if not within or spec.interior is None:
        return _covered(specs) <= surfaces * (FILL if len(specs) > 1 else 1.0)
    x, y, z = 2.0 * spec.interior.half
    # What shuts must go over it; in an open bin its middle has to be below the border.
    highest = z if shutters(place, draw.inventory) else 2.0 * (z - BORDER)
    return _covered(specs) <= FILL * x * y and max(map(_height, specs)) <= highest


def _rearrange(draw: Draw, size: int) -> list[Predicate]:
    """Things each to a place of its own: dishes, shelves, regions; what cannot be gripped is pushed."""
    regions, boards = _regions(draw), _boards(draw)
    facts = []
    for _ in range(size):
        pushed = draw.having(Trait.FREE, without=[Trait.GRASPABLE]) if regions else []
        if pushed and draw.rng.random() < 0.4:
            draw.used.add(pushed[0].name)
            facts.append(Predicate("at", (pushed[0].name, draw.one(regions))))
            continue
        (thing,) = draw.take(1, Trait.GRASPABLE)
        place = draw.one([*boards, *regions])
        facts.append(Predicate("at" if place in regions else "on", (thing, place)))
    return facts


def _stack(draw: Draw, size: int) -> list[Predicate]:
    """A tower, the first on top; with luck its foot stands on something too."""
    boards = _boards(draw)
    grounded = size > 1 and bool(boards) and draw.rng.random() < 0.5
    levels = size if grounded else size + 1
    bases = draw.having(Trait.GRASPABLE, Trait.SURFACE)
    if not bases:
        raise NotHere("something to stack on")
    tower = bases[:1]
    for spec in [*bases[1:], *draw.having(Trait.GRASPABLE, without=[Trait.SURFACE])]:
        if len(tower) < levels and _rests_on(spec, tower[-1]) and sum(map(_height, [*tower, spec])) <= TALLEST:
            tower.append(spec)
    if len(tower) < levels:
        raise NotHere(f"a tower of {levels}")
    names = [spec.name for spec in tower]
    draw.used.update(names)
    facts = [Predicate("stacked", (top, below)) for below, top in pairwise(names)]
    return [*([Predicate("on", (names[0], draw.one(boards)))] if grounded else []), *facts]


def _store(draw: Draw, size: int) -> list[Predicate]:
    """Things into something that shuts, which is shut afterwards if there is a step left for it; else into a bin."""
    hollows = draw.having(Trait.HOLLOW, without=[Trait.FREE])
    before = {h.name: shutters(h.name, draw.inventory) for h in hollows}
    shutting = [name for name, parts in before.items() if parts and not draw.used.intersection(parts)]
    if size < 2 or not shutting:
        return _all_to(draw, size, draw.one(_bins(draw)), "in")
    hollow = draw.one(shutting)
    parts = before[hollow]
    draw.used.update((hollow, *parts))
    shut = size > 2 and draw.rng.random() < 0.7
    things = draw.take(size - len(parts) * (1 + shut), Trait.GRASPABLE)
    facts = [Predicate("in", (thing, hollow)) for thing in things]
    return facts + [Predicate("closed", (part,)) for part in parts if shut]


def _clear_table(draw: Draw, size: int) -> list[Predicate]:
    """Things off the table, all to one place: a bin, a tray, a shelf."""
    bins = _bins(draw)
    place = draw.one([*_boards(draw), *bins])
    return _all_to(draw, size, place, "in" if place in bins else "on")


def _serve(draw: Draw, size: int) -> list[Predicate]:
    """Things onto plates and trays."""
    dishes = [spec.name for spec in draw.having(Trait.SURFACE) if spec.kind in draw.dishes]
    draw.used.update(dishes)
    things = draw.take(size, Trait.GRASPABLE)
    return [Predicate("on", (thing, draw.one(dishes))) for thing in things]


def _press_turn(draw: Draw, size: int) -> list[Predicate]:
    """Buttons, knobs, drawers and doors."""
    ways = {"pressed": Trait.PRESSES, "turned": Trait.TURNS, "open": Trait.SLIDES}
    can = [(fact, spec.name) for fact, trait in ways.items() for spec in draw.having(trait)]
    can += [("open", spec.name) for spec in draw.having(Trait.SWINGS)]
    if len(can) < size:
        raise NotHere(f"{size} parts that move")
    chosen = [can[i] for i in draw.rng.permutation(len(can))[:size]]
    draw.used.update(name for _, name in chosen)
    return [Predicate(fact, (name,)) for fact, name in chosen]


def _mixed(draw: Draw, size: int) -> list[Predicate]:
    """Small goals of other categories at once, until there are subgoals enough."""
    facts: list[Predicate] = []
    left = size
    while left:
        for part in (min(left, int(draw.rng.integers(1, LARGEST_PART + 1))), 1):
            if found := _any_other(draw, part):
                break
        else:
            raise NotHere(f"a mixed goal of {size}")
        facts += found
        left -= part
    return facts


def _any_other(draw: Draw, size: int) -> list[Predicate]:
    """A goal of any category that the scene has what it takes for, empty if there is none."""
    for category in draw.rng.permutation([name for name in CATEGORIES if name != "mixed"]):
        before = set(draw.used)
        try:
            return draw_goal(str(category), draw, size)
        except NotHere:
            draw.used = before
    return []


CATEGORIES: Mapping[str, Callable[[Draw, int], list[Predicate]]] = {
    "rearrange": _rearrange,
    "stack": _stack,
    "store": _store,
    "clear_table": _clear_table,
    "serve": _serve,
    "press_turn": _press_turn,
    "mixed": _mixed,
}


def _all_to(draw: Draw, size: int, place: str, relation: str) -> list[Predicate]:
    draw.used.add(place)
    return [Predicate(relation, (thing, place)) for thing in draw.take(max(size, 1), Trait.GRASPABLE)]


def _boards(draw: Draw) -> list[str]:
    """What things can be put on and is not what all of them stand on anyway, nor a thing to be moved itself.

    Something below another thing's goal is never named twice, so a fixed or free board serves many.
    """
    boards = draw.having(Trait.SURFACE, without=[Trait.GRASPABLE, Trait.REGION, Trait.SLIDES])
    ground = max(boards, key=lambda spec: sum(4 * s.half[0] * s.half[1] for s in spec.surfaces), default=None)
    bins = _bins(draw)
    return [spec.name for spec in boards if spec is not ground and spec.name not in bins]


def _bins(draw: Draw) -> list[str]:
    """Furniture that things can be put into without opening it."""
    hollows = draw.having(Trait.HOLLOW, without=[Trait.FREE])
    return [spec.name for spec in hollows if not shutters(spec.name, draw.inventory)]


def _regions(draw: Draw) -> list[str]:
    return [spec.name for spec in draw.having(Trait.REGION)]


def _rests_on(top: ObjectSpec, below: ObjectSpec) -> bool:
    low, high = top.bounds()
    half = float((high - low)[:2].min()) / 2
    wide = max((min(half, *surface.half) for surface in below.surfaces), default=0.0)
    return half <= wide + OVERHANG and _height(top) <= SLENDER * 2 * wide


def _covered(specs: Sequence[ObjectSpec]) -> float:
    """Area that things cover, several with room for fingers beside each, m^2."""
    room = FINGERS if len(specs) > 1 else 0.0
    sides = [high[:2] - low[:2] + room for low, high in (spec.bounds() for spec in specs)]
    return float(sum(a * b for a, b in sides))


def _height(spec: ObjectSpec) -> float:
    low, high = spec.bounds()
    return float(high[2] - low[2])
