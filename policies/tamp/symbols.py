# SPDX-License-Identifier: Apache-2.0
"""The scene as symbols: what keeps the hand from what, by perception and by what geometry found out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

from robo_orch.predicates import Facts, evaluate, shutters
from robo_orch.types import Predicate


@dataclass(frozen=True, slots=True)
class Errand:
    """What is wanted: ``thing`` at ``target``, by the action ``how``: ``place``, ``stack`` or ``put_in``."""

    thing: str
    target: str
    how: str


@dataclass(frozen=True, slots=True)
class Symbols:
    """A symbolic state.

    Attributes:
        held: what the gripper holds.
        obstructs: pairs ``(y, x)``: ``y`` must be moved before ``x`` is grasped: it rests on it or stands in the way.
        blocks: triples ``(y, x, p)``: ``y`` must be moved before ``x`` can be set down at ``p``.
        behind: by name of a thing or a hollow, the shut drawers and doors that keep the hand from it.
    """

    held: str | None = None
    obstructs: frozenset[tuple[str, str]] = frozenset()
    blocks: frozenset[tuple[str, str, str]] = frozenset()
    behind: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        facts: Facts,
        errand: Errand,
        obstructs: Iterable[tuple[str, str]] = (),
        blocks: Iterable[tuple[str, str, str]] = (),
    ) -> Self:
        """What is perceived, as far as it is rather true than not, and what geometry found out."""
        movable = [n for n, s in facts.inventory.items() if s.movable and n in facts.objects and n != facts.holding]
        on = {(y, x) for x in movable for y in movable if y != x and _likely(Predicate("on", (y, x)), facts)}
        occupied = set[tuple[str, str, str]]()
        if errand.how == "stack":
            others = (y for y, x in on if x == errand.target and y != errand.thing)
            occupied = {(y, errand.thing, errand.target) for y in others}
        hollows = {name: spec for name, spec in facts.inventory.items() if spec.interior is not None}
        shut = {hollow: frozenset(_shut(hollow, facts)) for hollow in hollows if hollow in facts.objects}
        behind = {x: frozenset[str]().union(*(shut[h] for h in shut if _likely_in(x, h, facts))) for x in movable}
        if errand.how == "put_in":
            behind[errand.target] = shut.get(errand.target, frozenset())
        return cls(facts.holding, frozenset(on.union(obstructs)), frozenset(occupied.union(blocks)), behind)

    def direct(self, errand: Errand) -> bool:
        """Whether one pick and one place will do: nothing has to be moved or opened first."""
        in_the_way = [y for y, x in self.obstructs if x == errand.thing] if self.held != errand.thing else []
        in_the_way += [y for y, x, p in self.blocks if (x, p) == (errand.thing, errand.target)]
        shut = self.behind.get(errand.thing, frozenset()) | self.behind.get(errand.target, frozenset())
        return self.held in (None, errand.thing) and not in_the_way and not shut

    def concerned(self, errand: Errand) -> list[str]:
        """The things, drawers and doors that a plan may have to do with, sorted."""
        found, front = {errand.thing, errand.target, *([self.held] if self.held else [])}, [errand.thing, errand.target]
        while front:
            for name in self._before(front.pop()):
                if name not in found:
                    found.add(name)
                    front.append(name)
        return sorted(found)

    def _before(self, name: str) -> Iterator[str]:
        yield from (y for y, x in self.obstructs if x == name)
        yield from (y for y, _, p in self.blocks if p == name)
        yield from self.behind.get(name, ())


def _shut(hollow: str, facts: Facts) -> list[str]:
    return [part for part in shutters(hollow, facts.inventory) if not evaluate(Predicate("open", (part,)), facts).holds]


def _likely(fact: Predicate, facts: Facts) -> bool:
    truth = evaluate(fact, facts)
    return truth.known and truth.probability > 0.5


def _likely_in(thing: str, hollow: str, facts: Facts) -> bool:
    return thing != hollow and _likely(Predicate("in", (thing, hollow)), facts)
