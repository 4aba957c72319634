# SPDX-License-Identifier: Apache-2.0
"""What "it" means: the latest thing spoken of of which the clause can be true.

::

    for each clause before, the latest first:
        readings = the things that it spoke of by themselves, in whose place the clause asks for something possible
        one reading: that is meant
        several: the one that agrees with what is asked for beside it, else ask
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from robo_orch.errors import GoalError
from robo_orch.objects import Trait
from robo_orch.planners.clauses import ClauseReader
from robo_orch.planners.consistency import PLACED, agree, check_consistent, check_possible
from robo_orch.planners.lexer import reworded
from robo_orch.planners.syntax import Clause, Link, NounPhrase, shown
from robo_orch.types import Code, Predicate

#: A clause without "it", and the facts that it asks for.
Reading = tuple[Clause, list[Predicate]]


@dataclass(slots=True)
class Narrative:
    """Reads the clauses of one goal in the order said, each "it" settled. ``said``: facts of the stage at hand."""

    reader: ClauseReader
    said: list[Predicate] = field(default_factory=list)

    def read(self, link: Link, clause: Clause) -> list[Predicate]:
        """The facts that a clause asks for.

        Raises:
            GoalError: what the clause says cannot be resolved; ``AMBIGUOUS_OBJECT`` where "it" may be several things.
        """
        if link is not Link.ALSO:
            self.said = []
        facts = self.reader.read(self._settled(clause, link))
        self.said += facts
        return facts

    def _settled(self, clause: Clause, link: Link) -> Clause:
        given = next((noun for noun in _phrases(clause) if noun.pronoun == "it"), None)
        if given is None:
            return clause
        discourse = self.reader.resolver.discourse
        if discourse.collective and (whole := self._reading(clause, given, NounPhrase(pronoun="them"), link)):
            return whole[0]
        levels = list(discourse.singles())
        for names in levels:
            readings = {n: found for n in names if (found := self._reading(clause, given, _named(n), link)) is not None}
            if readings:
                return self._chosen(given, readings, link)
        if not levels and given.span[0] == given.span[1]:
            expected = "a place, or something named before that is one"
            raise GoalError(expected, shown(self.reader.text), "say where", Code.NOT_UNDERSTOOD)
        if not levels:
            expected, remedy = 'something named before that "it" can stand for', "name the object"
            raise GoalError(expected, "nothing", remedy, Code.AMBIGUOUS_OBJECT)
        # Nothing is possible: the error about the latest thing tells why.
        return self._settled(_with(clause, given, _named(levels[0][0])), link)

    def _reading(self, clause: Clause, given: NounPhrase, by: NounPhrase, link: Link) -> Reading | None:
        inventory = self.reader.resolver.inventory
        try:
            settled = self._settled(_with(clause, given, by), link)
            facts = self.reader.fork().read(settled)
            check_possible(facts, inventory)
            check_consistent(facts, inventory)
        except GoalError:
            return None
        return (settled, facts) if all(self._sensible(fact) for fact in facts) else None

    def _sensible(self, fact: Predicate) -> bool:
        """Whether people would say it: even that something shall *not* be somewhere is said of what can be moved."""
        moved = self.reader.resolver.inventory[fact.args[0]]
        return fact.name not in PLACED or (Trait.FREE in moved.traits and fact.args[0] != fact.args[1])

    def _chosen(self, given: NounPhrase, readings: Mapping[str, Reading], link: Link) -> Clause:
        inventory = self.reader.resolver.inventory
        different = {tuple(facts): name for name, (_, facts) in reversed(list(readings.items()))}
        if len(different) > 1 and link is Link.ALSO:
            agreeing = {f: name for f, name in different.items() if agree([*self.said, *f], inventory)}
            different = agreeing or different
        names = [name for name in readings if name in different.values()]
        if len(names) > 1:
            raise self._ambiguous(given, names)
        return readings[names[0]][0]

    def _ambiguous(self, given: NounPhrase, names: list[str]) -> GoalError:
        resolver = self.reader.resolver
        said = [f"the {resolver.exactly(name)}" for name in names]
        sentences = [f'"{reworded(self.reader.text, resolver.vocabulary, given.span, by)}"' for by in said]
        got = f'"it", which may be {" or ".join(said)}'
        return GoalError("words that fit one object", got, f"say {' or '.join(sentences)}", Code.AMBIGUOUS_OBJECT)


def _phrases(clause: Clause) -> list[NounPhrase]:
    return [*clause.themes, *(p.of for p in (*clause.places, *clause.avoided)), *clause.exceptions]


def _named(name: str) -> NounPhrase:
    return NounPhrase((name.casefold(),))


def _with(clause: Clause, given: NounPhrase, by: NounPhrase) -> Clause:
    """The clause with other words in the place of a pronoun."""

    def put(noun: NounPhrase) -> NounPhrase:
        return by if noun == given else noun

    return replace(
        clause,
        themes=tuple(map(put, clause.themes)),
        places=tuple(replace(p, of=put(p.of)) for p in clause.places),
        exceptions=tuple(map(put, clause.exceptions)),
        avoided=tuple(replace(p, of=put(p.of)) for p in clause.avoided),
    )
