# SPDX-License-Identifier: Apache-2.0
"""Learning from somebody who can: demonstrations, corrections, and a soft actor-critic that begins as an imitator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from stable_baselines3 import SAC
from stable_baselines3.common.type_aliases import ReplayBufferSamples
from stable_baselines3.common.utils import polyak_update

from robo_orch.train.env import SkillEnv
from robo_orch.train.expert import Expert
from robo_orch.types import Array

#: Noise on every other demonstrated action, so that they show what to do beside the way (chosen).
SHAKE = 0.15
#: Samples of a step of imitation, its rate where nothing else says so, and how near to the edge of [-1, 1] it aims.
BATCH, RATE, EDGE = 256, 1e-3, 0.97
#: Logarithm of the spread of actions with which an imitator begins to explore (chosen: an eighth of the range).
QUIET = -2.0
#: Episodes that are tried at most for each that is wanted.
TRIES = 10

#: (before, after, action, reward, ended, what the expert would have done).
Transition = tuple[Array, Array, Array, float, bool, Array]
Act = Callable[[Array], Array]


def demonstrate(env: SkillEnv, n: int, seed: int) -> list[Transition]:
    """Transitions of ``n`` safe successes of the expert."""
    rng, expert, found = np.random.default_rng([seed, 0xDE30]), Expert(env), []
    for _ in range(TRIES * n):
        if n == 0:
            break
        made, success = _episode(env, expert, int(rng.integers(2**31)), lambda seen, wish, k: _shaken(wish, rng, k))
        if success:
            found += made
            n -= 1
    return found


def correct(env: SkillEnv, act: Act, n: int, seed: int) -> list[Transition]:
    """Transitions of ``n`` episodes in which ``act`` acts."""
    rng, expert, found = np.random.default_rng([seed, 0xC032]), Expert(env), []
    for _ in range(n):
        found += _episode(env, expert, int(rng.integers(2**31)), lambda seen, wish, k: act(seen))[0]
    return found


class ImitatingSAC(SAC):
    """Soft actor-critic whose actor is also held near what it was shown, on an ever longer lead.

    The actor's loss is ``-(Q - alpha log pi) / mean|Q| + w mse(mean action, shown)`` (after Fujimoto and Gu, "A
    minimalist approach to offline reinforcement learning", NeurIPS 2021); ``w`` falls from ``lead[0]`` to ``lead[1]``.
    """

    shown: tuple[torch.Tensor, torch.Tensor] | None = None
    lead: tuple[float, float] = (10.0, 2.0)

    def steady(self) -> None:
        """Put layer normalisation into the critics: without it they believe in actions that nobody tried (RLPD)."""
        for critic in (self.critic, self.critic_target):
            for i, network in enumerate(critic.q_networks):
                calm = _normalising(network)
                critic.q_networks[i] = calm
                setattr(critic, f"qf{i}", calm)
        self.critic_target.load_state_dict(self.critic.state_dict())
        self.critic.optimizer = type(self.critic.optimizer)(self.critic.parameters(), lr=self.lr_schedule(1.0))

    def imitate(self, steps: int, rate: float = RATE) -> None:
        """Steps of nothing but imitation."""
        optimizer = torch.optim.Adam(self.actor.parameters(), lr=rate)
        for _ in range(steps):
            _descend(optimizer, self._unlike())

    def sharpen(self) -> None:
        """Begin with little noise around the mean, which is all that imitation has taught."""
        torch.nn.init.zeros_(self.actor.log_std.weight)
        torch.nn.init.constant_(self.actor.log_std.bias, QUIET)

    def judge(self, steps: int) -> None:
        """Steps of the critic alone, so that it knows something when the actor begins to listen to it."""
        for _ in range(steps):
            self._criticise(self.replay_buffer.sample(self.batch_size))

    def train(self, gradient_steps: int, batch_size: int = 64) -> None:
        """Steps of critic and actor."""
        self._update_learning_rate([self.actor.optimizer, self.critic.optimizer])
        first, last = self.lead
        weight = last + (first - last) * self._current_progress_remaining
        for _ in range(gradient_steps):
            batch = self.replay_buffer.sample(batch_size)
            self._criticise(batch)
            actions, chance = self.actor.action_log_prob(batch.observations)
            value = self._value(self.critic, batch.observations, actions) - self._alpha * chance
            _descend(self.actor.optimizer, -value.mean() / value.abs().mean().detach() + weight * self._unlike())

    @property
    def _alpha(self) -> float:
        return float(self.ent_coef)

    def _unlike(self) -> torch.Tensor:
        """How far the actor is from what it was shown."""
        if self.shown is None:
            return torch.zeros(())
        states, wishes = self.shown
        pick = torch.randint(len(states), (BATCH,))
        return torch.nn.functional.mse_loss(mean_action(self.actor, states[pick]), wishes[pick])

    def _criticise(self, batch: ReplayBufferSamples) -> None:
        with torch.no_grad():
            actions, chance = self.actor.action_log_prob(batch.next_observations)
            later = self._value(self.critic_target, batch.next_observations, actions) - self._alpha * chance
            aim = batch.rewards[:, 0] + (1.0 - batch.dones[:, 0]) * self.gamma * later
        guesses = self.critic(batch.observations, batch.actions)
        _descend(self.critic.optimizer, sum(torch.nn.functional.mse_loss(g[:, 0], aim) for g in guesses))
        polyak_update(self.critic.parameters(), self.critic_target.parameters(), self.tau)

    @staticmethod
    def _value(critic: Any, states: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """The lower of the critics' values, ``(B,)``."""
        return torch.cat(critic(states, actions), dim=1).min(dim=1).values


def _normalising(network: torch.nn.Sequential) -> torch.nn.Sequential:
    layers: list[torch.nn.Module] = []
    for layer in network:
        layers.append(layer)
        if isinstance(layer, torch.nn.Linear) and layer.out_features > 1:
            layers.append(torch.nn.LayerNorm(layer.out_features))
    return torch.nn.Sequential(*layers)


def _descend(optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def mean_action(actor: Any, states: torch.Tensor) -> torch.Tensor:
    """What an actor does without noise, ``(B, A)`` in [-1, 1]."""
    return torch.tanh(actor.mu(actor.latent_pi(states)))


def lesson(transitions: list[Transition], mean: Array, std: Array) -> tuple[torch.Tensor, torch.Tensor]:
    """Normalised states and what the expert would have done there."""
    states = np.array([(t[0] - mean) / std for t in transitions], np.float32)
    wishes = np.clip([t[5] for t in transitions], -EDGE, EDGE).astype(np.float32)
    return torch.as_tensor(states), torch.as_tensor(wishes)


def _episode(
    env: SkillEnv, expert: Expert, seed: int, choose: Callable[[Array, Array, int], Array]
) -> tuple[list[Transition], bool]:
    before, _ = env.reset(seed=seed)
    made: list[Transition] = []
    ended = late = False
    info: dict[str, Any] = {}
    while not ended and not late:
        wish = expert.action()
        action = np.clip(choose(before, wish, len(made)), -1.0, 1.0).astype(np.float32)
        after, reward, ended, late, info = env.step(action)
        made.append((before, after, action, reward, ended, wish))
        before = after
    return made, bool(info["success"])


def _shaken(wish: Array, rng: np.random.Generator, k: int) -> Array:
    return wish + SHAKE * rng.normal(size=wish.shape) * (k % 2)
