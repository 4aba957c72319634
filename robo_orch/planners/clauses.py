# SPDX-License-Identifier: Apache-2.0
"""One clause of a goal as facts about the objects it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from lark import Token

from robo_orch.errors import GoalError
from robo_orch.objects import ObjectSpec, Trait
from robo_orch.planners.consistency import only_floor
from robo_orch.planners.description import describe
from robo_orch.planners.english import english, phrase
from robo_orch.planners.reference import Fits, Resolver, Where
from robo_orch.planners.syntax import Clause, NounPhrase, Place, not_understood, shown
from robo_orch.planners.where import related
from robo_orch.predicates import shutters
from robo_orch.types import Code, Predicate

#: Which prepositions say where things shall be; after other verbs, ON and IN only tell which thing is meant.
_ENDS = {"TAKE": ("OFF", "TO"), "REMOVE": ("OFF", "TO"), "SERVE": ("TO",), "DISCARD": ("TO",)}
#: Verbs after which a place where things do not go usually is where they shall be all the same, if they are not there.
_ANYWHERE = frozenset({"SERVE"})
_ANY_END = ("ON", "IN", "OFF", "TO")
_FACT = {"OPEN": "open", "CLOSE": "closed", "CLEAR": "clear", "PRESS": "pressed", "TURN": "turned"}
_FITS: dict[str, Fits] = {
    "OPEN": lambda spec: spec.opens,
    "CLOSE": lambda spec: spec.opens,
    "CLEAR": lambda spec: bool(spec.surfaces),
    "PRESS": lambda spec: Trait.PRESSES in spec.traits,
    "TURN": lambda spec: Trait.TURNS in spec.traits,
}


@dataclass(slots=True)
class ClauseReader:
    """Reads the clauses of one goal in the order said; what was spoken of carries over."""

    text: str
    resolver: Resolver
    previous: Clause | None = field(default=None)

    def fork(self) -> ClauseReader:
        """A reader that goes on from here, for trying how a clause reads."""
        resolver = replace(self.resolver, discourse=self.resolver.discourse.copy())
        return ClauseReader(self.text, resolver, self.previous)

    def read(self, clause: Clause) -> list[Predicate]:
        """The facts that a clause asks for.

        Raises:
            GoalError: the clause says too little, or names what cannot be resolved.
        """
        self.resolver.discourse.begin()
        if clause.verb == "SAME":
            clause = self._completed(clause)
        clause = _denied(self._meant(clause))
        self.previous = clause
        if clause.verb == "ADJUST" or (clause.verb == "TURN" and any(p.preposition == "TO" for p in clause.places)):
            raise self._how_far(clause)
        if clause.verb == "CLEAR":
            facts = self._cleared(clause)
        elif clause.verb in _FACT:
            facts = [Predicate(_FACT[clause.verb], (name,)) for name in self._parts(clause, clause.verb)]
        elif clause.verb in ("PUSH", "PULL") and not clause.places:
            facts = self._pushed(clause)
        elif clause.verb == "STACK":
            facts = self._stack(clause)
        else:
            facts = self._move(clause)
        return [fact.negate() for fact in facts] if clause.negated else facts

    def _completed(self, clause: Clause) -> Clause:
        before = self.previous
        alone = not (clause.places or clause.avoided or clause.upright)
        if before is None or before.verb in _FACT or not before.places:
            if alone:
                raise not_understood(Token("$END", ""), self.text)
            return replace(clause, verb="STATE")
        if alone and not all(map(self.resolver.fitting, clause.themes)):
            raise not_understood(str(clause.themes[0]), self.text)
        # "… and the green one": where the one before goes.
        places = before.places if alone else clause.places
        return replace(clause, verb=before.verb, negated=before.negated, places=places)

    def _meant(self, clause: Clause) -> Clause:
        """The clause with its verb and what it is about as they are meant here."""
        theme = clause.themes[0]
        if clause.verb == "PUSH" and all(map(self._is_button, clause.themes)):
            return replace(clause, verb="PRESS")
        if clause.verb == "CLEAR" and theme.of and not self._is_part(theme):
            # "Clear the table of mugs".
            of = replace(theme.of, every=True)
            return replace(clause, verb="REMOVE", themes=(of,), places=(Place("OFF", replace(theme, of=None)),))
        if len(clause.themes) > 1 and theme.every and theme.count == 2 and not self._plural(theme):
            # "Both the drawer and the door": both of what is said, not two drawers.
            return replace(clause, themes=(replace(theme, every=False, count=None), *clause.themes[1:]))
        return clause

    def _is_part(self, given: NounPhrase) -> bool:
        """Whether a noun phrase means parts of something else: a region, a drawer."""
        specs = [self.resolver.inventory[name] for name in self.resolver.fitting(given)]
        return any(spec.joint is not None or Trait.REGION in spec.traits for spec in specs)

    def _plural(self, given: NounPhrase) -> bool:
        return describe(given, self.resolver.vocabulary).plural

    def _cleared(self, clause: Clause) -> list[Predicate]:
        """What "clear" asks for: "clear the table except the mugs" is nothing else on it."""
        places = self._themes(replace(clause, exceptions=()), (), _FITS["CLEAR"])
        if not clause.exceptions:
            return [Predicate("clear", (place,)) for place in places]
        kept = {n for e in clause.exceptions for n in self.resolver.many(e, lambda spec: True, inherited="thing")}
        loose = [n for n, spec in self.resolver.inventory.items() if spec.movable and n not in kept]
        return [fact for place in places for name in loose for fact in self._at(name, "OFF", place) if name != place]

    def _parts(self, clause: Clause, verb: str) -> list[str]:
        return [self._part(name, _FITS[verb]) for name in self._themes(clause, clause.places, _FITS[verb])]

    def _pushed(self, clause: Clause) -> list[Predicate]:
        """Without a place, a drawer or door is pushed shut; what is pulled comes open."""
        if clause.verb == "PULL":
            return [Predicate("open", (name,)) for name in self._parts(clause, "OPEN")]
        names = self._themes(clause, (), lambda s: s.joint is not None)
        shut = [self._part(name, _FITS["CLOSE"]) for name in names]
        if all(map(_FITS["CLOSE"], map(self.resolver.inventory.__getitem__, shut))):
            return [Predicate("closed", (name,)) for name in shut]
        raise self._says_too_little(clause)

    def _is_button(self, given: NounPhrase) -> bool:
        """Whether a noun phrase can only mean something that is pressed."""
        found = self.resolver.fitting(given)
        return bool(found) and all(_FITS["PRESS"](self.resolver.inventory[name]) for name in found)

    def _move(self, clause: Clause) -> list[Predicate]:
        ends, rest = self._split(clause)
        ends = ends or self._usual(clause)
        if clause.verb == "REMOVE" and not ends:
            # What is removed goes from where it is said to be.
            ends = [Place("OFF", place.of) for place in rest if place.preposition in ("ON", "IN")]
        if not ends and clause.verb not in ("TAKE", "GET") and not clause.upright:
            raise self._says_too_little(clause)
        if emptied := self._emptied(clause, ends):
            return emptied
        names = self._themes(clause, rest, lambda s: s.movable, self._barred(clause, ends))
        facts = [fact for end in ends for fact in self._placed(clause, names, end)]
        facts += [fact.negate() for place in clause.avoided for fact in self._placed(clause, names, place)]
        if not ends and not clause.upright:
            facts += [Predicate("holding", (name,)) for name in names]
        return facts + [Predicate("upright", (name,)) for name in names if clause.upright]

    def _placed(self, clause: Clause, names: Sequence[str], end: Place) -> list[Predicate]:
        place = self._place(end)
        if any(map(self._generic, clause.themes)):
            names = [name for name in names if name != place] or names
        return [fact for name in names for fact in self._at(name, end.preposition, place)]

    def _generic(self, given: NounPhrase) -> bool:
        """Whether a noun phrase means whatever is of a sort, so that the place where it goes is no part of it."""
        return given.count is None and (given.every or given.pronoun in ("them", "they") or self._plural(given))

    def _barred(self, clause: Clause, ends: Sequence[Place]) -> list[str]:
        """The places where things shall go, as far as words alone tell: "a cube on the red one" is another cube."""
        noun = self.resolver.vocabulary.singular(next(iter(clause.themes[-1].words[-1:]), ""))
        found = [self.resolver.fitting(end.of, noun) for end in ends if end.of.words and not end.of.indefinite]
        return [names[0] for names in found if len(names) == 1]

    def _emptied(self, clause: Clause, ends: Sequence[Place]) -> list[Predicate]:
        """A clear place, where "take everything off it" or "nothing shall be on it" asks for that; else nothing."""
        theme, off = clause.themes[0], {"OFF"} if not clause.negated else {"ON"}
        whole = theme.every and len(theme.words) == 1 and describe(theme, self.resolver.vocabulary).anything
        simple = len(clause.themes) == len(ends) == 1 and not (clause.exceptions or clause.avoided or clause.upright)
        if not (whole and simple and ends[0].preposition in off):
            return []
        place = self._place(ends[0])
        spec = self.resolver.inventory[place]
        standing = bool(spec.tops) or Trait.REGION in spec.traits
        return [Predicate("clear", (place,), clause.negated)] if standing and not only_floor(spec) else []

    def _usual(self, clause: Clause) -> list[Place]:
        """Where things go by this verb if nothing is said: what is served goes on the tray, if there is one."""
        preposition, things = english().usual.get(clause.verb, ("", ()))
        there = [noun for thing in things if (noun := NounPhrase((thing,))) and self.resolver.fitting(noun)]
        if things and not there:
            expected = f"a {' or a '.join(things)}, where things go by this verb"
            raise GoalError(expected, "a scene without", "say where they shall go", Code.UNKNOWN_OBJECT)
        return [Place(preposition, noun) for noun in there[:1]]

    def _stack(self, clause: Clause) -> list[Predicate]:
        """Several things that are stacked make one tower, the first on top."""
        ends, rest = self._split(clause)
        names = self._themes(clause, rest, lambda s: s.movable, self._barred(clause, ends))
        if not ends and len(names) < 2:
            raise self._says_too_little(clause)
        for end in ends:
            place = self._place(end)
            kept = [n for n in names if n != place] if any(map(self._generic, clause.themes)) else names
            names = [*(kept or names), place]
        pairs = pairwise(names)
        return [Predicate("on" if clause.negated else "stacked", pair) for pair in pairs]

    def _split(self, clause: Clause) -> tuple[list[Place], list[Place]]:
        """Where things shall be, and the places that only tell which things are meant."""
        places = list(clause.places)
        said: list[Place] = []
        while places and (self._is_end(clause, places[-1]) or places[-1].also) and (not said or said[0].also):
            said.insert(0, places.pop())
        return said, places

    def _is_end(self, clause: Clause, place: Place) -> bool:
        """Whether a place is where things shall be; otherwise it tells which things are meant."""
        if place.reminder or place.motion or place.preposition in _ENDS.get(clause.verb, _ANY_END):
            return not place.reminder
        if clause.verb not in english().usual or place.preposition not in ("ON", "IN"):
            return False
        meant = set(self.resolver.fitting(place.of))
        _, things = english().usual[clause.verb]
        if any(meant.intersection(self.resolver.fitting(NounPhrase((thing,)))) for thing in things):
            return True
        return clause.verb in _ANYWHERE and not self._are_there(clause.themes, place.preposition, sorted(meant))

    def _are_there(self, themes: Sequence[NounPhrase], preposition: str, places: Sequence[str]) -> bool:
        facts = self.resolver.facts
        names = [name for given in themes for name in self.resolver.fitting(given)]
        return facts is not None and any(related(name, preposition, places, facts) for name in names)

    def _themes(self, clause: Clause, places: Sequence[Place], fits: Fits, barred: Sequence[str] = ()) -> list[str]:
        where: list[Where] = [(p.preposition, [self._place(p)]) for p in places]
        left_out = set(self._left_out(clause, fits))
        found: list[str] = []
        for given, following in zip(clause.themes, (*clause.themes[1:], NounPhrase()), strict=True):
            noun = self._noun(following)
            found += self.resolver.many(given, fits, where, noun, barred)
        if len(clause.themes) > 1:
            self.resolver.discourse.note(found)
        self.resolver.discourse.collective = clause.themes[-1].words[-1:] == ("everything",)
        kept = [name for name in dict.fromkeys(found) if name not in left_out]
        if not kept:
            raise GoalError("something that is not excepted", shown(self.text), "except fewer things")
        return kept

    def _left_out(self, clause: Clause, fits: Fits) -> list[str]:
        """The exceptions; a noun that they leave out is that of the next one, or of what they are excepted from."""
        found: list[str] = []
        noun = self._noun(clause.themes[-1])
        for given in reversed(clause.exceptions):
            own = self._noun(given)
            found += self.resolver.many(given, fits, [], "" if own else noun)
            noun = own or noun
        return found

    def _noun(self, given: NounPhrase) -> str:
        head = given.words[-1] if given.words else ""
        return "thing" if head in english().things else self.resolver.vocabulary.singular(head)

    def _place(self, place: Place) -> str:
        if side := self.resolver.side(place.of):
            return side
        if place.preposition != "IN":
            return self.resolver.one(place.of, lambda s: bool(s.surfaces))
        return self._part(self.resolver.one(place.of, _takes_in), _takes_in)

    def _at(self, name: str, preposition: str, place: str) -> list[Predicate]:
        spec = self.resolver.inventory[place]
        if preposition == "OFF" and Trait.REGION in spec.traits:
            return [Predicate("at", (name, place), negated=True)]
        if preposition == "OFF":
            on = [Predicate("on", (name, place), negated=True)] if spec.surfaces or spec.interior is None else []
            inside = [Predicate("in", (name, place), negated=True)] if spec.interior is not None else []
            return inside if only_floor(spec) else on + inside
        if Trait.REGION in spec.traits:
            return [Predicate("at", (name, place))]
        return [Predicate("in" if preposition == "IN" or only_floor(spec) else "on", (name, place))]

    def _part(self, name: str, fits: Fits) -> str:
        """The one part of ``name`` that fits: "open the cabinet" means the door before its hollow, or its one drawer.

        Raises:
            GoalError: ``AMBIGUOUS_OBJECT`` where several parts could be meant.
        """
        inventory = self.resolver.inventory
        if fits(inventory[name]):
            return name
        parts = [n for n, s in inventory.items() if s.joint is not None and s.joint.parent == name and fits(s)]
        before = [part for part in parts if inventory[name].interior and part in shutters(name, inventory)]
        if len(parts) > 1 and len(before) != 1:
            raise self.resolver.ambiguous(phrase(name), parts)
        return next(iter(before or parts), name)

    def _says_too_little(self, clause: Clause) -> GoalError:
        what = " and the ".join(map(str, clause.themes))
        remove = clause.verb == "REMOVE"
        example = f"remove the {what} from the table" if remove else f"put the {what} on the table"
        remedy = f'say {"from where" if remove else "where"}, e.g. "{example}"'
        got = shown(self.text)
        if beside := [p for p in clause.places if p.preposition not in _ANY_END]:
            got += f": that a thing is {beside[0].preposition} of another only tells which one is meant"
        return GoalError(f"a place for the {what}", got, remedy, Code.NOT_UNDERSTOOD)

    def _how_far(self, clause: Clause) -> GoalError:
        what = " and the ".join(map(str, clause.themes))
        got = f"{shown(self.text)}: how far or where to is more than a turn"
        remedy = f'say "turn the {what}" or "turn the {what} back"'
        return GoalError(f"the {what} turned, or turned back", got, remedy, Code.NOT_UNDERSTOOD)


def _denied(clause: Clause) -> Clause:
    """The clause with "no cube shall" and "do not put a cube" as what shall not be of every cube.

    Raises:
        GoalError: a number of things, or only some of those named, shall not be so.
    """
    none = [given.none for given in clause.themes]
    negated = clause.negated != any(none)
    if not negated:
        return replace(clause, negated=False)
    if any(none) and not all(none):
        raise GoalError("no one of all things named, or each of them", "some of both", "say it in two sentences")
    if any(given.indefinite and given.count for given in clause.themes):
        raise GoalError("what shall be so of no thing of a kind", "a number of them", 'say "no", or name the objects')
    themes = tuple(replace(g, every=True, indefinite=False) if g.indefinite else g for g in clause.themes)
    return replace(clause, negated=True, themes=themes)


def _takes_in(spec: ObjectSpec) -> bool:
    """Whether "in" may be said of it: "in the drawer", "in the middle of the table"."""
    return spec.interior is not None or Trait.REGION in spec.traits
