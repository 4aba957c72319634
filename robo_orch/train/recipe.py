# SPDX-License-Identifier: Apache-2.0
"""How a skill is learned: one YAML beside the policy, the card it is to have included."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import CardError
from robo_orch.policies.card import PolicyCard, StartSet
from robo_orch.policies.registry import SHIPPED
from robo_orch.sim.scenes import load_scene
from robo_orch.types import ActionKind, Array

Range = tuple[float, float]
#: How far the tool goes in one action of a demonstration in joint space, m (chosen: 0.3 m/s at 10 Hz).
PACE = 0.03


class Reward(Strict):
    """Weights of the reward, see :func:`robo_orch.train.reward.shaped` (chosen: a few points for a whole episode)."""

    progress: float = 5.0
    near: float = 1.0
    done: float = 3.0
    unsafe: float = 6.0
    strain: float = 0.5
    time: float = 0.02


class Learner(Strict):
    """Soft actor-critic (Haarnoja et al. 2018) that begins as an imitator and is let off the lead.

    Half of each batch is demonstrations (Ball et al. 2023); what the actor imitates besides counts less and less.

    Attributes:
        steps: environment steps at most; ``evaluate``: after so many the policy is evaluated on ``episodes``.
        enough: an evaluation with this share of safe successes is a good one; after three in a row learning stops.
        demonstrations: episodes of the scripted expert, recorded before learning begins.
        corrections: episodes in which the imitator acts and the expert says what it would have done (DAgger, Ross et
            al. 2011), in ``rounds``.
        clone: gradient steps of imitation, after the demonstrations and after each round.
        judge: gradient steps of the critic alone, before the actor listens to it.
        lead: weights of imitation in the actor's loss, first and last; ``entropy`` the weight of chance in it.
    """

    steps: int = 3_000
    evaluate: int = 1_000
    episodes: int = 50
    enough: float = 0.92
    demonstrations: int = 60
    corrections: int = 120
    rounds: int = 3
    clone: int = 3_000
    width: int = 128
    judge: int = 3_000
    rate: float = 3e-4
    lead: Range = (50.0, 20.0)
    entropy: float = 0.005
    gamma: float = 0.97
    batch: int = 256


class Recipe(Strict):
    """How one card is learned.

    Attributes:
        card: the card's body, without what training finds out.
        object: the part of the scene that the skill is learned on.
        begin: share of the part's range at which it stands when an episode begins.
        starts: from where the arm starts in training, where that differs from what the card declares.
        offset, scale: an action is ``offset + scale * a`` for ``a`` in [-1, 1], component by component.
        time_limit: of an episode, s.
        perturb: ranges from which each layout draws what is harder, by perturbation.
        layouts: how many there are in training; ``scene`` where.
        seeds: of the runs that the shipped files come from.
    """

    card: dict[str, Any]
    object: str
    begin: Range = (0.0, 0.0)
    starts: StartSet | None = None
    offset: tuple[float, ...]
    scale: tuple[Annotated[float, Field(ge=0)], ...]
    time_limit: float = 8.0
    perturb: dict[str, Range] = Field(default_factory=dict)
    layouts: int = 16
    scene: str = "kitchen"
    seeds: tuple[int, ...] = (0,)
    reward: Reward = Reward()
    learner: Learner = Learner()
    folder: Path = Field(default=Path(), exclude=True)

    @model_validator(mode="after")
    def _one_scale_each(self) -> Recipe:
        if not len(self.offset) == len(self.scale) == self.policy.action.dim:
            raise ValueError(f"{self.policy.action.dim} offsets and scales were expected, as many as an action has")
        return self

    @cached_property
    def policy(self) -> PolicyCard:
        """The card."""
        return PolicyCard.model_validate(self.card).model_copy(update={"folder": self.folder})

    @property
    def home(self) -> StartSet:
        """Where episodes start.

        Raises:
            CardError: neither recipe nor card say.
        """
        start = self.starts or self.policy.start
        if start is None:
            raise CardError(f"a start set for {self.policy.id}", "none", "add start: to the card in its recipe")
        return start

    @property
    def pace(self) -> float:
        """How far the tool may go in one action of a demonstration, m: as far as tool deltas go, else :data:`PACE`."""
        return float(min(self.scale[:3])) if self.policy.action.kind is ActionKind.EE_DELTA else PACE

    def train_seeds(self) -> range:
        """Layouts to learn on."""
        return load_scene(self.scene).sets.seeds("train", "all")[: self.layouts]

    def validation_seeds(self) -> range:
        """Layouts to evaluate on; never those of tests."""
        return load_scene(self.scene).sets.seeds("validation", "pairs")[: self.layouts]

    def troubles(self, seed: int) -> Mapping[str, float]:
        """What is harder in the layout of a seed: each perturbation drawn evenly from its range, on a log scale."""
        rng = np.random.default_rng([seed, 0x7124])
        return {name: float(np.exp(rng.uniform(*np.log(bounds)))) for name, bounds in self.perturb.items()}

    def action(self, a: Array) -> Array:
        """A row of the card's action space from ``a`` ``(A,)`` in [-1, 1]."""
        return np.asarray(self.offset) + np.asarray(self.scale) * np.clip(a, -1.0, 1.0)

    def inverse(self, row: Array) -> Array:
        """The ``a`` in [-1, 1] that comes nearest to a row ``(A,)``."""
        scale = np.asarray(self.scale)
        a = np.divide(row - np.asarray(self.offset), scale, out=np.zeros_like(scale), where=scale > 0)
        return np.clip(a, -1.0, 1.0)


def load_recipe(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        CardError: it is missing or broken; every mistake is told.
    """
    expected = "a recipe for a learned policy"
    text = read(path, expected, CardError, "check the path")
    recipe = parsed(text, Recipe, expected, CardError, path.name)
    return recipe.model_copy(update={"folder": path.resolve().parent})


def recipes(folder: Path = SHIPPED) -> dict[str, Recipe]:
    """All recipes of learned skills by card id."""
    return {r.card["id"]: r for r in map(load_recipe, sorted(folder.glob("**/recipe.yaml")))}
