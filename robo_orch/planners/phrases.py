# SPDX-License-Identifier: Apache-2.0
"""Facts said in English, in many ways, each of which grounds back to the same facts.

The ways stand in ``data/grammar/phrases.yaml``. What is said is checked by grounding it: a way that would be understood
differently beside its neighbours is not taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby

import numpy as np
import yaml

from robo_orch.errors import GoalError
from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.planners.english import phrase, plural
from robo_orch.planners.grounding import ground
from robo_orch.predicates import shutters
from robo_orch.types import Code, Predicate

#: Ways that are tried before the plainest one is taken (chosen).
TRIES = 12
#: How often "it" and "all the cans" are said where they could be (chosen).
SHORT = 0.4
_JOINTS = (" and ", ", ", ". ", "; ", ", and ")


def phrasings(predicates: Sequence[Predicate], inventory: Inventory, rng: np.random.Generator) -> str:
    """One way of saying that all of ``predicates`` shall hold, drawn by ``rng``.

    :func:`robo_orch.planners.grounding.ground` finds exactly these facts in it, in this order, without stages.

    Raises:
        GoalError: ``IMPOSSIBLE_GOAL``: these facts cannot be said (or not hold) together.
    """
    wanted = tuple(predicates)
    for _ in range(TRIES):
        text = _Speaker(inventory, rng).say(wanted)
        if _means(text, wanted, inventory):
            return text
    text = _Speaker(inventory, rng).plain(wanted)
    if not _means(text, wanted, inventory):
        got = ", ".join(map(str, wanted))
        raise GoalError("facts that can be said in one goal", got, "choose others", Code.IMPOSSIBLE_GOAL)
    return text


@cache
def ways() -> Mapping[str, tuple[str, ...]]:
    """The ways of saying each kind of fact, by predicate name, with ``not`` before it for its opposite."""
    text = files("robo_orch").joinpath("data/grammar/phrases.yaml").read_text(encoding="utf-8")
    return {key: tuple(patterns) for key, patterns in yaml.safe_load(text).items()}


def _means(text: str, wanted: tuple[Predicate, ...], inventory: Inventory) -> bool:
    try:
        goal = ground(text, inventory)
    except GoalError:
        return False
    return goal.predicates == wanted and not goal.stages


def _ways(fact: Predicate) -> tuple[str, ...]:
    key = f"not {fact.name}" if fact.negated else fact.name
    if key not in ways():
        raise GoalError(f"a fact among {', '.join(ways())}", str(fact), "choose another", Code.IMPOSSIBLE_GOAL)
    return ways()[key]


@dataclass(frozen=True, slots=True)
class _Speaker:
    """Says facts at random; what comes out may be ambiguous."""

    inventory: Inventory
    rng: np.random.Generator

    def say(self, wanted: Sequence[Predicate]) -> str:
        text, before = "", None
        for together in self._groups(wanted):
            text += (self._one(_JOINTS) if text else "") + self._clause(together, before)
            before = together[-1]
        polite = () if text.startswith(("the ", "i ", "all ")) else ("please {}",)
        dressed = self._one(("{}", "{}.", "{}, please", *polite))
        text = dressed.format(text)
        return text[0].upper() + text[1:] if self.rng.random() < 0.5 else text

    def plain(self, wanted: Sequence[Predicate]) -> str:
        """The plainest way: fact by fact, every object by its own name."""
        return ". ".join(_ways(fact)[0].format(**self.exactly(fact)) for fact in wanted)

    def exactly(self, fact: Predicate) -> dict[str, str]:
        """What fills a pattern, every object by its own name."""
        return {"is": "is", **dict(zip("ab", map(self._exact, fact.args), strict=False))}

    def _groups(self, wanted: Sequence[Predicate]) -> Iterator[list[Predicate]]:
        """Neighbours that differ in their first object only; a tower is told stone by stone."""
        for key, run in groupby(wanted, lambda f: (f.name, f.negated, f.args[1:], f.name == "stacked" and f.args)):
            del key
            together = list(run)
            cut = int(self.rng.integers(1, len(together) + 1)) if len(together) > 1 else 1
            yield together[:cut]
            if together[cut:]:
                yield together[cut:]

    def _clause(self, together: Sequence[Predicate], before: Predicate | None) -> str:
        first = together[0]
        return self._one(_ways(first)).format(
            a=self._it(first, before) or self._several([fact.args[0] for fact in together]),
            **{"is": "are" if len(together) > 1 else "is"},
            b=self._name(first.args[1]) if len(first.args) > 1 else "",
        )

    def _it(self, fact: Predicate, before: Predicate | None) -> str:
        """A pronoun for the drawer just filled: "put the cube in the drawer and close it"."""
        if before is None or len(fact.args) > 1 or before.name != "in" or self.rng.random() > SHORT:
            return ""
        return "it" if fact.args[0] in shutters(before.args[1], self.inventory) else ""

    def _several(self, names: Sequence[str]) -> str:
        if len(names) > 1 and self.rng.random() < SHORT and (noun := self._collective(names)):
            return f"{self._one(('all', 'all the', 'all of the', 'the'))} {noun}"
        *rest, last = map(self._name, names)
        return f"{', '.join(rest)} and {last}" if rest else last

    def _collective(self, names: Sequence[str]) -> str:
        """A plural that means just these."""
        specs = [self.inventory[name] for name in names]
        for colour in ("", specs[0].colour):
            meant = {n for n, s in self.inventory.items() if s.kind == specs[0].kind and colour in ("", s.colour)}
            if meant == set(names):
                return f"{phrase(colour)} {plural(phrase(specs[0].kind))}".strip()
        return ""

    def _exact(self, name: str) -> str:
        return f"the {phrase(name) if self._meant_by(phrase(name)) == [name] else name}"

    def _name(self, name: str) -> str:
        spec = self.inventory[name]
        words = self._words(spec)
        said = [*words, *(f"{phrase(spec.colour)} {word}" for word in words if spec.colour)]
        return f"the {self._one([*(text for text in said if self._meant_by(text) == [name]), self._exact(name)[4:]])}"

    def _meant_by(self, text: str) -> list[str]:
        """Objects that a noun, with or without a colour, or a name may stand for."""
        found = []
        for name, spec in self.inventory.items():
            words = self._words(spec)
            if text in words or text in {f"{phrase(spec.colour)} {word}" for word in words} or text == phrase(name):
                found.append(name)
        return found

    @staticmethod
    def _words(spec: ObjectSpec) -> list[str]:
        return [phrase(word) for word in (spec.kind, *spec.words)]

    def _one(self, among: Sequence[str]) -> str:
        return among[int(self.rng.integers(len(among)))]
