# SPDX-License-Identifier: Apache-2.0
"""What the words of a noun phrase say about an object: its kind, colours, size and place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from robo_orch.objects import ObjectSpec
from robo_orch.planners.english import english, phrase
from robo_orch.planners.syntax import NounPhrase
from robo_orch.planners.vocabulary import Vocabulary

#: Adjectives that say nothing.
_IDLE = frozenset({"coloured", "colored", "whole", "entire", "hand", "side"})


@dataclass(frozen=True, slots=True)
class Description:
    """A noun phrase taken apart: ``name`` an exact name, ``kinds`` and ``anything`` from the noun, adjectives.

    ``owner``: a noun before the noun ("the cabinet door"); ``strange``: words that mean nothing here.
    """

    text: str
    noun: str
    name: str = ""
    kinds: tuple[str, ...] = ()
    anything: bool = False
    plural: bool = False
    colours: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    other: bool = False
    owner: str = ""
    strange: tuple[str, ...] = ()

    def matches(self, spec: ObjectSpec) -> bool:
        """Whether noun and colours fit."""
        if self.strange or not all(_coloured(spec, colour, bool(self.noun)) for colour in self.colours):
            return False
        if self.name:
            return spec.name == self.name
        if self.anything:
            return spec.movable
        if not self.noun:
            return bool(self.colours or self.places or self.sizes)
        # The kinds tell whether a word is this object's: its own file may give it another kind's name.
        return spec.kind in self.kinds and self.noun in _said_of(spec)


def _said_of(spec: ObjectSpec) -> set[str]:
    return {phrase(word) for word in (spec.kind, *spec.words, *english().also.get(spec.kind, ()))}


def _coloured(spec: ObjectSpec, colour: str, by_noun: bool) -> bool:
    """Whether a colour fits: its own, or of what has none worth naming and is meant by noun, that of a part of it."""
    painted = by_noun and not spec.colour and any(geom.material == colour for geom in spec.geoms)
    return painted or colour == spec.colour


def describe(given: NounPhrase, vocabulary: Vocabulary, inherited: str = "") -> Description:
    """Take a noun phrase apart; ``inherited`` stands for a noun that was left out ("the red and the blue cube")."""
    english_words = english()
    *adjectives, head = given.words or ("",)
    what = Description(str(given), noun="")
    if head in vocabulary.names:
        what = replace(what, name=vocabulary.names[head], noun=head)
    elif head in vocabulary.nouns:
        noun = vocabulary.nouns[head]
        what = replace(what, noun=noun.singular, kinds=noun.kinds, plural=noun.plural)
    elif head in english_words.things:
        what = replace(what, noun="thing", anything=True, plural=head.endswith("s") or head in ("everything", "stuff"))
    else:
        if head not in ("one", "ones", ""):
            adjectives.append(head)
        what = replace(_noun(what, inherited, vocabulary), plural=head == "ones")
    return _with_adjectives(what, adjectives, vocabulary)


def _noun(what: Description, noun: str, vocabulary: Vocabulary) -> Description:
    if noun == "thing":
        return replace(what, noun=noun, anything=True)
    known = vocabulary.nouns.get(noun)
    return replace(what, noun=noun, kinds=known.kinds) if known else what


def _with_adjectives(what: Description, adjectives: Sequence[str], vocabulary: Vocabulary) -> Description:
    tables = english()
    for word in adjectives:
        if word in vocabulary.colours:
            what = replace(what, colours=(*what.colours, vocabulary.colours[word]))
        elif word in tables.sizes:
            what = replace(what, sizes=(*what.sizes, tables.sizes[word]))
        elif word in tables.places:
            what = replace(what, places=(*what.places, tables.places[word]))
        elif word in tables.other:
            what = replace(what, other=True)
        elif word in vocabulary.nouns:
            what = replace(what, owner=word)
        elif word not in _IDLE:
            what = replace(what, strange=(*what.strange, word))
    return what
