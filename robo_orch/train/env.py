# SPDX-License-Identifier: Apache-2.0
"""The environment in which a card's skill is learned: numbers in the card's order, actions in [-1, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from robo_orch.bridge.start import Starts
from robo_orch.errors import CardError
from robo_orch.policies.observation import Features
from robo_orch.predicates import CLOSED_BELOW
from robo_orch.robots.features import vector, vector_width
from robo_orch.robots.spec import load_robot
from robo_orch.sim.gym import KitchenEnv, Task
from robo_orch.sim.mujoco.world import MujocoWorld
from robo_orch.skills import skill
from robo_orch.train.recipe import Recipe
from robo_orch.train.reward import Shaped
from robo_orch.types import Observation

#: Share of its range to which a part is to be moved, by postcondition (chosen: clear of what counts).
AIMS = {"open": 0.9, "turned": 0.9, "pressed": 0.9, "closed": 0.5 * CLOSED_BELOW}


class SkillEnv(gymnasium.Env[NDArray[np.float32], NDArray[Any]]):
    """One recipe's skill on some layouts.

    The observation is the card's one input of features, ``(k,)``; the action ``(A,)`` in [-1, 1] means what
    :meth:`~robo_orch.train.recipe.Recipe.action` makes of it. Nothing but the part's furniture is in the scene.
    """

    def __init__(self, recipe: Recipe, seeds: Sequence[int], alone: bool = True) -> None:
        card = recipe.policy
        self.recipe, self._kind = recipe, skill(card.skills[0])
        self.args = {self._kind.roles[0]: recipe.object}
        self._keys = _features(recipe).keys
        self.robot = load_robot("panda")
        low, high = recipe.action(-np.ones(card.action.dim)), recipe.action(np.ones(card.action.dim))
        subgoal = self._kind.subgoal(recipe.object)
        contacts = [(c.between, c.newtons) for c in self._kind.contacts]
        self.kitchen = KitchenEnv(
            Task(subgoal.predicate, self.args, contacts, self._kind.hold_seconds),
            scene=recipe.scene,
            space=card.action.space,
            rate_hz=card.rate_hz,
            bounds=(low, high),
            reward=self._rewarded,
            time_limit=recipe.time_limit,
            seeds=list(seeds),
            alone=alone,
            start=Starts(recipe.home, self.robot),
            prepare=self._prepare,
            perturb=recipe.troubles,
        )
        width = vector_width(self._keys, len(self.robot.joints))
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (width,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (card.action.dim,), np.float32)
        self._shaped: Shaped | None = None

    @property
    def seen(self) -> Observation:
        """What the robot observes now."""
        return self.kitchen.simulation.robot.observe()

    @property
    def concerned(self) -> list[str]:
        """The part and what it is part of."""
        part = self.kitchen.simulation.layout.inventory[self.recipe.object]
        return [part.name, *([part.joint.parent] if part.joint else [])]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode; see :meth:`robo_orch.sim.gym.KitchenEnv.reset`."""
        _, info = self.kitchen.reset(seed=seed, options=options)
        part = self.kitchen.simulation.layout.inventory[self.recipe.object]
        self._shaped = Shaped(self.recipe.reward, part, AIMS[self._kind.predicate])
        return self.told(self.seen), info

    def step(self, action: NDArray[Any]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One action."""
        _, reward, ended, late, info = self.kitchen.step(self.recipe.action(np.asarray(action, dtype=float)))
        return self.told(self.seen), reward, ended, late, info

    def close(self) -> None:
        """Give the worlds back."""
        self.kitchen.close()

    def _rewarded(self, moment: Any) -> float:
        return self._shaped(moment) if self._shaped else 0.0

    def _prepare(self, world: MujocoWorld, rng: np.random.Generator) -> None:
        joint = world.layout.inventory[self.recipe.object].joint
        if joint is not None and max(self.recipe.begin) > 0.0:
            world.move_part(self.recipe.object, joint.limits[1] * float(rng.uniform(*self.recipe.begin)))

    def told(self, seen: Observation) -> NDArray[np.float32]:
        """The numbers ``(k,)`` that the card has of an observation."""
        return vector(seen, self._keys, self.args, self.kitchen.simulation.layout.inventory)


def _features(recipe: Recipe) -> Features:
    """The one input of a learned skill.

    Raises:
        CardError: the card has another number of inputs, or another kind.
    """
    inputs = list(recipe.policy.observation.values())
    if len(inputs) != 1 or not isinstance(inputs[0], Features):
        got = ", ".join(f"{name} ({i.kind})" for name, i in recipe.policy.observation.items()) or "none"
        raise CardError("one input of features", got, "correct observation: in the recipe")
    return inputs[0]
