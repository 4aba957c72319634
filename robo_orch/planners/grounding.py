# SPDX-License-Identifier: Apache-2.0
"""English goals as facts about a scene's objects.

Two stages: :func:`mentions` tells what a goal names before there is a scene, so that one can be laid out that has it;
:func:`ground` finds the facts. Text is data: whatever a goal or an object's name says, it can only become facts of
registered predicates about objects of the inventory.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence

from robo_orch.errors import GoalError
from robo_orch.objects import Inventory
from robo_orch.planners.clauses import ClauseReader
from robo_orch.planners.consistency import PLACED, carried, check_consistent, check_possible
from robo_orch.planners.description import Description, describe
from robo_orch.planners.discourse import Discourse
from robo_orch.planners.english import english
from robo_orch.planners.nearest import nearest
from robo_orch.planners.pronouns import Narrative
from robo_orch.planners.reference import Resolver
from robo_orch.planners.syntax import Clause, Link, NounPhrase, Sentence, parse
from robo_orch.planners.vocabulary import Vocabulary
from robo_orch.predicates import Facts, shutters
from robo_orch.types import Code, Goal, Predicate

#: Of one description, no scene is asked to have more than this many (chosen: what a scene has room for).
MOST = 10


def mentions(text: str, vocabulary: Vocabulary) -> list[tuple[str, str]]:
    """What a goal names: ``(kind, colour)``, colour empty where none was said, once for each object that is needed.

    Kinds in ``vocabulary.given`` and words that it does not know are left out: :func:`ground` judges them.

    Raises:
        GoalError: ``EMPTY_GOAL`` or ``NOT_UNDERSTOOD``.
    """
    needed: dict[tuple[str, str], int] = {}
    nouns: list[str] = []
    for given, following in _phrases(_parse(text, vocabulary), vocabulary):
        readings = [describe(given, vocabulary, noun) for noun in ([following] if following else [*nouns[::-1], ""])]
        kind, what = next(((k, w) for w in readings if (k := _offered(w, vocabulary))), ("", readings[0]))
        nouns.append(what.noun)
        if kind and kind not in vocabulary.given:
            key = (kind, what.colours[0] if what.colours else "")
            needed[key] = max(needed.get(key, 1), min(given.count or 1, MOST))
    return [key for key, n in needed.items() for _ in range(n)]


def ground(text: str, inventory: Inventory, facts: Facts | None = None) -> Goal:
    """The goal that a text stands for.

    Args:
        text: English, at most ``syntax.MAX_LENGTH`` characters.
        inventory: what the scene contains.
        facts: where things are believed to be; needed for "the leftmost …" and "everything on …" only.

    Raises:
        GoalError: ``EMPTY_GOAL``, ``NOT_UNDERSTOOD``, ``UNKNOWN_OBJECT``, ``AMBIGUOUS_OBJECT``, ``NOT_PERCEIVED``,
            ``IMPOSSIBLE_GOAL`` or ``CONTRADICTORY_GOAL``.
    """
    vocabulary = Vocabulary.of_inventory(inventory)

    def works(sentence: str) -> bool:
        with contextlib.suppress(GoalError):
            return bool(_goal(sentence, vocabulary, inventory, facts))
        return False

    try:
        return _goal(text, vocabulary, inventory, facts)
    except GoalError as error:
        quoted = re.findall(r'"([^"]+)"', error.remedy)
        if error.code is not Code.NOT_UNDERSTOOD or (quoted and all(map(works, quoted))):
            raise
        remedy = nearest(text, vocabulary, inventory, works)
        raise GoalError(error.expected, error.got, remedy, error.code) from None


def _goal(text: str, vocabulary: Vocabulary, inventory: Inventory, facts: Facts | None) -> Goal:
    sentence = parse(text, vocabulary)
    narrative = Narrative(ClauseReader(text, Resolver(inventory, vocabulary, facts, Discourse())))
    stages = _narrated(_staged(sentence, [narrative.read(*said) for said in sentence]), inventory)
    stages = _without_grasps(stages)
    for stage in stages:
        check_possible(stage, inventory)
        check_consistent(stage, inventory)
    final: list[Predicate] = []
    for stage in stages:
        final = carried(final, stage, inventory)
    return Goal(text, tuple(final), tuple(map(tuple, stages)) if len(stages) > 1 else ())


def _offered(what: Description, vocabulary: Vocabulary) -> str:
    """The kind that is meant, empty if there is none in that colour."""
    if what.strange or len(what.colours) > 1:
        return ""
    kinds = what.kinds or (vocabulary.coming_in(what.colours) if not what.noun else ())
    return next((kind for kind in kinds if vocabulary.offers(kind, what.colours)), "")


def _parse(text: str, vocabulary: Vocabulary) -> Sentence:
    try:
        return parse(text, vocabulary)
    except GoalError as error:
        if error.code is not Code.NOT_UNDERSTOOD:
            raise
        raise GoalError(error.expected, error.got, nearest(text, vocabulary), error.code) from None


def _phrases(sentence: Sentence, vocabulary: Vocabulary) -> list[tuple[NounPhrase, str]]:
    """Every noun phrase with the noun of the one that follows it in a list ("the red and the blue cube")."""
    found = []
    for _, clause in sentence:
        heads = [vocabulary.singular(t.words[-1] if t.words else "") for t in (*clause.themes[1:], NounPhrase())]
        found += list(zip(clause.themes, heads, strict=True))
        found += [(given, "") for given in (*clause.exceptions, *(place.of for place in clause.places))]
        found += [(noun, "") for noun in _usual(clause, vocabulary)]
    return [(given, noun) for given, noun in found if given.words]


def _usual(clause: Clause, vocabulary: Vocabulary) -> list[NounPhrase]:
    """Where things go by the clause's verb where no place is said."""
    _, things = english().usual.get(clause.verb, ("", ()))
    if any(place.preposition in ("ON", "IN", "TO") for place in clause.places):
        return []
    return [NounPhrase((thing,)) for thing in things if thing in vocabulary.nouns][:1]


def _staged(sentence: Sentence, facts: Sequence[list[Predicate]]) -> list[list[Predicate]]:
    stages: list[list[Predicate]] = [[]]
    at = 0
    for (link, _), said in zip(sentence, facts, strict=True):
        match link:
            case Link.ALSO:
                stages[at] += said
            case Link.AFTER:
                stages.insert(at, said)
            case _:
                at += 1
                stages.insert(at, said)
    return [stage for stage in (list(dict.fromkeys(stage)) for stage in stages) if stage]


def _narrated(stages: list[list[Predicate]], inventory: Inventory) -> list[list[Predicate]]:
    """People tell "open the drawer, put the cube in it and close it" in order, without a "then"."""
    out: list[list[Predicate]] = []
    for stage in stages:
        cut = next((i for i, fact in enumerate(stage) if _closes_what_was_used(fact, stage[:i], inventory)), None)
        out += [stage] if cut is None else [stage[:cut], stage[cut:]]
    return out


def _closes_what_was_used(fact: Predicate, before: Sequence[Predicate], inventory: Inventory) -> bool:
    opened = next((i for i, f in enumerate(before) if f.name == "open" and f.args == fact.args), None)
    if fact.name != "closed" or opened is None:
        return False
    return any(fact.args[0] in (name, *shutters(name, inventory)) for f in before[opened + 1 :] for name in f.args)


def _without_grasps(stages: list[list[Predicate]]) -> list[list[Predicate]]:
    """Leave out what follows anyway: "pick it up and put it there" asks for no more than the second half."""
    moved = {f.args[0] for stage in stages for f in stage if f.name in PLACED}
    kept = [[f for f in stage if f.name != "holding" or f.args[0] not in moved] for stage in stages]
    return [stage for stage in kept if stage]
