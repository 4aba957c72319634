# SPDX-License-Identifier: Apache-2.0
"""The words of ``data/grammar/english.yaml`` as tables, and how text is cut into words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import yaml

#: Verb classes: what a clause may begin with, besides ENSURE and DONT.
VERBS = frozenset(
    (
        "PUT",
        "TAKE",
        "REMOVE",
        "GET",
        "STAND",
        "STACK",
        "SERVE",
        "DISCARD",
        "LEAVE",
        "PULL",
        "PUSH",
        "OPEN",
        "CLOSE",
        "PRESS",
        "TURN",
        "UNTURN",
        "ADJUST",
        "CLEAR",
        "CANNOT",
    )
)

_WORD = re.compile(r"\w+(?:'[a-z]+)?|[,.;:!?&]|[^\w\s]")
_MARKS = frozenset(",.;:!?&")
_VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class English:
    """Word tables.

    Attributes:
        classes: word class by phrase (a tuple of words).
        numbers: value by number word.
        things: words for any object at all.
        sizes, places: canonical adjective by each of its forms.
        other: words for "the ones not yet mentioned".
        relations: canonical relation by each preposition that only tells which thing is meant.
        motion: prepositions that always say where something shall go.
        also: further words for a kind, by kind.
        usual: by verb class, preposition class and things that are meant where no place is said.
        spelling: preferred spelling by variant.
        function_words: words that may not be part of an object's name, because sentences are cut at them.
    """

    classes: Mapping[tuple[str, ...], str]
    numbers: Mapping[str, int]
    things: frozenset[str]
    sizes: Mapping[str, str]
    places: Mapping[str, str]
    other: frozenset[str]
    relations: Mapping[str, str]
    motion: frozenset[str]
    also: Mapping[str, tuple[str, ...]]
    usual: Mapping[str, tuple[str, tuple[str, ...]]]
    spelling: Mapping[str, str]
    function_words: frozenset[str]


def grammar_text() -> str:
    """The source of the goal grammar."""
    return files("robo_orch").joinpath("data/grammar/goal.lark").read_text(encoding="utf-8")


@cache
def english() -> English:
    """The word tables, read once."""
    data = yaml.safe_load(files("robo_orch").joinpath("data/grammar/english.yaml").read_text(encoding="utf-8"))
    classes = {tuple(p.split()): name for name, phrases in data["phrases"].items() for p in phrases}
    relations = {form: relation for relation, forms in data["relations"].items() for form in forms}
    classes |= {tuple(form.split()): "SIDE" for form in relations}
    closed = {words[0] for words, name in classes.items() if len(words) == 1 and name != "FILLER"}
    for name, verbs in data["verbs"].items():
        classes |= {tuple(form.split()): name for verb in verbs for form in _forms(verb)}
    return English(
        classes=classes,
        numbers=data["numbers"],
        things=frozenset(data["things"]) | {plural(thing) for thing in data["things"]},
        sizes={form: size for size, forms in data["sizes"].items() for form in forms},
        places={form: place for place, forms in data["places"].items() for form in forms},
        other=frozenset(data["other"]),
        relations=relations,
        motion=frozenset(data["motion"]),
        also={kind: tuple(further) for kind, further in data["also"].items()},
        usual={verb: (usual["preposition"], tuple(usual["things"])) for verb, usual in data["usual"].items()},
        spelling=data["spelling"],
        function_words=frozenset(closed),
    )


def words(text: str) -> list[str]:
    """Lower-case words, punctuation marks and pictures (emoji); every other character only separates words."""
    plain = unicodedata.normalize("NFKC", text).replace("\u2019", "'").casefold()
    return [word for word in _WORD.findall(plain) if word[0].isalnum() or word[0] in _MARKS or _pictured(word)]


def _pictured(word: str) -> bool:
    return word[0] == "_" or unicodedata.category(word[0]) == "So"


@lru_cache(maxsize=4096)
def phrase(name: str) -> str:
    """A name as it is said: ``red_cube`` becomes ``red cube``."""
    spelling = english().spelling
    return " ".join(spelling.get(w, w) for w in words(name.replace("_", " ")) if w.isalnum())


@lru_cache(maxsize=4096)
def plural(noun: str) -> str:
    """The regular plural of a noun; of several words, the last one changes, or the one before "of"."""
    if " of " in noun:
        head, _, rest = noun.partition(" of ")
        return f"{plural(head)} of {rest}"
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return noun[:-1] + "ies"
    if noun.endswith("elf"):
        return noun[:-1] + "ves"
    return noun + "s"


def _forms(verb: str) -> list[str]:
    head, _, rest = verb.partition(" ")
    stem = head[:-1] if head.endswith("e") else head
    third = head + "es" if head.endswith(("s", "sh", "ch")) else head + "s"
    return [f"{form} {rest}".strip() for form in (head, third, stem + "ing", stem + "ed")]
