# SPDX-License-Identifier: Apache-2.0
"""Which objects a noun phrase means, given the scene, what was said before, and where things are believed to be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from robo_orch.errors import GoalError
from robo_orch.objects import Inventory, ObjectSpec, Trait
from robo_orch.planners.description import Description, describe
from robo_orch.planners.discourse import Discourse
from robo_orch.planners.english import english, phrase, plural
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
#: Words that need a noun behind them.
_ARTICLES = frozenset({"", "the", "a", "an", "no", "every", "my", "our", "your", "its", "their", "another"})
#: A preposition's class and the objects it refers to.
Where = tuple[str, Sequence[str]]


def exactly(name: str, inventory: Inventory) -> str:
    """Words that mean one object of a scene alone: its name as it is said, if no other thing may be called so."""
    said = phrase(name)
    for other, spec in inventory.items():
        if other != name and said in (phrase(f"{spec.colour} {word}") for word in (spec.kind, *spec.words)):
            return name
    return said


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

    def many(
        self,
        given: NounPhrase,
        fits: Fits,
        where: Sequence[Where] = (),
        inherited: str = "",
        barred: Collection[str] = (),
        aside: bool = False,
    ) -> tuple[str, ...]:
        """The objects meant.

        Args:
            given: the words.
            fits: what "that" and "them" may mean.
            where: restricts the objects to those that are there ("the cubes on the table").
            inherited: the noun, where it is left out ("the red and the blue cube").
            barred: what "a cube" and "two cubes" do not mean.
            aside: the words only tell which other thing is meant.

        Raises:
            GoalError: ``UNKNOWN_OBJECT``, ``AMBIGUOUS_OBJECT``, or ``NOT_PERCEIVED`` where places must be known.
        """
        if given.pronoun or not given.words:
            found = self._antecedent(given, fits)
        else:
            what = self._described(given, inherited, fits)
            self.discourse.nouns.append(what.noun if not what.name else phrase(self.inventory[what.name].kind))
            found = self._select(given, what, self._parts(given, what, self._candidates(what, where)), barred)
        self.discourse.note(found, aside)
        return tuple(found)

    def side(self, given: NounPhrase) -> str:
        """The region that a mere direction means as a place: "to the left" is the left side; empty if there is none."""
        if len(given.words) != 1 or given.words[0] not in english().places:
            return ""
        regions = [name for name, spec in self.inventory.items() if Trait.REGION in spec.traits]
        found = [name for name in regions if given.words[0] in phrase(self.inventory[name].kind).split()]
        if len(found) == 1:
            self.discourse.note(found)
        return found[0] if len(found) == 1 else ""

    def fitting(self, given: NounPhrase, inherited: str = "") -> list[str]:
        """Everything in the scene that fits the words of a noun phrase."""
        what = describe(given, self.vocabulary, inherited)
        return [name for name, spec in self.inventory.items() if what.matches(spec)]

    def exactly(self, name: str) -> str:
        """Words that mean one object alone."""
        return exactly(name, self.inventory)

    def _parts(self, given: NounPhrase, what: Description, found: list[str]) -> list[str]:
        """Those that belong to what was said: "the drawer of the cabinet", "the left side of the table"."""
        whole = given.of or (NounPhrase((what.owner,)) if what.owner else None)
        if whole is None:
            return found
        wholes = self.many(whole, lambda spec: True, aside=True)
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

    def _described(self, given: NounPhrase, inherited: str, fits: Fits) -> Description:
        """A left-out noun is the latest one with which the phrase means something: "the blue one" is no blue plate.

        Rather something that fits: one that is put somewhere is no tray.
        """
        nouns = [inherited] if inherited else [*self.discourse.nouns[::-1], ""]
        readings = [describe(given, self.vocabulary, noun) for noun in dict.fromkeys(nouns)]
        if any(what.other for what in readings) and not inherited:
            # "The rest" is of the kind spoken of or, if there are no more of it, everything else.
            readings = [describe(given, self.vocabulary, noun) for noun in dict.fromkeys([*nouns[:-1], "thing"])]
        matching = [what for what in readings if self._matching(what)]
        fitting = [what for what in matching if any(fits(self.inventory[name]) for name in self._matching(what))]
        return (fitting or matching or readings)[0]

    def _matching(self, what: Description) -> list[str]:
        found = [name for name, spec in self.inventory.items() if what.matches(spec)]
        mentioned = self.discourse.mentioned() if what.other else ()
        return [name for name in found if name not in mentioned]

    def _candidates(self, what: Description, where: Sequence[Where]) -> list[str]:
        found = self._matching(what)
        if not found and not (what.noun or what.colours or what.sizes or what.places or what.strange):
            expected = f"a kind of object named before, for {what.text!r} to stand for"
            raise GoalError(expected, "none", "name the kind", Code.AMBIGUOUS_OBJECT)
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

    def _select(self, given: NounPhrase, what: Description, found: list[str], barred: Collection[str]) -> list[str]:
        several = (what.plural or given.every or (given.count or 1) > 1) and not given.indefinite
        for size in what.sizes:
            found = sized(size, found, [self.inventory[n] for n in found], several)
        for place in what.places:
            found = self._outermost(what, place, found)
        if given.count is not None and len(found) < given.count:
            raise self._too_few(given.count, what.text, found)
        if given.indefinite:
            return self._any(given, what, found, barred)
        if given.count is not None and len(found) > given.count:
            raise self.ambiguous(what.text, found)
        if several or len(found) == 1:
            return found
        spoken_of = [n for n in found if n in self.discourse.mentioned()]
        if len(spoken_of) != 1:
            raise self.ambiguous(what.text, found)
        return spoken_of

    def _any(self, given: NounPhrase, what: Description, found: list[str], barred: Collection[str]) -> list[str]:
        """As many as were asked for, rather such as were not spoken of."""
        allowed = [n for n in found if n not in barred] or found
        mentioned = self.discourse.mentioned()
        allowed = sorted(allowed, key=mentioned.__contains__)
        if given.count is not None and len(allowed) < given.count:
            raise self._too_few(given.count, f"{what.text} beside the {' and the '.join(barred)}", allowed)
        several = given.several and what.plural
        fresh = [n for n in allowed if n not in mentioned]
        return (fresh or allowed) if several else allowed[: given.count or 1]

    def _outermost(self, what: Description, place: str, found: list[str]) -> list[str]:
        if len(found) == 1:
            return found
        seen = outermost(place, found, self.facts) if self.facts is not None else []
        if not seen:
            raise self._unseen(what.text)
        return seen

    def _antecedent(self, given: NounPhrase, fits: Fits) -> list[str]:
        groups = self.discourse.groups[::-1]
        if not given.pronoun and given.specifiers in _ARTICLES:
            got = f"{given.specifiers!r} and no noun behind it" if given.specifiers else "none"
            raise GoalError("the name of an object", got, 'name one, e.g. "the cube"')
        if given.pronoun == "that":
            fitting = [g for g in groups if all(fits(self.inventory[n]) for n in g)]
            if fitting:
                return list(fitting[0])
        elif given.pronoun != "it":
            number = given.count
            plural = [g for g in groups if len(g) > 1 and number in (None, len(g))]
            together = tuple(dict.fromkeys(n for g in groups[::-1] for n in g if fits(self.inventory[n])))
            if plural or (len(together) > 1 and number in (None, len(together))):
                return list((plural or [together])[0])
        movable = [self.exactly(n) for n, spec in self.inventory.items() if spec.movable]
        remedy = f"name them: {', '.join(movable[:MOST_NAMES])}"
        raise GoalError(f"objects that {given} can stand for", "none named before", remedy, Code.AMBIGUOUS_OBJECT)

    @staticmethod
    def _too_few(wanted: int, text: str, found: Sequence[str]) -> GoalError:
        there = f"there {'is' if len(found) == 1 else 'are'} {len(found)}"
        remedy = f"ask for {len(found)} at most: {', '.join(found)}" if found else "name something else"
        return GoalError("as many objects as the scene has", f"{wanted} {text}; {there}", remedy, Code.UNKNOWN_OBJECT)

    def _unknown(self, text: str) -> GoalError:
        known = list(map(phrase, self.inventory))
        near = [match[0] for match in process.extract(text, known, scorer=fuzz.ratio, limit=MOST_NAMES)]
        alike = near and fuzz.ratio(text, near[0]) >= ALIKE
        remedy = f"did you mean the {near[0]}?" if alike else "name one of these"
        more = f" and {len(known) - len(near)} more" if len(known) > len(near) else ""
        return GoalError(f"an object among {', '.join(sorted(near))}{more}", shown(text), remedy, Code.UNKNOWN_OBJECT)

    def ambiguous(self, text: str, found: Sequence[str]) -> GoalError:
        """The error for words that fit several objects."""
        noun = text.split()[-1]
        one = " ".join([*text.split()[:-1], self.vocabulary.singular(noun) or noun])
        several = f', or "all the {plural(one)}"' if noun in self.vocabulary.nouns else ""
        remedy = f'say which, e.g. "the {self.exactly(found[0])}" or "the leftmost {one}"{several}'
        got = f"{text!r}, which fits {' and '.join(found)}"
        return GoalError("words that fit one object", got, remedy, Code.AMBIGUOUS_OBJECT)

    def _unseen(self, text: str) -> GoalError:
        return GoalError(
            "objects whose places are known", f"{text!r} before anything was seen", "name them", Code.NOT_PERCEIVED
        )
