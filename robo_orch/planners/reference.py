# SPDX-License-Identifier: Apache-2.0
"""Which objects a noun phrase means, given the scene, what was said before, and where things are believed to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz import fuzz, process

from robo_orch.errors import GoalError
from robo_orch.objects import Inventory, ObjectSpec, Trait
from robo_orch.planners.english import english, phrase
from robo_orch.planners.syntax import NounPhrase, shown
from robo_orch.planners.vocabulary import Vocabulary
from robo_orch.planners.where import closest, ground_of, outermost, related, sized
from robo_orch.predicates import Facts
from robo_orch.types import Code

Fits = Callable[[ObjectSpec], bool]
#: How alike (percent) a name must be to what was said to be worth suggesting (chosen).
ALIKE = 60
#: So many names, the most alike, are listed in an error (chosen: a line or two).
MOST_NAMES = 12
#: A preposition's class and the objects it refers to.
Where = tuple[str, Sequence[str]]


@dataclass(slots=True)
class Discourse:
    """What was spoken of so far: groups of objects and nouns, the latest last."""

    groups: list[tuple[str, ...]] = field(default_factory=list)
    nouns: list[str] = field(default_factory=list)

    def mentioned(self) -> set[str]:
        """Every object spoken of."""
        return {name for group in self.groups for name in group}


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
        said = {phrase(word) for word in (spec.kind, *spec.words)}
        return self.noun in said if self.noun else bool(self.colours or self.places or self.sizes)


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
        elif word not in ("coloured", "colored", "whole", "entire", "hand", "side"):
            what = replace(what, strange=(*what.strange, word))
    return what


@dataclass(frozen=True, slots=True, eq=False)
class Resolver:
    """Finds the objects that noun phrases mean in one scene."""

    inventory: Inventory
    vocabulary: Vocabulary
    facts: Facts | None
    discourse: Discourse

    def one(self, given: NounPhrase, fits: Fits) -> str:
        """The single object meant as a place; ``fits`` decides between what "it" may mean.

        Raises:
            GoalError: unknown, ambiguous, or several objects where one is needed.
        """
        found = self.many(given, fits)
        if len(found) > 1:
            raise self.ambiguous(str(given), found)
        return found[0]

    def many(self, given: NounPhrase, fits: Fits, where: Sequence[Where] = (), inherited: str = "") -> tuple[str, ...]:
        """The objects meant; ``where`` restricts them to those that are there ("the cubes on the table").

        Raises:
            GoalError: ``UNKNOWN_OBJECT``, ``AMBIGUOUS_OBJECT``, or ``NOT_PERCEIVED`` where places must be known.
        """
        if given.pronoun or not given.words:
            found = self._antecedent(given, fits)
        else:
            what = self._described(given, inherited)
            self.discourse.nouns.append(what.noun if not what.name else phrase(self.inventory[what.name].kind))
            found = self._select(given, what, self._parts(given, what, self._candidates(what, where)))
        self.discourse.groups.append(tuple(found))
        return tuple(found)

    def side(self, given: NounPhrase) -> str:
        """The region that a mere direction means as a place: "to the left" is the left side; empty if there is none."""
        if len(given.words) != 1 or given.words[0] not in english().places:
            return ""
        regions = [name for name, spec in self.inventory.items() if Trait.REGION in spec.traits]
        found = [name for name in regions if given.words[0] in phrase(self.inventory[name].kind).split()]
        if len(found) == 1:
            self.discourse.groups.append((found[0],))
        return found[0] if len(found) == 1 else ""

    def fitting(self, given: NounPhrase) -> list[str]:
        """Everything in the scene that fits the words of a noun phrase."""
        what = describe(given, self.vocabulary)
        return [name for name, spec in self.inventory.items() if what.matches(spec)]

    def _parts(self, given: NounPhrase, what: Description, found: list[str]) -> list[str]:
        """Those that belong to what was said: "the drawer of the cabinet", "the left side of the table"."""
        whole = given.of or (NounPhrase((what.owner,)) if what.owner else None)
        if whole is None:
            return found
        wholes = self.many(whole, lambda spec: True)
        parts = [name for name in found if any(self._belongs(name, whole) for whole in wholes)]
        if not parts:
            raise self._unknown(str(given))
        return parts

    def _belongs(self, name: str, whole: str) -> bool:
        spec = self.inventory[name]
        if spec.joint is not None:
            return spec.joint.parent == whole
        if Trait.REGION not in spec.traits or self.facts is None:
            return Trait.REGION in spec.traits
        return ground_of(name, self.facts) in (whole, None)

    def _described(self, given: NounPhrase, inherited: str) -> Description:
        """A left-out noun is the latest one with which the phrase means something: "the blue one" is no blue plate."""
        nouns = [inherited] if inherited else [*self.discourse.nouns[::-1], ""]
        readings = [describe(given, self.vocabulary, noun) for noun in dict.fromkeys(nouns)]
        fitting = [what for what in readings if any(map(what.matches, self.inventory.values()))]
        return (fitting or readings)[0]

    def _candidates(self, what: Description, where: Sequence[Where]) -> list[str]:
        found = [name for name, spec in self.inventory.items() if what.matches(spec)]
        if what.other:
            found = [name for name in found if name not in self.discourse.mentioned()]
        if not found:
            raise self._unknown(what.text)
        for preposition, places in where:
            found = self._narrowed(what, found, preposition, places)
            if preposition == "next" and not what.plural and self.facts is not None:
                found = closest(found, places, self.facts)
        return found

    def _narrowed(self, what: Description, found: list[str], preposition: str, places: Sequence[str]) -> list[str]:
        # "from the plate" only reminds of where the one thing meant is; it need not be known, nor be true any more.
        reminder = preposition == "OFF" and len(found) == 1
        if self.facts is None:
            if reminder:
                return found
            raise self._unseen(what.text)
        there = [name for name in found if name not in places and related(name, preposition, places, self.facts)]
        if not there and not reminder:
            said = {"IN": "in", "next": "next to", "front": "in front of", "behind": "behind"}.get(preposition, "on")
            said = f"to the {preposition} of" if preposition in ("left", "right") else said
            expected = f"{what.text} {said} the {' or '.join(map(phrase, places))}"
            raise GoalError(expected, "none there", "name the objects by kind and colour", Code.UNKNOWN_OBJECT)
        return there or found

    def _select(self, given: NounPhrase, what: Description, found: list[str]) -> list[str]:
        several = (what.plural or given.every or (given.count or 1) > 1) and not given.indefinite
        for size in what.sizes:
            found = sized(size, found, [self.inventory[n] for n in found], several)
        for place in what.places:
            found = self._outermost(what, place, found)
        if given.count is not None and len(found) < given.count:
            got = f"{given.count} {what.text}, of which there are {len(found)}"
            raise GoalError("as many objects as the scene has", got, "ask for fewer", Code.UNKNOWN_OBJECT)
        if given.indefinite:
            fresh = [n for n in found if n not in self.discourse.mentioned()]
            return (fresh or found)[: given.count or (len(found) if given.several else 1)]
        if given.count is not None and len(found) > given.count:
            raise self.ambiguous(what.text, found)
        if several or len(found) == 1:
            return found
        spoken_of = [n for n in found if n in self.discourse.mentioned()]
        if len(spoken_of) != 1:
            raise self.ambiguous(what.text, found)
        return spoken_of

    def _outermost(self, what: Description, place: str, found: list[str]) -> list[str]:
        if len(found) == 1:
            return found
        seen = outermost(place, found, self.facts) if self.facts is not None else []
        if not seen:
            raise self._unseen(what.text)
        return seen

    def _antecedent(self, given: NounPhrase, fits: Fits) -> list[str]:
        groups = self.discourse.groups[::-1]
        if given.pronoun == "that":
            fitting = [g for g in groups if all(fits(self.inventory[n]) for n in g)]
            if fitting:
                return list(fitting[0])
        if given.pronoun == "it":
            singles = [g for g in groups if len(g) == 1]
            fitting = [g for g in singles if fits(self.inventory[g[0]])]
            if singles:
                return list((fitting or singles)[0])
        else:
            number = given.count
            plural = [g for g in groups if len(g) > 1 and number in (None, len(g))]
            together = tuple(dict.fromkeys(n for g in groups[::-1] for n in g if fits(self.inventory[n])))
            if plural or (len(together) > 1 and number in (None, len(together))):
                return list((plural or [together])[0])
        raise GoalError("an object by name first", repr(str(given)), "say what is meant", Code.AMBIGUOUS_OBJECT)

    def _unknown(self, text: str) -> GoalError:
        known = list(map(phrase, self.inventory))
        near = [match[0] for match in process.extract(text, known, scorer=fuzz.ratio, limit=MOST_NAMES)]
        alike = near and fuzz.ratio(text, near[0]) >= ALIKE
        remedy = f"did you mean the {near[0]}?" if alike else "name one of these"
        more = f" and {len(known) - len(near)} more" if len(known) > len(near) else ""
        return GoalError(f"an object among {', '.join(sorted(near))}{more}", shown(text), remedy, Code.UNKNOWN_OBJECT)

    def ambiguous(self, text: str, found: Sequence[str]) -> GoalError:
        """The error for words that fit several objects."""
        remedy = f'say which, e.g. "{phrase(found[0])}", "the leftmost {text}", or "all" for all of them'
        got = f"{text!r}, which fits {' and '.join(found)}"
        return GoalError("words that fit one object", got, remedy, Code.AMBIGUOUS_OBJECT)

    def _unseen(self, text: str) -> GoalError:
        return GoalError(
            "objects whose places are known", f"{text!r} before anything was seen", "name them", Code.NOT_PERCEIVED
        )
