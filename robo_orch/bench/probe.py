# SPDX-License-Identifier: Apache-2.0
"""``skills probe``: how well one card does one skill on held-out scenes, from starts of one kind."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from robo_orch.bench import bank
from robo_orch.bench.begin import Where, recorded, shipped, starting
from robo_orch.bench.cells import Bench, Cell, Preset, Row
from robo_orch.bench.episode import Episode, Stage, draw, ended, told
from robo_orch.bench.intervals import proportion
from robo_orch.errors import CardError, OptionError, unknown
from robo_orch.objects import Trait
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.loaders import version
from robo_orch.policies.observation import Text
from robo_orch.policies.registry import Registry
from robo_orch.predicates import Facts
from robo_orch.robots import load_robot
from robo_orch.router import choose
from robo_orch.skills import skill
from robo_orch.types import ActionChunk, Code, Done, Observation, Step, Subgoal

#: The stratum that a figure is of, and in which order strata take turns where objects can be held out: the others are
#: reported beside it.
MAIN = "pairs"
TURNS = (MAIN, MAIN, MAIN, MAIN, "colours", "kinds")
#: How many bystanders clutter is, at least and at most (chosen: as many as the free area bears beside its objects).
CLUTTER = (2, 4)


def bench(
    card_id: str, skill_name: str = "", starts: str = "in", clutter: bool = False, held_out: str = "test"
) -> Bench:
    """The probe of one card.

    Raises:
        CardError, OptionError: no such card, or it does not offer the skill, or starts that it cannot have.
    """
    card = Registry.load()[card_id]
    if skill_name and skill_name not in card.skills:
        raise unknown(CardError, f"a skill of {card_id}", skill_name, card.skills)
    if starts not in list(Where):
        raise unknown(OptionError, "--starts", starts, Where)
    if starts == Where.SWAP and not any(isinstance(i, Text) for i in card.observation.values()):
        got = f"{card_id}, which is fed no text"
        raise OptionError("a card that is told what to do, for --starts swap", got, "choose in, terminal or random")
    options: dict[str, Any] = {"card": card_id, "version": version(card), "skill": skill_name, "starts": starts}
    options |= {"clutter": clutter, "set": held_out}
    if starts == Where.TERMINAL:
        file = bank.newest_postures()
        options["postures"] = "" if file == shipped() else str(file)
        options["postures_hash"] = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
    return Bench(
        name=_name(options),
        work=work,
        summarise=partial(summarise, options),
        arms=(card_id,),
        episodes={Preset.QUICK: total(card, skill_name, 20), Preset.FULL: total(card, skill_name, 100)},
        options=options,
        scene="kitchen",
    )


def _name(options: Mapping[str, Any]) -> str:
    """One name for each thing that can be probed: stored results of one are no measure for another."""
    parts = [options["card"].replace("/", "-"), options["skill"], options["starts"]]
    others = [options["set"]] if options["set"] != "test" else []
    return "probe/" + "-".join([part for part in parts if part] + ["clutter"] * options["clutter"] + others)


def total(card: PolicyCard, skill_name: str, n: int) -> int:
    """How many episodes there must be for ``n`` of the stratum that counts."""
    names, episode = _skills(card, skill_name), 0
    while n > 0:
        n -= _stratum(names, episode) == MAIN
        episode += 1
    return episode


def work(cell: Cell) -> Mapping[str, Any]:
    """One episode."""
    options, card = cell.options, Registry.load()[cell.arm]
    names = _skills(card, options["skill"])
    kind = skill(names[cell.episode % len(names)])
    rng = np.random.default_rng([cell.seed, 0xC1])
    perturb = {"bystanders": float(rng.integers(CLUTTER[0], CLUTTER[1] + 1))} if options["clutter"] else {}
    where = Where(options["starts"])
    episode = draw(
        kind,
        _stratum(names, cell.episode),
        cell.seed,
        partial(_takes, card),
        perturb,
        where is Where.SWAP,
        held_out=options["set"],
    )
    ends = recorded(Path(options["postures"] or shipped())) if where is Where.TERMINAL else ()
    start = starting(where, card, kind.name, load_robot(episode.layout.robot), ends)
    stage = Stage.set(episode, start)
    row = told(episode, stage.seen)
    if where is Where.SWAP:
        return row | swapped(stage, card, episode)
    return row | stage.run(stage.policy(card), card, episode.subgoal, cell.seed) | ended(stage)


def swapped(stage: Stage, card: PolicyCard, episode: Episode) -> dict[str, Any]:
    """The same scene with two instructions: whether each time the object that was named is the first in the hand."""
    robot, beginning, rows = stage.simulation.robot, stage.simulation.robot.snapshot(), []
    for subgoal in (episode.subgoal, episode.other):
        if subgoal is None:
            raise ValueError("an episode with two subgoals was expected")
        robot.restore(beginning)
        until = UntilHeld(stage, card)
        found = stage.run(until, card, subgoal, episode.seed)
        rows.append({"asked": subgoal.args["object"], "took": until.held} | found)
    right = [row["asked"] == row["took"] for row in rows]
    code = Code.OK if all(right) else Code.WRONG_OBJECT if all(r["took"] for r in rows) else Code.NO_PROGRESS
    return {"success": all(right), "done": all(right), "safe": all(r["safe"] for r in rows), "code": str(code)} | {
        "swap": [{"asked": r["asked"], "took": r["took"], "code": r["code"], "message": r["message"]} for r in rows]
    }


class UntilHeld:
    """A card's policy that is done as soon as the hand truly holds something movable.

    Attributes:
        held: what that is.
    """

    def __init__(self, stage: Stage, card: PolicyCard) -> None:
        self._policy, self._world = stage.policy(card), stage.simulation.world
        self.held: str | None = None

    def reset(self, subgoal: Subgoal, observation: Observation, seed: int) -> None:
        """Start."""
        self._policy.reset(subgoal, observation, seed)

    def act(self, observation: Observation, committed: ActionChunk | None = None) -> Step:
        """What the policy does, until something is held."""
        self.held = self._world.referee.held()
        return Done("something is held") if self.held else self._policy.act(observation, committed)

    def close(self) -> None:
        """Nothing is left."""
        self._policy.close()


def summarise(options: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """The probe's keys: success is SAFE success, all figures but ``strata`` are of the main stratum."""
    counted = [row for row in rows if row.get("stratum", MAIN) == MAIN]
    failed = [str(row.get("code") or Code.INTERNAL) for row in counted if not row.get("success")]
    shown = {"card": options["card"], "skill": options["skill"] or "all", "starts": options["starts"]}
    return {
        **shown,
        "clutter": options["clutter"],
        **proportion("success", [bool(row.get("success")) for row in counted]),
        "done": proportion("done", [bool(row.get("done")) for row in counted])["done"],
        "unsafe": sum(not row.get("safe", True) for row in counted),
        "strata": dict(sorted(_strata(rows, counted).items())),
        "failures": dict(Counter(failed).most_common()),
    }


def _strata(rows: Sequence[Row], counted: Sequence[Row]) -> dict[str, Any]:
    """Success by what is held out; of the main stratum also by kind, by skill, and by whether there is a twin."""
    groups: dict[str, list[bool]] = {}
    for row in rows:
        if "stratum" in row:
            groups.setdefault(row["stratum"], []).append(bool(row.get("success")))
    for row in counted:
        if "kind" in row:
            names = [f"kind {row['kind']}", f"skill {row['skill']}"]
            names += [f"{'with' if row['twin'] else 'without'} another of its colour"] if row["colour"] else []
            for name in names:
                groups.setdefault(name, []).append(bool(row.get("success")))
    return {name: proportion("success", outcomes) for name, outcomes in groups.items()}


def _takes(card: PolicyCard, subgoal: Subgoal, facts: Facts) -> bool:
    """Whether the card could be chosen for a subgoal."""
    return choose(subgoal, facts, Registry((card,))).card is not None


def _skills(card: PolicyCard, wanted: str) -> tuple[str, ...]:
    return (wanted,) if wanted else card.skills


def _stratum(names: Sequence[str], episode: int) -> str:
    """The stratum of an episode: skills take turns, then strata; only what is movable is held out by kind or colour."""
    movable = {Trait.FREE, Trait.GRASPABLE}
    held_out = all(movable & set(skill(name).applies.get("object", ())) for name in names)
    return TURNS[episode // len(names) % len(TURNS)] if held_out else MAIN
