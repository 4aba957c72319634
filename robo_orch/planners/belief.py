# SPDX-License-Identifier: Apache-2.0
"""The world as symbols: what stands where and what is open, as believed now and as each planned step changes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from robo_orch.objects import Inventory, Trait
from robo_orch.planners.consistency import PLACED, area, footprint, only_floor
from robo_orch.planners.where import ground_of
from robo_orch.predicates import CONTACT_TOLERANCE, Facts, evaluate, shutters
from robo_orch.types import Predicate

#: Errors of a pose larger than this many sigma are not reckoned with (chosen).
FAR_SIGMAS = 6.0
#: Where an object is, m, and how far (m) it reaches from there.
Ball = tuple[tuple[float, ...], float]
#: ``("on" | "in", place)``
Spot = tuple[str, str]


@dataclass(slots=True)
class Belief:
    """A symbolic state.

    Attributes:
        where: the spots at which an object rather is than not; what stands in the way is decided by these.
        sure: the spots that are certain; a fact holds already only by these.
        joints: True for certainly open, False for certainly closed, None for neither.
        held: the object in the gripper.
        others: facts of further predicates that hold.
        ground: the furniture of which a region is a part, by region.
    """

    inventory: Inventory
    where: dict[str, set[Spot]] = field(default_factory=dict)
    sure: dict[str, set[Spot]] = field(default_factory=dict)
    joints: dict[str, bool | None] = field(default_factory=dict)
    held: str | None = None
    others: set[Predicate] = field(default_factory=set)
    ground: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: Facts) -> Self:
        """What an observation supports."""
        belief = cls(facts.inventory, held=facts.holding)
        balls = {name: _ball(name, facts) for name in facts.objects if name in facts.inventory}
        for name, spec in facts.inventory.items():
            if Trait.REGION in spec.traits and (ground := ground_of(name, facts)):
                belief.ground[name] = ground
            belief._note(name, facts)
            if spec.opens:
                opened, closed = (evaluate(Predicate(p, (name,)), facts) for p in ("open", "closed"))
                belief.joints[name] = True if opened.holds else False if closed.holds else None
            elif Trait.FREE in spec.traits:
                belief._locate(name, facts, balls)
        return belief

    def _note(self, name: str, facts: Facts) -> None:
        """Facts that stay true until a skill changes them."""
        traits = self.inventory[name].traits
        relevant = {"pressed": Trait.PRESSES, "turned": Trait.TURNS, "upright": Trait.FREE}
        about = [Predicate(p, (name,)) for p, trait in relevant.items() if trait in traits]
        self.others |= {fact for fact in about if evaluate(fact, facts).holds}

    def _locate(self, name: str, facts: Facts, balls: Mapping[str, Ball]) -> None:
        self.where[name], self.sure[name] = set(), set()
        for place, spec in self.inventory.items():
            if place == name or _apart(balls.get(name), balls.get(place)):
                continue
            for relation in [r for r, has in (("on", spec.surfaces), ("in", spec.interior is not None)) if has]:
                truth = evaluate(Predicate(relation, (name, place)), facts)
                if truth.known and truth.probability > 0.5:
                    self.where[name].add((relation, place))
                if truth.holds:
                    self.sure[name].add((relation, place))

    def holds(self, fact: Predicate) -> bool:
        """Whether a fact holds; where nothing is known of it, it does not."""
        if fact.name in PLACED:
            spot = (PLACED[fact.name], fact.args[1])
            return spot not in self.where[fact.args[0]] if fact.negated else spot in self.sure[fact.args[0]]
        if fact.name in ("open", "closed"):
            return (self.joints[fact.args[0]] is (fact.name == "open")) != fact.negated
        if fact.name == "clear":
            return (not self.loose(fact.args[0])) != fact.negated
        if fact.name == "holding":
            return (self.held == fact.args[0]) != fact.negated
        return (Predicate(fact.name, fact.args) in self.others) != fact.negated

    def on(self, place: str) -> list[str]:
        """What stands on ``place``."""
        return [name for name, spots in self.where.items() if ("on", place) in spots]

    def loose(self, place: str) -> list[str]:
        """What stands on ``place`` and can be taken away."""
        return [name for name in self.on(place) if self.inventory[name].movable]

    def within(self, place: str) -> list[str]:
        """What is in ``place``."""
        return [name for name, spots in self.where.items() if ("in", place) in spots]

    def chain(self, name: str) -> list[str]:
        """``name``, what it stands on or in, what that stands on, and so on."""
        found, front = [], [name]
        while front:
            at = front.pop()
            if at not in found:
                found.append(at)
                front += [place for _, place in sorted(self.where.get(at, ()))]
        return found

    def shut(self, name: str, inside: bool = False) -> list[str]:
        """Drawers and doors that must be opened to reach ``name``, or with ``inside`` its hollow."""
        parts = shutters(name, self.inventory) if inside or self.inventory[name].opens else []
        for relation, place in sorted(self.where.get(name, ())):
            parts += self.shut(place, relation == "in")
        return [part for part in dict.fromkeys(parts) if self.joints.get(part) is not True]

    def behind(self, part: str) -> list[str]:
        """Hollows that a drawer or door shuts."""
        return [n for n, s in self.inventory.items() if s.interior is not None and part in shutters(n, self.inventory)]

    def room(self, name: str, place: str, gap: float = 0.0) -> bool:
        """Whether there is space for ``name`` on (or only in) ``place``, with ``gap`` (m) between things.

        An empty place always has some.
        """
        spec = self.inventory[place]
        there = [n for n in (self.on(place) if spec.surfaces else self.within(place)) if n != name]
        needed = sum((footprint(self.inventory[n]) ** 0.5 + gap) ** 2 for n in (name, *there))
        return not there or needed <= area(spec)

    def move(self, name: str, relation: str, place: str) -> None:
        """After an object was put somewhere and let go."""
        spots = {(relation, place)} | ({("on", self.ground[place])} if place in self.ground else set())
        self.sure[name] = spots | ({("on", place), ("in", place)} if only_floor(self.inventory[place]) else set())
        # Wherever on the table it was put down: it may be in any of the table's regions.
        maybe = {("on", region) for region, ground in self.ground.items() if ground == place and relation == "on"}
        self.where[name] = self.sure[name] | maybe
        if self.held == name:
            self.held = None


def _apart(a: Ball | None, b: Ball | None) -> bool:
    """Whether two objects are too far apart to touch, whatever their poses' errors; saves most evaluations."""
    return a is None or b is None or math.dist(a[0], b[0]) > a[1] + b[1] + CONTACT_TOLERANCE


def _ball(name: str, facts: Facts) -> Ball:
    low, high = facts.inventory[name].bounds()
    estimate = facts.objects[name]
    reach = float(np.linalg.norm(np.maximum(-low, high)))
    return tuple(estimate.pose.position.tolist()), reach + FAR_SIGMAS * estimate.sigma
