# SPDX-License-Identifier: Apache-2.0
"""The shape of a goal: text to clauses and noun phrases, by the LALR(1) grammar ``data/grammar/goal.lark``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import cast

from lark import Lark, Token, Transformer, UnexpectedToken

from robo_orch.errors import GoalError
from robo_orch.planners.english import english, grammar_text, words
from robo_orch.planners.lexer import TokenStream, tokens
from robo_orch.planners.vocabulary import Vocabulary
from robo_orch.skills import skills
from robo_orch.types import Code

#: Longest goal, characters (chosen: a page of text; parsing is linear, this bounds what is echoed and logged).
MAX_LENGTH = 2000


class Link(StrEnum):
    """How a clause follows the one before it."""

    ALSO = "also"
    THEN = "then"
    BEFORE = "before"  # the earlier clause comes before this one
    AFTER = "after"  # the earlier clause comes after this one


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Words that pick out objects.

    Attributes:
        words: colours, sizes and nouns in the order said; empty for pronouns.
        pronoun: ``it``, ``them`` or ``they``; ``that`` where it is left out ("take the cube and put on the plate").
        every: all that fit (``all``, ``both``, ``everything``).
        count: how many were asked for, if that was said.
        indefinite: any that fits (``a``, ``any``); ``several`` of them (``some cubes``).
        of: what it is a part of ("the left side of the table").
        none: no one of them (``no cube``, ``nothing``).
        specifiers: articles, quantities and numbers, where nothing else was said.
        span: of a pronoun, from which word of the goal until which it stands.
    """

    words: tuple[str, ...] = ()
    pronoun: str = ""
    every: bool = False
    count: int | None = None
    indefinite: bool = False
    several: bool = False
    of: NounPhrase | None = None
    none: bool = False
    specifiers: str = ""
    span: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        whole = f" of the {self.of}" if self.of else ""
        return (" ".join(self.words) or self.pronoun or self.specifiers) + whole


@dataclass(frozen=True, slots=True)
class Place:
    """A preposition's class (``ON``, ``IN``, ``OFF``, ``TO``, or a relation such as ``next``) and what it refers to.

    Attributes:
        also: it holds together with the place before it ("on the table and on its left side").
        motion: something goes there ("into"); it never tells only where something is.
        reminder: it only tells where something is ("that is on the tray").
    """

    preposition: str
    of: NounPhrase
    also: bool = False
    motion: bool = False
    reminder: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing asked for.

    Attributes:
        verb: a class of verbs in ``english.yaml``, ``STATE`` for how things shall be, or ``SAME`` where the verb is
            left out ("… and the blue one on the tray").
        themes: what it is about.
        places: in the order said; exceptions stand apart.
        negated: the opposite is asked for.
        upright: the themes shall stand upright.
        avoided: where they shall not be ("on the table, but not on the left side").
    """

    verb: str
    themes: tuple[NounPhrase, ...]
    places: tuple[Place, ...] = ()
    exceptions: tuple[NounPhrase, ...] = ()
    negated: bool = False
    upright: bool = False
    avoided: tuple[Place, ...] = ()


#: Clauses with how each follows its predecessor; the first one's link says nothing.
Sentence = tuple[tuple[Link, Clause], ...]


def parse(text: str, vocabulary: Vocabulary) -> Sentence:
    """The clauses of a goal.

    Raises:
        GoalError: ``EMPTY_GOAL``, or ``NOT_UNDERSTOOD`` with the word at which the sentence ceases to make sense.
    """
    if len(text) > MAX_LENGTH:
        got = f"{len(text)} characters"
        raise GoalError(f"a goal of at most {MAX_LENGTH} characters", got, "say it in fewer words")
    found = tokens(text, vocabulary)
    if not any(word[0].isalnum() for word in words(text)) or not found:
        got = f"{shown(text)}, which names nothing to do" if text.strip() else "an empty goal"
        raise GoalError("a goal in words", got, 'say what to do, e.g. "open the drawer"', Code.EMPTY_GOAL)
    if foreign := next((token for token in found if token.type == "CANNOT"), None):
        known = ", ".join(skills())
        raise GoalError(f"a goal for the skills {known}", f"{str(foreign)!r}", "ask for something else", Code.NO_SKILL)
    try:
        return cast(Sentence, _parser().parse(found))
    except UnexpectedToken as error:
        raise not_understood(error.token, text) from None


def not_understood(word: Token | str, text: str) -> GoalError:
    """The error for a sentence that makes no sense from ``word`` on."""
    where = "it ends too early" if getattr(word, "type", "") == "$END" else f"{str(word)[:60]!r} does not fit in there"
    return GoalError("a goal that the grammar covers (docs/goals.md)", f"{shown(text)}: {where}", "say it differently")


def shown(text: str, limit: int = 80) -> str:
    """Someone's text as it may be shown: quoted, escaped and cut."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


#: Stands for the word among the parts of a clause.
_UPRIGHT = "upright"


@dataclass(frozen=True, slots=True)
class _Verb:
    """The class of verb that a condition stands for: "is shut" for ``CLOSE``, "is turned off" for its opposite."""

    name: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class _Avoided:
    """A place where things shall not be."""

    place: Place


@cache
def _parser() -> Lark:
    return Lark(grammar_text(), parser="lalr", lexer=TokenStream, transformer=_Clauses())


class _Clauses(Transformer):
    """Builds :data:`Sentence` while the text is parsed."""

    def start(self, parts: list) -> Sentence:
        lead = parts.pop(0) if isinstance(parts[0], tuple) else None
        linked = list(zip([Link.ALSO, *parts[1::2]], parts[0::2], strict=True))
        if lead:
            word, clause = lead
            return ((Link.ALSO, clause), (Link.THEN if word == "AFTER" else Link.AFTER, linked[0][1]), *linked[1:])
        return tuple(linked)

    def lead(self, parts: list) -> tuple[str, Clause]:
        return parts[0].type, parts[1]

    def also(self, parts: list) -> Link:
        return Link.ALSO

    def then(self, parts: list) -> Link:
        return Link.THEN

    def before(self, parts: list) -> Link:
        return Link.BEFORE

    def after(self, parts: list) -> Link:
        return Link.AFTER

    def clause(self, parts: list) -> Clause:
        return parts[0]

    def action(self, parts: list) -> Clause:
        return parts[0]

    def negative(self, parts: list) -> Clause:
        return replace(parts[-1], negated=not parts[-1].negated)

    def bare(self, parts: list) -> Clause:
        return _clause("SAME", parts)

    def more(self, parts: list) -> Clause:
        return _clause("SAME", parts)

    def exists(self, parts: list) -> Clause:
        return _clause("STATE", parts[1:])

    def exists_not(self, parts: list) -> Clause:
        return replace(self.exists(parts), negated=True)

    def ensured(self, parts: list) -> Clause:
        return _clause("STATE", [p for p in parts if not isinstance(p, Token)])

    def state(self, parts: list) -> Clause:
        tokens = {p.type for p in parts if isinstance(p, Token)}
        rest = [p for p in parts if not isinstance(p, Token)]
        verb = rest.pop() if isinstance(rest[-1], _Verb) else _Verb("STACK" if "STACK" in tokens else "STATE")
        return replace(_clause(verb.name, rest), negated=("ISNT" in tokens) != verb.negated)

    def move(self, parts: list) -> Clause:
        clause = _clause(parts[0].type, parts[1:])
        if clause.verb == "CLEAR" and clause.places:
            return replace(clause, verb="REMOVE")
        return replace(clause, verb="PUT", upright=True) if clause.verb == "STAND" else clause

    def move_that(self, parts: list) -> Clause:
        return _clause(parts[0].type, [(NounPhrase(pronoun="that"),), *parts[1:]])

    def set_joint(self, parts: list) -> Clause:
        return Clause(parts[-1].name, parts[1], negated=parts[-1].negated)

    def set_bare(self, parts: list) -> Clause:
        return self.set_joint([None, *parts])

    def act(self, parts: list) -> Clause:
        clause = _clause(parts[0].type, [p for p in parts if not isinstance(p, Token)])
        return replace(clause, verb="PUT") if clause.verb == "TURN" and clause.upright else clause

    def undo(self, parts: list) -> Clause:
        return replace(self.act(parts), verb="TURN", negated=True)

    def place(self, parts: list) -> Place:
        word = parts[-2]
        name = english().relations[str(word)] if word.type == "SIDE" else word.type
        return Place(name, parts[-1], also=len(parts) > 2, motion=word in english().motion)

    def reminder(self, parts: list) -> Place:
        return replace(self.place(parts[1:]), reminder=True)

    def avoided(self, parts: list) -> _Avoided:
        return _Avoided(Place(parts[-2].type, parts[-1]))

    def exception(self, parts: list) -> tuple[NounPhrase, ...]:
        return parts[1]

    def upright(self, parts: list) -> str:
        return _UPRIGHT

    def condition(self, parts: list) -> _Verb:
        return _Verb(parts[0].type)

    def turned(self, parts: list) -> _Verb:
        return _Verb("TURN")

    def undone(self, parts: list) -> _Verb:
        return _Verb("TURN", negated=True)

    def nouns(self, parts: list) -> tuple[NounPhrase, ...]:
        return tuple(p for p in parts if not isinstance(p, Token))

    def noun(self, parts: list) -> NounPhrase:
        whole = parts.pop() if isinstance(parts[-1], NounPhrase) else None
        whole = whole or next((NounPhrase((str(t),)) for t in parts if t.type == "OWNER"), None)
        by_type = {t.type: str(t) for t in parts}
        both = any(t == "both" for t in parts)
        number = by_type.get("NUMBER")
        return NounPhrase(
            words=tuple(str(t) for t in parts if t.type == "WORD"),
            pronoun=by_type.get("PRONOUN", ""),
            every="ALL" in by_type or "NO" in by_type,
            count=2 if both else _number(number) if number else None,
            several=any(t == "some" for t in parts),
            indefinite="INDEFINITE" in by_type or (number is not None and not {"DET", "ALL"} & by_type.keys()),
            of=whole,
            none="NO" in by_type,
            specifiers=" ".join(parts) if not {"WORD", "PRONOUN"} & by_type.keys() else "",
            span=next(((t.start_pos or 0, t.end_pos or 0) for t in parts if t.type == "PRONOUN"), (0, 0)),
        )

    def specifier(self, parts: list[Token]) -> Token:
        return parts[0]


def _clause(verb: str, parts: list) -> Clause:
    places = tuple(p for p in parts[1:] if isinstance(p, Place))
    exceptions = tuple(e for p in parts[1:] if isinstance(p, tuple) for e in p)
    avoided = tuple(p.place for p in parts[1:] if isinstance(p, _Avoided))
    return Clause(verb, parts[0], places, exceptions, upright=_UPRIGHT in parts, avoided=avoided)


def _number(text: str) -> int:
    value = english().numbers.get(text)
    return value if value is not None else min(int(text), 10**6)
