# SPDX-License-Identifier: Apache-2.0
"""Cuts a goal into the word classes of ``goal.lark``; whatever comes, it yields tokens and never fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lark import Token
from lark.lexer import Lexer

from robo_orch.planners.english import VERBS, english, words
from robo_orch.planners.particles import with_particles, without_fillers
from robo_orch.planners.vocabulary import Vocabulary

#: What begins a clause, so that an "and" before it joins clauses and not objects.
STARTS = VERBS | {"ENSURE", "DONT"}
_PLACES = frozenset({"ON", "IN", "OFF", "TO"})
#: After these, "of" says nothing: "all of the cubes".
_QUANTITIES = frozenset({"ALL", "NUMBER", "INDEFINITE", "DET", "NO"})
#: What several words in one stand for; of the rest of something, the noun follows.
_STANDS_FOR = {
    "EVERYTHING": (("ALL", "all"), ("WORD", "everything")),
    "ANYTHING": (("INDEFINITE", "any"), ("WORD", "thing")),
    "NOTHING": (("NO", "no"), ("WORD", "everything")),
    "REST": (("ALL", "all"), ("WORD", "other"), ("WORD", "ones")),
    "REST_OF": (("ALL", "all"), ("WORD", "other")),
}
#: What a noun phrase can begin with.
_NOUN_STARTS = frozenset({"DET", "WORD", "ALL", "NUMBER", "INDEFINITE", "PRONOUN", "OWNER"})
_ORDER = ("BEFORE", "AFTER")
_PUNCTUATION = {",": "COMMA", ".": "SEP", ";": "SEP", ":": "SEP", "!": "SEP", "?": "SEP"}
#: Where several connectors meet ("and then"), the one that says most counts.
_RANK = {"COMMA": 0, "AND": 1, "SEP": 2, "THEN": 3, "BEFORE": 4, "AFTER": 5}


class TokenStream(Lexer):
    """Hands a ready list of tokens to lark."""

    def __init__(self, conf: Any) -> None:
        del conf

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Token]:
        """Yield the tokens given to ``parse``."""
        yield from lexer_state.text

    __future_interface__ = True


def tokens(text: str, vocabulary: Vocabulary) -> list[Token]:
    """The tokens of a goal, connectors settled and fillers left out. Their values are lower case."""
    return _connect(_resolve(_classify(spoken(text, vocabulary), vocabulary)))


def spoken(text: str, vocabulary: Vocabulary) -> list[str]:
    """The words of a goal to which the positions of tokens refer."""
    return _split_names(words(text), vocabulary)


def reworded(text: str, vocabulary: Vocabulary, span: tuple[int, int], by: str) -> str:
    """The goal with the words from ``span[0]`` until ``span[1]`` replaced."""
    parts = spoken(text, vocabulary)
    said = " ".join([*parts[: span[0]], by, *parts[span[1] :]])
    for mark in _PUNCTUATION:
        said = said.replace(f" {mark}", mark)
    return said


def _split_names(parts: list[str], vocabulary: Vocabulary) -> list[str]:
    spelling = english().spelling
    out: list[str] = []
    for part in parts:
        pieces = [part] if part in vocabulary.names else [p for p in part.split("_") if p]
        out += [spelling.get(piece, piece) for piece in pieces]
    return out


def _classify(parts: list[str], vocabulary: Vocabulary) -> list[Token]:
    classes = english().classes
    reach = max(vocabulary.longest, max(map(len, classes)))
    out: list[Token] = []
    i, start = 0, True
    while i < len(parts):
        if (owner := parts[i].removesuffix("'s")) != parts[i] and owner in vocabulary.nouns:
            parts[i] = owner
            kind, length = "OWNER", 1
        else:
            kind, length = _longest(parts, i, reach, start, vocabulary)
        out.append(Token(kind, " ".join(parts[i : i + length]), i, end_pos=i + length))
        start = start if kind in ("FILLER", "PARTICLE") else kind in _RANK or kind in ("ENSURE", "DONT", "BUT")
        i += length
    return out


def _longest(parts: list[str], i: int, reach: int, start: bool, vocabulary: Vocabulary) -> tuple[str, int]:
    if parts[i] in _PUNCTUATION:
        return _PUNCTUATION[parts[i]], 1
    classes = english().classes
    named, classed = 0, 0
    for n in range(min(reach, len(parts) - i), 0, -1):
        chunk = parts[i : i + n]
        if not named and vocabulary.knows(" ".join(chunk)):
            named = n
        if not classed and tuple(chunk) in classes:
            classed = n
    kind = classes[tuple(parts[i : i + classed])] if classed else "WORD"
    # An object may be called "push button": such a verb is one only where a clause begins.
    if named and not (start and kind in STARTS) and named >= classed:
        return "WORD", named
    if not classed and (parts[i] in english().numbers or parts[i].isdecimal()):
        return "NUMBER", 1
    return kind, max(classed, 1)


def _resolve(found: list[Token]) -> list[Token]:
    out: list[Token] = []
    found = with_particles(without_fillers(found), _RANK)
    for i, token in enumerate(found):
        following = found[i + 1].type if i + 1 < len(found) else ""
        match token.type:
            case "REST" if token.endswith(("else", "things")):
                out += [Token("ALL", "all"), Token("WORD", "other"), Token("WORD", "things")]
            case _ if token.type in _STANDS_FOR:
                out += [Token(*pair) for pair in _STANDS_FOR[token.type]]
            case "ONE":
                out += _one(token, out[-1].type if out else "", following)
            case "INDEFINITE" if token == "another" and following not in {*_NOUN_STARTS, "ONE", "OPEN", "CLOSE"}:
                out += [token, Token("WORD", "one")]
            case "BUT":
                out.append(Token("SEP" if following in STARTS | _RANK.keys() else "EXCEPT", str(token)))
            case "AFTER" | "THEN" if token in ("before that", "after that") and following == "WORD":
                out += [Token(token.split()[0].upper(), str(token)), Token("DET", "that")]
            case "OF" if out and out[-1].type in _QUANTITIES:
                continue
            case "TO" | "ENSURE" if following in STARTS or (token.type == "ENSURE" and following == "TO"):
                continue
            case _:
                out.append(token)
    return out


def _one(token: Token, before: str, following: str) -> list[Token]:
    """The noun of "the red one", or the number of "one cube", or both: "one on the plate"."""
    noun, number = Token("WORD", str(token)), Token("INDEFINITE", str(token))
    if token == "one" and following in ("WORD", "DET", "PRONOUN", "OF"):
        return [number]
    return [noun] if token != "one" or before in ("WORD", "OWNER", *_QUANTITIES) else [number, noun]


def _connect(found: list[Token]) -> list[Token]:
    return _break_clauses(_merge_connectors(found))


def _merge_connectors(found: list[Token]) -> list[Token]:
    """Of connectors in a row the one that says most is left; none at the ends, nor a comma before a preposition."""
    out: list[Token] = []
    for i, token in enumerate(found):
        following = found[i + 1].type if i + 1 < len(found) else ""
        if token.type not in _RANK:
            out.append(token)
            continue
        if out and out[-1].type in _RANK:
            if _RANK[token.type] > _RANK[out[-1].type]:
                out[-1] = token
        elif out or token.type in _ORDER:
            out.append(token)
        last = out[-1].type if out else ""
        idle = not following or following == "EXCEPT" or (last == "COMMA" and following in (*_PLACES, "UPRIGHT"))
        if idle and last in _RANK and last not in _ORDER:
            out.pop()
    return out


def _break_clauses(found: list[Token]) -> list[Token]:
    """Commas and "and" become SEP where a new clause begins, and AND where a list goes on.

    A new clause begins before a verb, and where the clause so far has its verb, but no place yet, and a statement
    follows: "open the drawer and the cube is on it", but "the cube and the can are on it".
    """
    out: list[Token] = []
    verb = place = False
    lead = bool(found) and found[0].type in _ORDER
    for i, token in enumerate(found):
        if lead and _ends_lead(found, i):
            out.append(Token("SEP", ","))
            lead = verb = place = False
        if token.type == "AND" and place and found[i + 1].type in _PLACES:
            out.append(Token("BOTH", str(token)))
            continue
        if token.type in ("COMMA", "AND"):
            begins = found[i + 1].type in STARTS or (verb and not place and _states(found[i + 1 :]))
            out.append(Token("SEP" if begins else "AND", str(token)))
            verb, place = (False, False) if begins or place else (verb, place)
            lead = lead and not begins
            continue
        out.append(token)
        if token.type in _RANK:
            lead = lead and i == 0
            verb = place = False
        verb = verb or token.type in VERBS
        place = place or token.type in _PLACES
    return out


def _ends_lead(found: Sequence[Token], i: int) -> bool:
    """Whether a clause begins at ``i`` without a connector: "before turning the knob | press the button"."""
    if i < 2 or found[i].type not in VERBS or found[i - 1].type in ("ENSURE", "DONT", *_RANK):
        return False
    following = found[i + 1].type if i + 1 < len(found) else ""
    inside = found[i - 1].type in ("IS", "ISNT", *_QUANTITIES)
    said = any(t.type in STARTS | {"IS", "ISNT"} for t in found[1 : i - 1])
    return following in _NOUN_STARTS and not inside and said


def _states(rest: list[Token]) -> bool:
    for token in rest:
        if token.type in _RANK or token.type in ("IS", "ISNT"):
            return token.type not in _RANK
    return False
