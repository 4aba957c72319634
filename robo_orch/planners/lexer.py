# SPDX-License-Identifier: Apache-2.0
"""Cuts a goal into the word classes of ``goal.lark``; whatever comes, it yields tokens and never fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lark import Token
from lark.lexer import Lexer

from robo_orch.planners.english import VERBS, english, words
from robo_orch.planners.vocabulary import Vocabulary

#: What begins a clause, so that an "and" before it joins clauses and not objects.
STARTS = VERBS | {"ENSURE", "DONT"}
_PLACES = frozenset({"ON", "IN", "OFF", "TO"})
#: After these, "of" says nothing: "all of the cubes".
_QUANTITIES = frozenset({"ALL", "NUMBER", "INDEFINITE", "DET"})
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
    found = _resolve(_classify(_split_names(words(text), vocabulary), vocabulary))
    return _connect(found)


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
        out.append(Token(kind, " ".join(parts[i : i + length])))
        start = start if kind == "FILLER" else kind in _RANK or kind in ("ENSURE", "DONT", "BUT")
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
    found = [t for t in found if t.type != "FILLER"]
    for i, token in enumerate(found):
        following = found[i + 1].type if i + 1 < len(found) else ""
        match token.type:
            case "EVERYTHING":
                out += [Token("ALL", "all"), Token("WORD", "everything")]
            case "ONE":
                alone = following not in ("WORD", "DET", "PRONOUN") or token != "one"
                out.append(Token("WORD" if alone else "INDEFINITE", str(token)))
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
    for i, token in enumerate(found):
        if token.type == "AND" and place and found[i + 1].type in _PLACES:
            out.append(Token("BOTH", str(token)))
            continue
        if token.type in ("COMMA", "AND"):
            begins = found[i + 1].type in STARTS or (verb and not place and _states(found[i + 1 :]))
            out.append(Token("SEP" if begins else "AND", str(token)))
            verb, place = (False, False) if begins or place else (verb, place)
            continue
        out.append(token)
        if token.type in _RANK:
            verb = place = False
        verb = verb or token.type in VERBS
        place = place or token.type in _PLACES
    return out


def _states(rest: list[Token]) -> bool:
    for token in rest:
        if token.type in _RANK or token.type in ("IS", "ISNT"):
            return token.type not in _RANK
    return False
