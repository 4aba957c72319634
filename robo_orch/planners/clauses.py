# SPDX-License-Identifier: Apache-2.0
"""One clause of a goal as facts about the objects it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from robo_orch.errors import GoalError
from robo_orch.objects import ObjectSpec, Trait
from robo_orch.planners.consistency import only_floor
from robo_orch.planners.english import english, phrase
from robo_orch.planners.reference import Fits, Resolver, Where
from robo_orch.planners.syntax import Clause, NounPhrase, Place, shown
from robo_orch.predicates import shutters
from robo_orch.types import Code, Predicate

#: Which prepositions say where things shall be; after other verbs, ON and IN only tell which thing is meant.
_ENDS = {"TAKE": ("OFF", "TO"), "SERVE": ("ON", "IN", "TO"), "DISCARD": ("ON", "IN", "TO")}
_ANY_END = ("ON", "IN", "OFF", "TO")
_FACT = {"OPEN": "open", "CLOSE": "closed", "CLEAR": "clear", "PRESS": "pressed", "TURN": "turned"}
_FITS: dict[str, Fits] = {
    "OPEN": lambda spec: spec.opens,
    "CLOSE": lambda spec: spec.opens,
    "CLEAR": lambda spec: bool(spec.surfaces),
    "PRESS": lambda spec: Trait.PRESSES in spec.traits,
    "TURN": lambda spec: Trait.TURNS in spec.traits,
}


@dataclass(slots=True)
class ClauseReader:
    """Reads the clauses of one goal in the order said; what was spoken of carries over."""

    text: str
    resolver: Resolver
    previous: Clause | None = field(default=None)

    def read(self, clause: Clause) -> list[Predicate]:
        """The facts that a clause asks for.

        Raises:
            GoalError: the clause says too little, or names what cannot be resolved.
        """
        if clause.verb == "SAME":
            clause = self._completed(clause)
        if clause.verb == "PUSH" and all(map(self._is_button, clause.themes)):
            clause = replace(clause, verb="PRESS")
        self.previous = clause
        if clause.verb in _FACT:
            facts = [Predicate(_FACT[clause.verb], (name,)) for name in self._parts(clause, clause.verb)]
        elif clause.verb in ("PUSH", "PULL") and not clause.places:
            facts = self._pushed(clause)
        elif clause.verb == "STACK":
            facts = self._stack(clause)
        else:
            facts = self._move(clause)
        return [fact.negate() for fact in facts] if clause.negated else facts

    def _completed(self, clause: Clause) -> Clause:
        before = self.previous
        if before is None or before.verb in _FACT or not before.places:
            return replace(clause, verb="STATE")
        return replace(clause, verb=before.verb, negated=before.negated)

    def _parts(self, clause: Clause, verb: str) -> list[str]:
        names = self._themes(clause, clause.places, _FITS[verb])
        return names if verb == "CLEAR" else [self._part(name, _FITS[verb]) for name in names]

    def _pushed(self, clause: Clause) -> list[Predicate]:
        """Without a place, a drawer or door is pushed shut; what is pulled comes open."""
        if clause.verb == "PULL":
            return [Predicate("open", (name,)) for name in self._parts(clause, "OPEN")]
        names = self._themes(clause, (), lambda s: s.joint is not None)
        shut = [self._part(name, _FITS["CLOSE"]) for name in names]
        if all(map(_FITS["CLOSE"], map(self.resolver.inventory.__getitem__, shut))):
            return [Predicate("closed", (name,)) for name in shut]
        raise self._says_too_little(clause)

    def _is_button(self, given: NounPhrase) -> bool:
        """Whether a noun phrase can only mean something that is pressed."""
        found = self.resolver.fitting(given)
        return bool(found) and all(_FITS["PRESS"](self.resolver.inventory[name]) for name in found)

    def _move(self, clause: Clause) -> list[Predicate]:
        ends, rest = self._split(clause)
        ends = ends or self._usual(clause)
        if not ends and clause.verb not in ("TAKE", "GET") and not clause.upright:
            raise self._says_too_little(clause)
        names = self._themes(clause, rest, lambda s: s.movable or (clause.verb == "PUSH" and Trait.FREE in s.traits))
        facts = [fact for end in ends for fact in self._placed(clause, names, end)]
        facts += [fact.negate() for place in clause.avoided for fact in self._placed(clause, names, place)]
        if not ends and not clause.upright:
            facts += [Predicate("holding", (name,)) for name in names]
        return facts + [Predicate("upright", (name,)) for name in names if clause.upright]

    def _placed(self, clause: Clause, names: Sequence[str], end: Place) -> list[Predicate]:
        place = self._place(end)
        if clause.themes[0].every or len(names) > 1:
            names = [name for name in names if name != place] or names
        return [fact for name in names for fact in self._at(name, end.preposition, place)]

    def _usual(self, clause: Clause) -> list[Place]:
        """Where things go by this verb if nothing is said: what is served goes on the tray, if there is one."""
        preposition, things = english().usual.get(clause.verb, ("", ()))
        there = [noun for thing in things if (noun := NounPhrase((thing,))) and self.resolver.fitting(noun)]
        if things and not there:
            expected = f"a {' or a '.join(things)}, where things go by this verb"
            raise GoalError(expected, "a scene without", "say where they shall go", Code.UNKNOWN_OBJECT)
        return [Place(preposition, noun) for noun in there[:1]]

    def _stack(self, clause: Clause) -> list[Predicate]:
        """Several things that are stacked make one tower, the first on top."""
        ends, rest = self._split(clause)
        names = self._themes(clause, rest, lambda s: s.movable)
        if not ends and len(names) < 2:
            raise self._says_too_little(clause)
        for end in ends:
            place = self._place(end)
            names = [*(n for n in names if n != place or len(names) == 1), place]
        pairs = pairwise(names)
        return [Predicate("on" if clause.negated else "stacked", pair) for pair in pairs]

    def _split(self, clause: Clause) -> tuple[list[Place], list[Place]]:
        """Where things shall be, and the places that only tell which things are meant."""
        ends, places = _ENDS.get(clause.verb, _ANY_END), list(clause.places)
        said: list[Place] = []
        while places and (places[-1].preposition in ends or places[-1].also) and (not said or said[0].also):
            said.insert(0, places.pop())
        return said, places

    def _themes(self, clause: Clause, places: Sequence[Place], fits: Fits) -> list[str]:
        where: list[Where] = [(p.preposition, [self._place(p)]) for p in places]
        left_out = {n for e in clause.exceptions for n in self.resolver.many(e, fits, [])}
        found: list[str] = []
        for given, following in zip(clause.themes, (*clause.themes[1:], NounPhrase()), strict=True):
            noun = following.words[-1] if following.words else ""
            found += self.resolver.many(given, fits, where, self.resolver.vocabulary.singular(noun))
        if len(clause.themes) > 1:
            self.resolver.discourse.groups.append(tuple(found))
        kept = [name for name in dict.fromkeys(found) if name not in left_out]
        if not kept:
            raise GoalError("something that is not excepted", shown(self.text), "except fewer things")
        return kept

    def _place(self, place: Place) -> str:
        if side := self.resolver.side(place.of):
            return side
        if place.preposition != "IN":
            return self.resolver.one(place.of, lambda s: bool(s.surfaces))
        return self._part(self.resolver.one(place.of, _takes_in), _takes_in)

    def _at(self, name: str, preposition: str, place: str) -> list[Predicate]:
        spec = self.resolver.inventory[place]
        if preposition == "OFF" and Trait.REGION in spec.traits:
            return [Predicate("at", (name, place), negated=True)]
        if preposition == "OFF":
            on = [Predicate("on", (name, place), negated=True)] if spec.surfaces or spec.interior is None else []
            inside = [Predicate("in", (name, place), negated=True)] if spec.interior is not None else []
            return inside if only_floor(spec) else on + inside
        if Trait.REGION in spec.traits:
            return [Predicate("at", (name, place))]
        return [Predicate("in" if preposition == "IN" or only_floor(spec) else "on", (name, place))]

    def _part(self, name: str, fits: Fits) -> str:
        """The one part of ``name`` that fits: "open the cabinet" means the door before its hollow, or its one drawer.

        Raises:
            GoalError: ``AMBIGUOUS_OBJECT`` where several parts could be meant.
        """
        inventory = self.resolver.inventory
        if fits(inventory[name]):
            return name
        parts = [n for n, s in inventory.items() if s.joint is not None and s.joint.parent == name and fits(s)]
        before = [part for part in parts if inventory[name].interior and part in shutters(name, inventory)]
        if len(parts) > 1 and len(before) != 1:
            raise self.resolver.ambiguous(phrase(name), parts)
        return next(iter(before or parts), name)

    def _says_too_little(self, clause: Clause) -> GoalError:
        what = " and ".join(map(str, clause.themes))
        remedy = f'say where, e.g. "put the {what} on the table"'
        if beside := [p for p in clause.places if p.preposition not in _ANY_END]:
            remedy = f"that a thing is {beside[0].preposition} of another only tells which one is meant; {remedy}"
        return GoalError(f"a place for {what}", shown(self.text), remedy, Code.NOT_UNDERSTOOD)


def _takes_in(spec: ObjectSpec) -> bool:
    """Whether "in" may be said of it: "in the drawer", "in the middle of the table"."""
    return spec.interior is not None or Trait.REGION in spec.traits
