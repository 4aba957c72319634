# SPDX-License-Identifier: Apache-2.0
"""What a policy sees and does on layouts that it was not made on: real observations, executed by the real executor."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice, product
from typing import Any

import numpy as np

from robo_orch.execution.executor import Executor
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.loaders import PolicyContext, load_policy
from robo_orch.policies.registry import Registry
from robo_orch.predicates import Facts, evaluate
from robo_orch.robots import load_robot
from robo_orch.router import choose
from robo_orch.sim.build import Simulation, build
from robo_orch.sim.scenes import load_scene
from robo_orch.skills import Skill, skill
from robo_orch.types import ActionChunk, Array, Done, Observation, Outcome, Policy, Step, Subgoal

#: Looks of one episode at most, and layouts tried at most for so many looks (chosen: several layouts, in seconds).
PER_LAYOUT, MOST_LAYOUTS = 20, 15
#: Time that perception gets before an episode, s on the robot's clock (chosen: as a run gives it).
FIRST_LOOK = 1.0
#: Share of its range to which a part is opened that is to be closed (chosen).
OPENED = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One question to a policy and its answer.

    ``seconds`` of wall time it took; ``actions`` ``(T, A)`` that it gave, none where it had nothing to command.
    """

    subgoal: Subgoal
    observation: Observation
    actions: Array
    seconds: float


@dataclass(slots=True, eq=False)
class Episode:
    """A policy at work on one layout: what it was shown, how it ended, how much was clipped.

    ``outcome`` is ``None`` where the layout has nothing for the card to do; ``components`` were commanded, ``clipped``
    of them clipped by the low-level path; ``other_words`` are what else one could ask of the same skill there.
    """

    simulation: Simulation
    policy: Policy
    looks: list[Look] = field(default_factory=list)
    outcome: Outcome | None = None
    components: int = 0
    clipped: int = 0
    other_words: list[str] = field(default_factory=list)


def episodes(card: PolicyCard, scene: str, looks: int, seed: int) -> Iterator[Episode]:
    """Episodes on held-out layouts of a scene until there are so many looks.

    Raises:
        CardError, ModelError: the policy cannot be loaded.
        RenderError: it looks through cameras and there is no GL.
    """
    seen, layouts = 0, _held_out(scene, seed)
    for index, layout in enumerate(islice(layouts, MOST_LAYOUTS)):
        kind = skill(card.skills[index % len(card.skills)])
        episode = _episode(card, kind, build(scene, "mujoco", layout), layout)
        seen += len(episode.looks)
        try:
            yield episode
        finally:
            episode.simulation.world.close()
        if seen >= looks:
            return


def _held_out(scene: str, seed: int) -> Iterator[int]:
    """Seeds of layouts: of the scene's test set where it has one."""
    sets = load_scene(scene).sets
    strata = list(sets.test)
    seeds = sets.seeds("test", strata[0]) if strata else range(2**31)
    return (seeds[(seed + i) % len(seeds)] for i in count())


def _episode(card: PolicyCard, kind: Skill, simulation: Simulation, seed: int) -> Episode:
    inventory, spec = simulation.layout.inventory, load_robot(simulation.layout.robot)
    episode = Episode(simulation, load_policy(PolicyContext(spec, inventory, card)))
    rng = np.random.default_rng([seed, 0x100C])
    fitting = [args for args in product(inventory, repeat=len(kind.roles)) if kind.fits(args, inventory)]
    subgoal = _begin(card, kind, fitting, simulation, rng)
    if subgoal is None:
        return episode
    episode.other_words = [text for args in fitting if (text := kind.subgoal(*args).text) != subgoal.text]

    def hear(event: str, /, **data: Any) -> None:
        if event == "chunk":
            episode.components += data["steps"] * card.action.dim
            episode.clipped += min(data["clipped"], data["steps"] * card.action.dim)

    watched = _Watched(episode, card)
    episode.outcome = Executor(simulation.robot, spec, hear).run(watched, card, subgoal, seed, card.time_limit)
    return episode


def _begin(
    card: PolicyCard,
    kind: Skill,
    fitting: Sequence[tuple[str, ...]],
    simulation: Simulation,
    rng: np.random.Generator,
) -> Subgoal | None:
    """Put arm and parts where the card begins; a subgoal that it can do from there, if there is one."""
    world, robot, inventory = simulation.world, simulation.robot, simulation.layout.inventory
    if kind.predicate == "closed":
        for (part,) in fitting:
            joint = inventory[part].joint
            if joint is not None:
                world.move_part(part, OPENED * joint.limits[1])
    if card.start is not None:
        width = min(float(rng.uniform(*card.start.gripper)), load_robot(simulation.layout.robot).gripper.max_width)
        robot.put(np.array(card.start.posture), width, int(rng.integers(2**31)))
    for _ in range(round(FIRST_LOOK / robot.period)):
        robot.tick()
    seen = robot.observe()
    facts = Facts.of(inventory, seen.objects, seen.state)
    for i in rng.permutation(len(fitting)):
        subgoal = kind.subgoal(*fitting[i])
        open_ends = len(set(fitting[i])) == len(fitting[i]) and not evaluate(subgoal.predicate, facts).holds
        if open_ends and choose(subgoal, facts, Registry((card,))).card is not None:
            return subgoal
    return None


class _Watched:
    """A policy whose every look is written down; pictures are added where the robot has not taken them."""

    def __init__(self, episode: Episode, card: PolicyCard) -> None:
        self._episode, self._cameras = episode, card.cameras
        self._subgoal: Subgoal | None = None

    def reset(self, subgoal: Subgoal, observation: Observation, seed: int) -> None:
        self._subgoal = subgoal
        self._episode.policy.reset(subgoal, self._seen(observation), seed)

    def act(self, observation: Observation, committed: ActionChunk | None = None) -> Step:
        if self._subgoal is None or len(self._episode.looks) >= PER_LAYOUT:
            return Done("looked at often enough")
        seen, begun = self._seen(observation), time.perf_counter()
        step = self._episode.policy.act(seen, committed)
        seconds = time.perf_counter() - begun
        if isinstance(step, ActionChunk):
            self._episode.looks.append(Look(self._subgoal, seen, np.asarray(step.values), seconds))
        return step

    def close(self) -> None:
        self._episode.policy.close()

    def _seen(self, observation: Observation) -> Observation:
        missing: Mapping[str, tuple[int, int]] = {
            name: size for name, size in self._cameras.items() if name not in observation.images
        }
        if not missing:
            return observation
        taken = {name: self._episode.simulation.world.render(name, size) for name, size in missing.items()}
        return replace(observation, images={**observation.images, **taken})
