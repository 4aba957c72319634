# SPDX-License-Identifier: Apache-2.0
"""One clause of a goal as facts about the objects it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from robo_orch.errors import GoalError
from robo_orch.objects import ObjectSpec
from robo_orch.planners.reference import Fits, Resolver, Where
from robo_orch.planners.syntax import Clause, NounPhrase, Place, shown
from robo_orch.types import Code, Predicate

#: Which prepositions say where things shall be; after other verbs, ON and IN only tell which thing is meant.
_ENDS = {"TAKE": ("OFF", "TO")}
_ANY_END = ("ON", "IN", "OFF", "TO")
_FACT = {"OPEN": "open", "CLOSE": "closed", "CLEAR": "clear"}


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
        self.previous = clause
        if clause.verb in _FACT:
            facts = [Predicate(_FACT[clause.verb], (name,)) for name in self._parts(clause)]
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

    def _parts(self, clause: Clause) -> list[str]:
        names = self._themes(clause, clause.places, lambda s: clause.verb == "CLEAR" or s.joint is not None)
        return names if clause.verb == "CLEAR" else [self._moving_part(name) for name in names]

    def _move(self, clause: Clause) -> list[Predicate]:
        end, rest = self._split(clause)
        names = self._themes(clause, rest, lambda s: s.movable)
        if end is None:
            if clause.verb in ("TAKE", "GET"):
                return [Predicate("holding", (name,)) for name in names]
            raise self._says_too_little(clause)
        place = self._place(end)
        if clause.themes[0].every or len(names) > 1:
            names = [name for name in names if name != place] or names
        return [fact for name in names for fact in self._at(name, end.preposition, place)]

    def _stack(self, clause: Clause) -> list[Predicate]:
        """Several things that are stacked make one tower, the first on top."""
        end, rest = self._split(clause)
        names = self._themes(clause, rest, lambda s: s.movable)
        if end is None and len(names) < 2:
            raise self._says_too_little(clause)
        if end is not None:
            place = self._place(end)
            names = [*(n for n in names if n != place or len(names) == 1), place]
        pairs = pairwise(names)
        return [Predicate("on" if clause.negated else "stacked", pair) for pair in pairs]

    def _split(self, clause: Clause) -> tuple[Place | None, Sequence[Place]]:
        ends = _ENDS.get(clause.verb, _ANY_END)
        if clause.places and clause.places[-1].preposition in ends:
            return clause.places[-1], clause.places[:-1]
        return None, clause.places

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
        hollow = place.preposition == "IN"
        found = self.resolver.one(place.of, lambda s: s.interior is not None if hollow else bool(s.surfaces))
        return self._hollow_part(found) if hollow else found

    def _at(self, name: str, preposition: str, place: str) -> list[Predicate]:
        spec = self.resolver.inventory[place]
        if preposition == "OFF":
            on = [Predicate("on", (name, place), negated=True)] if spec.surfaces or spec.interior is None else []
            inside = [Predicate("in", (name, place), negated=True)] if spec.interior is not None else []
            return inside if _only_floor(spec) else on + inside
        relation = "in" if preposition == "IN" else "on"
        if _only_floor(spec):
            relation = "in"
        return [Predicate(relation, (name, place))]

    def _moving_part(self, name: str) -> str:
        return self._part(name, lambda s: s.joint is not None)

    def _hollow_part(self, name: str) -> str:
        return self._part(name, lambda s: s.interior is not None)

    def _part(self, name: str, fits: Fits) -> str:
        """The one part of ``name`` that fits: "open the cabinet" means its drawer, if it has just one."""
        inventory = self.resolver.inventory
        if fits(inventory[name]):
            return name
        parts = [n for n, s in inventory.items() if s.joint is not None and s.joint.parent == name and fits(s)]
        return parts[0] if len(parts) == 1 else name

    def _says_too_little(self, clause: Clause) -> GoalError:
        what = " and ".join(map(str, clause.themes))
        remedy = f'say where, e.g. "put the {what} on the table"'
        return GoalError(f"a place for {what}", shown(self.text), remedy, Code.NOT_UNDERSTOOD)


def _only_floor(spec: ObjectSpec) -> bool:
    """Whether everything that could stand on the object's surfaces would stand inside its hollow."""
    hollow = spec.interior
    if hollow is None:
        return False
    top = hollow.centre[2] + hollow.half[2] - 1e-6
    return all(surface.centre[2] < top for surface in spec.surfaces)
