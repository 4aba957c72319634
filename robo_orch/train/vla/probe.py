# SPDX-License-Identifier: Apache-2.0
"""The policy in physics: errands in layouts that it was not trained on, judged by the referee."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from robo_orch.objects import Inventory
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.loaders import PolicyContext, load_policy
from robo_orch.robots.spec import load_robot
from robo_orch.sim.scenes import Layout, load_scene
from robo_orch.train.vla.errand import Errand, drawn, errands
from robo_orch.train.vla.frames import laid_out
from robo_orch.train.vla.physics import Episode, Result
from robo_orch.train.vla.table import Table
from robo_orch.types import Done, Failed, Policy

#: An errand is given up after so many seconds (chosen: three times what the expert takes).
LIMIT = 20.0


@dataclass(frozen=True, slots=True)
class Probe:
    """One errand: where, what, how it went, how sure the policy was at first, whether a look-alike stood by."""

    seed: int
    skill: str
    object: str
    target: str
    kind: str
    alike: bool
    confidence: float
    picked: bool
    result: Result

    @property
    def row(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def probes(card: PolicyCard, stratum: tuple[str, str], n: int, seed: int, first: int = 0) -> Iterator[Probe]:
    """Errands number ``first`` to ``n`` in layouts of a scene's stratum, for example ``("test", "pairs")``."""
    scene, robot = load_scene("kitchen"), load_robot("panda")
    for layout, errand in asked(scene, scene.sets.seeds(*stratum), seed, first, n):
        policy = load_policy(PolicyContext(robot, layout.inventory, card))
        yield probe(policy, card, layout, errand)


def asked(scene: Any, seeds: Sequence[int], seed: int, first: int, n: int) -> Iterable[tuple[Layout, Errand]]:
    """Layouts, half of them with look-alikes, and an errand in each that can be done from above."""
    for i in range(first, n):
        rng = np.random.default_rng([seed, 0x9806, i])
        while True:
            layout = laid_out(scene, int(seeds[int(rng.integers(len(seeds)))]), rng)
            choices = errands(layout.inventory)
            if not choices:
                continue
            errand, table = drawn(choices, rng), Table(layout.inventory, layout.poses)
            work = table.work(errand, np.array([0.307, 0.0, 0.487]))
            if work is not None and not work.placed:
                yield layout, errand
                break


def probe(policy: Any, card: PolicyCard, layout: Layout, errand: Errand) -> Probe:
    """One errand."""
    episode, spec = Episode(layout, errand), layout.inventory[errand.object]
    confidence, picked = _run(policy, card, episode)
    result = episode.result
    episode.close()
    facts = (spec.kind, alike(layout.inventory, errand.object))
    return Probe(layout.seed, errand.skill, errand.object, errand.target, *facts, confidence, picked, result)


def alike(inventory: Inventory, name: str) -> bool:
    """Whether another free object has the colour."""
    colour = inventory[name].colour
    return any(o.colour == colour for o in inventory.values() if o.name != name and not o.fixed and o.joint is None)


def _run(policy: Policy, card: PolicyCard, episode: Episode) -> tuple[float, bool]:
    """Let the policy act until it is done; its confidence at first, and whether it ever held the object."""
    seen, sure, picked = episode.observe(card.cameras), float("nan"), False
    policy.reset(episode.subgoal, seen, 0)
    while episode.result.seconds < LIMIT:
        told = policy.act(seen)
        if isinstance(told, Done | Failed):
            break
        if np.isnan(sure):
            sure = float(getattr(policy, "confidence", None) or 0.0)
        for row in told.values:  # type: ignore[union-attr]
            episode.step(row)
            picked = picked or episode.hand.gripped
        seen = episode.observe(card.cameras)
    for _ in range(6):  # what was let go comes to rest
        episode.step(np.array([*np.zeros(6), episode.hand.width]))
    return sure, picked
