# SPDX-License-Identifier: Apache-2.0
"""``bench contested``: two cards at the same subgoals, and whether each is the better one somewhere.

::

    for each skill for which two cards compete, for each stratum:
        scenes drawn from seeds, the same ones for both cards; the arm at the same start, no bridge before it
        each card alone, judged by the referee
    the curves cross where each card beats the other by 0.2 in some stratum

A stratum is what can be known before a card is chosen: where the arm stands, how surely a pose is known, what was felt
before. Which strata there are stands in ``robo_orch/data/contested.yaml``; they were chosen on validation scenes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Any

from pydantic import Field, field_validator

from robo_orch.bench.begin import Where, starting
from robo_orch.bench.cells import Bench, Cell, Preset, Row
from robo_orch.bench.episode import Stage, draw, ended, ready, told
from robo_orch.bench.intervals import compare, proportion
from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import OptionError, unknown
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.loaders import version
from robo_orch.policies.registry import Registry
from robo_orch.predicates import Facts
from robo_orch.robots import load_robot
from robo_orch.skills import skill
from robo_orch.types import Subgoal

#: By how much each card must be the better one in some stratum for curves to cross (chosen: more than n = 100 blurs).
BETTER = 0.2
#: Which arm a row is of: skill, stratum, card.
SEPARATOR = "|"
#: Sets whose scenes can be used: ``validation`` for choosing strata, ``test`` for figures.
SETS = ("test", "validation")

_FILE = files("robo_orch").joinpath("data/contested.yaml")


class Stratum(Strict):
    """Where two cards are compared.

    Attributes:
        home: the card in whose start set both begin; empty: the tool anywhere over the table.
        perturb: what is harder, by name.
        evidence: by what a router can know beforehand that it is in this stratum.
    """

    name: str
    home: str = ""
    perturb: dict[str, float] = Field(default_factory=dict)
    evidence: str


class Pair(Strict):
    """Two cards that compete for a skill, and in which strata they are compared."""

    skill: str
    cards: tuple[str, str]
    strata: tuple[Stratum, ...]

    @field_validator("strata")
    @classmethod
    def _names_differ(cls, value: tuple[Stratum, ...]) -> tuple[Stratum, ...]:
        names = [stratum.name for stratum in value]
        if len(set(names)) < len(names) or any(SEPARATOR in name for name in names):
            raise ValueError(f"different names without {SEPARATOR!r} were expected, got {', '.join(names)}")
        return value

    def missing(self, cards: Registry) -> str:
        """Why the pair cannot be compared; empty if it can."""
        absent = [name for name in self.cards if name not in {card.id for card in cards}]
        return f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} not among the cards" if absent else ""


class Contested(Strict):
    """Everything that is compared, each skill once."""

    pairs: tuple[Pair, ...]

    @field_validator("pairs")
    @classmethod
    def _skills_differ(cls, value: tuple[Pair, ...]) -> tuple[Pair, ...]:
        names = [pair.skill for pair in value]
        if len(set(names)) < len(names):
            raise ValueError(f"each skill once was expected, got {', '.join(names)}")
        return value


@cache
def pairs() -> tuple[Pair, ...]:
    """All pairs, as the package describes them.

    Raises:
        OptionError: the description is broken.
    """
    expected = "pairs of cards, and strata"
    return parsed(read(_FILE, expected, OptionError), Contested, expected, OptionError, _FILE.name).pairs


def bench(skills: Sequence[str] = (), held_out: str = "test") -> Bench:
    """The comparison for some skills, or for all.

    Raises:
        OptionError: nothing competes for a skill, or there is no such set.
    """
    if held_out not in SETS:
        raise unknown(OptionError, "--set", held_out, SETS)
    for name in skills:
        if name not in {pair.skill for pair in pairs()}:
            raise unknown(OptionError, "a contested skill", name, {pair.skill for pair in pairs()})
    cards = Registry.load()
    asked = [pair for pair in pairs() if not skills or pair.skill in skills]
    able = [pair for pair in asked if not pair.missing(cards)]
    arms = tuple(SEPARATOR.join((p.skill, s.name, card)) for p in able for s in p.strata for card in p.cards)
    if not arms:
        raise OptionError("two cards that are there", "; ".join(p.missing(cards) for p in asked), "choose other skills")
    return Bench(
        name="contested",
        work=work,
        summarise=partial(summarise, tuple(asked)),
        arms=arms,
        episodes={Preset.QUICK: max(2, QUICK_CELLS // len(arms)), Preset.FULL: 100},
        options={
            "set": held_out,
            "strata": {pair.skill: [stratum.model_dump() for stratum in pair.strata] for pair in able},
            "versions": {name: version(cards[name]) for pair in able for name in pair.cards},
        },
        scene="kitchen",
    )


#: Cells of a quick run (chosen: two a second on two cores, in less than 8 minutes with room to spare).
QUICK_CELLS = 400


def work(cell: Cell) -> Mapping[str, Any]:
    """One card in one scene of one stratum; scene and start depend on skill, stratum and episode alone."""
    name, where, card_id = cell.arm.split(SEPARATOR)
    stratum = next(s for s in map(Stratum.model_validate, cell.options["strata"][name]) if s.name == where)
    cards = Registry.load()
    both = [cards[each] for each in next(pair for pair in pairs() if pair.skill == name).cards]
    fits = partial(_fits, both)
    episode = draw(skill(name), "pairs", cell.seed, fits, stratum.perturb, held_out=cell.options["set"])
    begin = Where.IN if stratum.home else Where.RANDOM
    start = starting(begin, cards[stratum.home or card_id], name, load_robot(episode.layout.robot))
    stage, card = Stage.set(episode, start), cards[card_id]
    row = told(episode, stage.seen) | stage.run(stage.policy(card), card, episode.subgoal, cell.seed)
    return row | ended(stage)


def _fits(cards: Sequence[PolicyCard], subgoal: Subgoal, facts: Facts) -> bool:
    """Whether it could begin, with kinds of things that all cards take; how precisely poses must be known is theirs."""
    wanted = [(role, kinds) for card in cards for role, kinds in card.takes.get(subgoal.skill, {}).items()]
    return ready(subgoal, facts) and all(facts.inventory[subgoal.args[role]].kind in kinds for role, kinds in wanted)


def summarise(asked: Sequence[Pair], rows: Sequence[Row]) -> dict[str, Any]:
    """The bench's keys: by skill and stratum the SAFE success of both cards, and whether their curves cross."""
    found = [_skill(pair, rows) for pair in asked]
    return {"skills": found, "crossing": sum(bool(entry.get("crossing")) for entry in found)}


def _skill(pair: Pair, rows: Sequence[Row]) -> dict[str, Any]:
    strata = [entry for stratum in pair.strata if (entry := _stratum(pair, stratum, rows))]
    if not strata:
        why = pair.missing(Registry.load()) or "nothing was measured"
        return {"skill": pair.skill, "cards": list(pair.cards), "strata": [], "crossing": False, "skipped": why}
    gains = {entry["name"]: entry["difference"] for entry in strata}
    best = {
        card: max(gains, key=lambda name: sign * gains[name]) for card, sign in zip(pair.cards, (1, -1), strict=True)
    }
    first, second = pair.cards
    crossing = gains[best[first]] >= BETTER and gains[best[second]] <= -BETTER
    return {"skill": pair.skill, "strata": strata, "crossing": crossing, "best_in": best}


def _stratum(pair: Pair, stratum: Stratum, rows: Sequence[Row]) -> dict[str, Any]:
    """One line of the comparison; empty where nothing was measured."""
    arms = {card: SEPARATOR.join((pair.skill, stratum.name, card)) for card in pair.cards}
    by_card = {card: [row for row in rows if row["arm"] == arm] for card, arm in arms.items()}
    if not all(by_card.values()):
        return {}
    outcomes = {card: [bool(row.get("success")) for row in mine] for card, mine in by_card.items()}
    pairing = compare(outcomes, [pair.cards])[0]
    return {
        "name": stratum.name,
        "evidence": stratum.evidence,
        "home": stratum.home,
        "perturb": stratum.perturb,
        "cards": {card: _figures(mine) for card, mine in by_card.items()},
        "difference": pairing.difference,
        "difference_ci95": pairing.difference_ci95,
        "p": pairing.p,
    }


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    """Both figures of a card in a stratum, and what its failures were."""
    codes = sorted(_codes(rows))
    return proportion("success", [bool(row.get("success")) for row in rows]) | {
        "done": proportion("done", [bool(row.get("done")) for row in rows])["done"],
        "failures": {code: codes.count(code) for code in dict.fromkeys(codes)},
    }


def _codes(rows: Sequence[Row]) -> Iterator[str]:
    return (str(row.get("code") or "INTERNAL") for row in rows if not row.get("success"))
