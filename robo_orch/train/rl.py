# SPDX-License-Identifier: Apache-2.0
"""Learning a skill until it is good three times running.

::

    shown = demonstrations of the expert; imitate them
    for each round: let the imitator act; shown += what the expert would have done there; imitate
    repeat: soft actor-critic for some steps, imitation on ever longer a lead; evaluate on layouts of the validation set
    until three evaluations in a row are good enough, or the steps are used up: keep the best
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch

from robo_orch.train.buffer import MixedBuffer
from robo_orch.train.env import SkillEnv
from robo_orch.train.imitate import Act, Array, ImitatingSAC, Transition, correct, demonstrate, lesson, mean_action
from robo_orch.train.recipe import Recipe

#: Good evaluations in a row after which learning stops.
IN_A_ROW = 3
#: Actions that the buffer holds (chosen: more than any run has).
ROOM = 100_000
#: Least spread of a number that inputs are divided by (chosen: 5 mm, 5 mrad).
LEAST_SPREAD = 0.005
#: The range of what was seen leaves out this share at either end.
TAIL = 0.001

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How the policy did after some steps: episodes, share of safe successes, share that only reached the end."""

    step: int
    n: int
    success: float
    done: float
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What a run came to.

    Attributes:
        actor: a network ``(B, k) -> (B, A)`` from raw numbers to actions in [-1, 1].
        evaluations: the curve; the first is of imitation alone.
        best: the step whose actor this is.
        steps, seconds: what it took.
        seen: raw numbers ``(n, k)`` that were seen on the way.
    """

    actor: torch.nn.Module
    evaluations: tuple[Evaluation, ...]
    best: int
    steps: int
    seconds: float
    seen: Array

    @property
    def curve(self) -> list[dict[str, Any]]:
        """The evaluations as JSON."""
        return [asdict(e) for e in self.evaluations]

    @property
    def score(self) -> float:
        """Share of safe successes of this actor, as evaluated on the way."""
        return next(e.success for e in self.evaluations if e.step == self.best)

    @property
    def range(self) -> tuple[Array, Array]:
        """Lowest and highest numbers ``(k,)`` that were seen, but for the tails."""
        low, high = np.quantile(self.seen, [TAIL, 1.0 - TAIL], axis=0)
        return low, high


class Normalised(torch.nn.Module):
    """An actor behind its normalisation: raw numbers in, actions out."""

    mean: torch.Tensor
    std: torch.Tensor

    def __init__(self, mean: Array, std: Array, actor: torch.nn.Module) -> None:
        super().__init__()
        self.register_buffer("mean", torch.as_tensor(mean))
        self.register_buffer("std", torch.as_tensor(std))
        self.actor = actor

    def forward(self, state: torch.Tensor) -> torch.Tensor:
        """``(B, k)`` raw numbers to ``(B, A)``."""
        return mean_action(self.actor, (state - self.mean) / self.std)


class Run:
    """One run of a recipe with one seed.

    Args:
        folder: where the best actor so far is kept (``best.pt``).
        told: is given lines about progress.
    """

    def __init__(self, recipe: Recipe, seed: int, folder: Path, told: Told) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        np.random.seed(seed)
        self._recipe, self._how, self._seed, self._told = recipe, recipe.learner, seed, told
        self._env = SkillEnv(recipe, recipe.train_seeds())
        self._test = SkillEnv(recipe, recipe.validation_seeds())
        self._checkpoint, self._begun = folder / "best.pt", time.monotonic()
        self._evaluations: list[Evaluation] = []
        self._best = -1.0, 0

    def learn(self, steps: int) -> Learned:
        """All of it, for so many steps at most."""
        how = self._how
        shown = demonstrate(self._env, how.demonstrations, self._seed)
        self._mean, self._std = _spread(np.array([t[0] for t in shown]))
        model = self._model = self._agent()
        self._imitate(shown)
        self._evaluate()
        while model.num_timesteps < steps and not self._good():
            model.learn(min(how.evaluate, steps - model.num_timesteps), reset_num_timesteps=False)
            self._evaluate()
        model.actor.load_state_dict(torch.load(self._checkpoint, weights_only=True))
        buffer = model.replay_buffer
        seen = buffer.observations[: buffer.pos, 0] * self._std + self._mean
        actor = Normalised(self._mean, self._std, model.actor).eval()
        seconds = time.monotonic() - self._begun
        return Learned(actor, tuple(self._evaluations), self._best[1], model.num_timesteps, seconds, seen)

    def _imitate(self, shown: list[Transition]) -> None:
        how, model = self._how, self._model
        self._fill(shown)
        model.replay_buffer.seal()
        for k in range(how.rounds + 1):
            if k:
                shown = shown + (more := correct(self._env, self._act, how.corrections // how.rounds, self._seed + k))
                self._fill(more)
            model.shown = lesson(shown, self._mean, self._std)
            model.imitate(how.clone)
            self._told(f"imitates {len(shown)} actions")
        model.sharpen()
        model.judge(how.judge)

    def _evaluate(self) -> None:
        safe, done = evaluate(self._test, self._act, self._how.episodes, self._seed)
        step = self._model.num_timesteps
        found = Evaluation(step, self._how.episodes, safe, done, round(time.monotonic() - self._begun, 1))
        self._evaluations.append(found)
        self._told(f"step {step}: {safe:.2f} safe, {done:.2f} done, {found.seconds:.0f} s")
        # Of two that did alike, the one whose neighbours did better.
        score = safe + 0.5 * float(np.mean([e.success for e in self._evaluations[-IN_A_ROW:]]))
        if score >= self._best[0]:
            self._best = score, step
            torch.save(self._model.actor.state_dict(), self._checkpoint)

    def _good(self) -> bool:
        last = self._evaluations[-IN_A_ROW:]
        return len(last) == IN_A_ROW and all(e.success >= self._how.enough for e in last)

    def _act(self, seen: Array) -> Array:
        return self._model.predict((seen - self._mean) / self._std, deterministic=True)[0]

    def _agent(self) -> ImitatingSAC:
        how = self._how
        model = ImitatingSAC(
            "MlpPolicy",
            _Scaled(self._env, self._mean, self._std),
            learning_rate=how.rate,
            gamma=how.gamma,
            batch_size=how.batch,
            buffer_size=ROOM,
            learning_starts=0,
            ent_coef=how.entropy,
            policy_kwargs={"net_arch": [how.width, how.width]},
            replay_buffer_class=MixedBuffer,
            seed=self._seed,
            device="cpu",
        )
        model.lead = how.lead
        model.steady()
        return model

    def _fill(self, transitions: list[Transition]) -> None:
        for before, after, action, reward, ended, _ in transitions:
            states = ((before - self._mean) / self._std)[None], ((after - self._mean) / self._std)[None]
            self._model.replay_buffer.add(*states, action[None], np.array([reward]), np.array([ended]), [{}])


def learn(recipe: Recipe, seed: int, folder: Path, told: Told = lambda line: None, steps: int | None = None) -> Learned:
    """Learn a recipe's skill.

    Args:
        seed: of everything random.
        folder: where the best actor so far is kept (``best.pt``).
        told: is given lines about progress.
        steps: fewer than the recipe has, to try it out.
    """
    return Run(recipe, seed, folder, told).learn(recipe.learner.steps if steps is None else steps)


def evaluate(env: SkillEnv, act: Act, n: int, seed: int) -> tuple[float, float]:
    """Shares of safe successes and of postconditions reached, in ``n`` episodes."""
    safe, done = [], []
    for episode in range(n):
        seen, _ = env.reset(seed=int(np.random.SeedSequence([seed, 0xE7A1, episode]).generate_state(1)[0]))
        ended = late = False
        info: dict[str, Any] = {}
        while not ended and not late:
            seen, _, ended, late, info = env.step(act(seen))
        safe.append(bool(info["success"]))
        done.append(bool(info["holds"]))
    return float(np.mean(safe)), float(np.mean(done))


class _Scaled(gymnasium.ObservationWrapper):
    """The environment with its observations normalised, as the learner wants them."""

    def __init__(self, env: SkillEnv, mean: Array, std: Array) -> None:
        super().__init__(env)
        self._mean, self._std = mean, std

    def observation(self, observation: Array) -> Array:
        """Normalised."""
        return (observation - self._mean) / self._std


def _spread(seen: Array) -> tuple[Array, Array]:
    return seen.mean(axis=0).astype(np.float32), np.maximum(seen.std(axis=0), LEAST_SPREAD).astype(np.float32)
