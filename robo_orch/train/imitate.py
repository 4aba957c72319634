# SPDX-License-Identifier: Apache-2.0
"""Learning from somebody who can: demonstrations, corrections, and a soft actor-critic that begins as an imitator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from stable_baselines3 import SAC
from stable_baselines3.common.type_aliases import ReplayBufferSamples
from stable_baselines3.common.utils import polyak_update

from robo_orch.train.env import SkillEnv
from robo_orch.train.expert import Expert
from robo_orch.types import Observation, Pose, PoseEstimate

#: Noise on every other demonstrated action, so that they show what to do beside the way (chosen).
SHAKE = 0.15
#: Samples of a step of imitation, its rate where nothing else says so, and how near to the edge of [-1, 1] it aims.
BATCH, RATE, EDGE = 256, 1e-3, 0.97
#: Logarithm of the spread of actions with which an imitator begins to explore (chosen: an eighth of the range).
QUIET = -2.0
#: Episodes that are tried at most for each that is wanted.
TRIES = 10

#: Other estimates of the same state for which the expert is asked, too, so that imitation learns what noise does.
GUESSES = 4

#: Numbers as a learner has them, of any precision.
Array = NDArray[Any]
#: (before, after, action, reward, ended, pairs of what might have been seen and what the expert would have done).
Transition = tuple[Array, Array, Array, float, bool, list[tuple[Array, Array]]]
Act = Callable[[Array], Array]


def demonstrate(env: SkillEnv, n: int, seed: int) -> list[Transition]:
    """Transitions of ``n`` safe successes of the expert."""
    rng, teacher, found = np.random.default_rng([seed, 0xDE30]), Teacher(env, seed), []
    for _ in range(TRIES * n):
        if n == 0:
            break
        made, success = _episode(env, teacher, int(rng.integers(2**31)), lambda seen, wish, k: _shaken(wish, rng, k))
        if success:
            found += made
            n -= 1
    return found


def correct(env: SkillEnv, act: Act, n: int, seed: int) -> list[Transition]:
    """Transitions of ``n`` episodes in which ``act`` acts."""
    rng, teacher, found = np.random.default_rng([seed, 0xC032]), Teacher(env, seed), []
    for _ in range(n):
        found += _episode(env, teacher, int(rng.integers(2**31)), lambda seen, wish, k: act(seen))[0]
    return found


class ImitatingSAC(SAC):
    """Soft actor-critic whose actor is also held near what it was shown, on an ever longer lead.

    The actor's loss is ``-(Q - alpha log pi) / mean|Q| + w mse(mean action, shown)`` (after Fujimoto and Gu, "A
    minimalist approach to offline reinforcement learning", NeurIPS 2021); ``w`` falls from ``lead[0]`` to ``lead[1]``.
    """

    actor: Any
    critic: Any
    critic_target: Any
    replay_buffer: Any
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
        _descend(
            self.critic.optimizer, torch.stack([torch.nn.functional.mse_loss(g[:, 0], aim) for g in guesses]).sum()
        )
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
    pairs = [pair for transition in transitions for pair in transition[5]]
    states = np.array([(state - mean) / std for state, _ in pairs], np.float32)
    wishes = np.clip([wish for _, wish in pairs], -EDGE, EDGE).astype(np.float32)
    return torch.as_tensor(states), torch.as_tensor(wishes)


class Teacher:
    """Says what to do in what is seen, and in what might as well have been seen."""

    def __init__(self, env: SkillEnv, seed: int) -> None:
        self._env, self._expert = env, Expert(env)
        self._rng = np.random.default_rng([seed, 0x7EAC])

    def pairs(self) -> list[tuple[Array, Array]]:
        """States ``(k,)`` and what the expert would do there ``(A,)``; the first is what is seen."""
        seen = self._env.seen
        looks = [seen, *(self._guess(seen) for _ in range(GUESSES))]
        return [(self._env.told(look), self._expert.action(look)) for look in looks]

    def _guess(self, seen: Observation) -> Observation:
        """The same with errors of the poses that matter drawn anew on top."""
        told = {name: self._moved(seen.objects[name]) for name in self._env.concerned}
        return replace(seen, objects={**seen.objects, **told})

    def _moved(self, estimate: PoseEstimate) -> PoseEstimate:
        shift, turn = self._rng.normal(size=3) * estimate.sigma, self._rng.normal(size=3) * estimate.sigma_angle
        rotation = Rotation.from_rotvec(turn) * estimate.pose.rotation
        return replace(estimate, pose=Pose.of(estimate.pose.position + shift, rotation.as_quat()))


def _episode(
    env: SkillEnv, teacher: Teacher, seed: int, choose: Callable[[Array, Array, int], Array]
) -> tuple[list[Transition], bool]:
    before, _ = env.reset(seed=seed)
    made: list[Transition] = []
    ended = late = False
    info: dict[str, Any] = {}
    while not ended and not late:
        pairs = teacher.pairs()
        action = np.clip(choose(before, pairs[0][1], len(made)), -1.0, 1.0).astype(np.float32)
        after, reward, ended, late, info = env.step(action)
        made.append((before, after, action, reward, ended, pairs))
        before = after
    return made, bool(info["success"])


def _shaken(wish: Array, rng: np.random.Generator, k: int) -> Array:
    return wish + SHAKE * rng.normal(size=wish.shape) * (k % 2)
