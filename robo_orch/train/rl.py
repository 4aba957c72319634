# SPDX-License-Identifier: Apache-2.0
"""Learning a skill by soft actor-critic, from demonstrations on, until it is good three times running.

::

    record demonstrations; let the actor imitate them
    repeat: learn for some thousand steps; evaluate on layouts of the validation set
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
from stable_baselines3 import SAC

from robo_orch.train.buffer import MixedBuffer
from robo_orch.train.env import SkillEnv
from robo_orch.train.expert import Expert
from robo_orch.train.recipe import Recipe

#: Good evaluations in a row after which learning stops.
IN_A_ROW = 3
#: Actions that the buffer holds besides demonstrations (chosen: more than any run has).
ROOM = 100_000
#: Least spread of a number that inputs are divided by (chosen: 5 mm, 5 mrad).
LEAST_SPREAD = 0.005
#: Noise on demonstrated actions, so that they show what to do beside the way (chosen).
SHAKE = 0.15

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

    ``actor`` is a network ``(B, k) -> (B, A)`` from raw numbers to actions in [-1, 1]; ``low``, ``high`` ``(k,)`` the
    range of what it saw.
    """

    actor: torch.nn.Module
    evaluations: tuple[Evaluation, ...]
    steps: int
    seconds: float
    low: np.ndarray
    high: np.ndarray
    observations: np.ndarray

    @property
    def curve(self) -> list[dict[str, Any]]:
        """The evaluations as JSON."""
        return [asdict(e) for e in self.evaluations]


class Normalised(torch.nn.Module):
    """An actor behind its own normalisation, so that it takes raw numbers."""

    def __init__(self, mean: torch.Tensor, std: torch.Tensor, actor: torch.nn.Module) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.actor = actor

    def forward(self, state: torch.Tensor) -> torch.Tensor:
        """``(B, k)`` raw numbers to ``(B, A)``."""
        return self.actor((state - self.mean) / self.std)


def learn(recipe: Recipe, seed: int, folder: Path, told: Told = lambda line: None, steps: int | None = None) -> Learned:
    """Learn a recipe's skill.

    Args:
        seed: of everything random.
        folder: where a checkpoint is kept after each evaluation (``best.pt``).
        told: is given lines about progress.
        steps: fewer than the recipe has, to try it out.
    """
    begun, how = time.monotonic(), recipe.learner
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    np.random.seed(seed)
    env, test = SkillEnv(recipe, recipe.train_seeds()), SkillEnv(recipe, recipe.validation_seeds())
    shown = demonstrate(env, how.demonstrations, seed)
    told(f"{len(shown)} demonstrated actions")
    mean, std = _spread(np.array([s[0] for s in shown]))
    model = _agent(recipe, _Scaled(env, mean, std), seed)
    _fill(model, [(*_scaled(s, mean, std),) for s in shown])
    _imitate(model, how.clone)
    evaluations: list[Evaluation] = []
    best, total = -1.0, steps or how.steps
    while model.num_timesteps < total:
        model.learn(min(how.evaluate, total - model.num_timesteps), reset_num_timesteps=False)
        found = evaluate(test, lambda o: model.predict((o - mean) / std, deterministic=True)[0], how.episodes, seed)
        evaluation = Evaluation(model.num_timesteps, how.episodes, *found, round(time.monotonic() - begun, 1))
        evaluations.append(evaluation)
        told(
            f"step {evaluation.step}: {evaluation.success:.2f} safe, {evaluation.done:.2f} done, {evaluation.seconds:.0f} s"
        )
        recent = float(np.mean([e.success for e in evaluations[-IN_A_ROW:]]))
        if evaluation.success + recent >= best:
            best = evaluation.success + recent
            torch.save(model.actor.state_dict(), folder / "best.pt")
        if len(evaluations) >= IN_A_ROW and all(e.success >= how.enough for e in evaluations[-IN_A_ROW:]):
            break
    model.actor.load_state_dict(torch.load(folder / "best.pt", weights_only=True))
    actor = Normalised(torch.as_tensor(mean), torch.as_tensor(std), _Mean(model.actor)).eval()
    seen = model.replay_buffer.observations[: model.replay_buffer.pos, 0] * std + mean
    low, high = np.quantile(seen, [0.001, 0.999], axis=0)
    return Learned(actor, tuple(evaluations), model.num_timesteps, time.monotonic() - begun, low, high, seen)


def demonstrate(env: SkillEnv, n: int, seed: int) -> list[tuple[Any, ...]]:
    """Transitions (before, after, action, reward, ended) of ``n`` safe successes of the expert."""
    expert, rng, found, episode = Expert(env), np.random.default_rng([seed, 0xDE30]), [], 0
    while n > 0 and episode < 20 * max(n, 1):
        before, _ = env.reset(seed=int(rng.integers(2**31)))
        expert.begin()
        made, ended, late, info, episode = [], False, False, {}, episode + 1
        while not ended and not late:
            wish = expert.action()
            action = np.clip(wish + SHAKE * rng.normal(size=wish.shape) * (len(made) % 2), -1, 1).astype(np.float32)
            after, reward, ended, late, info = env.step(action)
            made.append((before, after, action, reward, ended))
            before = after
        if info["success"]:
            found += made
            n -= 1
    return found


def evaluate(env: SkillEnv, act: Callable[[np.ndarray], np.ndarray], n: int, seed: int) -> tuple[float, float]:
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


class _Mean(torch.nn.Module):
    """The actor's mean action."""

    def __init__(self, actor: Any) -> None:
        super().__init__()
        self.body, self.mu = actor.latent_pi, actor.mu

    def forward(self, state: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.mu(self.body(state)))


class _Scaled(gymnasium.ObservationWrapper):
    """The environment with its observations normalised, as the learner wants them."""

    def __init__(self, env: SkillEnv, mean: np.ndarray, std: np.ndarray) -> None:
        super().__init__(env)
        self._mean, self._std = mean, std

    def observation(self, observation: np.ndarray) -> np.ndarray:
        """Normalised."""
        return (observation - self._mean) / self._std


def _agent(recipe: Recipe, env: gymnasium.Env, seed: int) -> SAC:
    how = recipe.learner
    return SAC(
        "MlpPolicy",
        env,
        learning_rate=how.rate,
        gamma=how.gamma,
        batch_size=how.batch,
        buffer_size=ROOM,
        learning_starts=0,
        policy_kwargs={"net_arch": [how.width, how.width]},
        replay_buffer_class=MixedBuffer,
        seed=seed,
        device="cpu",
    )


def _spread(seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return seen.mean(axis=0).astype(np.float32), np.maximum(seen.std(axis=0), LEAST_SPREAD).astype(np.float32)


def _scaled(shown: tuple[Any, ...], mean: np.ndarray, std: np.ndarray) -> tuple[Any, ...]:
    before, after, *rest = shown
    return (before - mean) / std, (after - mean) / std, *rest


def _fill(model: SAC, shown: list[tuple[Any, ...]]) -> None:
    buffer = model.replay_buffer
    if not isinstance(buffer, MixedBuffer):
        raise TypeError(f"a MixedBuffer was expected, got {type(buffer).__name__}")
    for before, after, action, reward, ended in shown:
        one = np.array([reward]), np.array([ended])
        buffer.add(before[None], after[None], action[None], *one, [{}])
    buffer.seal()


def _imitate(model: SAC, steps: int) -> None:
    """Let the actor's mean imitate the demonstrations."""
    states, actions = model.replay_buffer.demonstrations()
    mean, aim = _Mean(model.actor), actions.clamp(-0.98, 0.98)
    optimizer = torch.optim.Adam(model.actor.parameters(), lr=1e-3)
    for _ in range(steps if len(states) else 0):
        pick = torch.randint(len(states), (256,))
        loss = torch.nn.functional.mse_loss(mean(states[pick]), aim[pick])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
