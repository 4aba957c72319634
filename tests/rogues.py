# SPDX-License-Identifier: Apache-2.0
"""Policies that misbehave, each in its own way."""

from __future__ import annotations

import numpy as np

from robo_orch.policies.tamp.policy import Tamp
from robo_orch.types import ActionChunk, Continue, Done, Step


class Rogue:
    """Holds still in a proper chunk; subclasses spoil it."""

    def __init__(self, context):
        self.space, self.period = context.card.action.space, context.robot.period
        self.n = len(context.robot.joints)

    def reset(self, subgoal, observation, seed):
        self.calls = 0

    def act(self, observation, committed=None) -> Step:
        self.calls += 1
        return self.spoil(self.still(observation))

    def still(self, observation, steps: int = 5) -> np.ndarray:
        row = np.concatenate([observation.state.start, np.zeros(self.n), [0.04]])
        return np.tile(row, (steps, 1))

    def chunk(self, values) -> ActionChunk:
        return ActionChunk(np.asarray(values), 0.0, self.period, self.space)

    def spoil(self, values) -> Step:
        return Done("I say so") if self.calls > 1 else self.chunk(values)

    def close(self):
        pass


class Crash(Rogue):
    def spoil(self, values):
        raise ZeroDivisionError("a policy's own mistake")


class CrashesFirst(Tamp):
    """A real policy whose first attempt crashes; what it had begun is gone at the next reset."""

    attempts = 0

    def reset(self, subgoal, observation, seed):
        type(self).attempts += 1
        super().reset(subgoal, observation, seed)

    def act(self, observation, committed=None) -> Step:
        if type(self).attempts == 1:
            raise ZeroDivisionError("a policy's own mistake")
        return super().act(observation, committed)


class NotANumber(Rogue):
    def spoil(self, values):
        values[2, 3] = np.nan
        return self.chunk(values)


class Empty(Rogue):
    def spoil(self, values):
        return self.chunk(values[:0])


class Huge(Rogue):
    def spoil(self, values):
        values[3:, 0] += 1.0
        return self.chunk(values)


class Idle(Rogue):
    def spoil(self, values):
        return Continue()


class Nonsense(Rogue):
    def spoil(self, values):
        return "left a bit"


class Interrupting(Rogue):
    """Somebody presses Ctrl-C while the arm moves at speed."""

    def spoil(self, values):
        if self.calls > 1:
            raise KeyboardInterrupt
        steps = 25
        row = values[0]
        ramp = np.linspace(0.0, 1.0, steps + 1)[1:]
        moving = np.tile(row, (steps, 1))
        speed = 0.8
        # velocity rises as the square of the sine: smooth from rest to full speed at the end of the chunk
        velocity = speed * np.sin(0.5 * np.pi * ramp) ** 2
        moving[:, 0] += np.cumsum(velocity) * self.period
        moving[:, self.n] = velocity
        return self.chunk(moving)


class Looker(Rogue):
    """Notes what pictures it is given, at reset and at each look."""

    def reset(self, subgoal, observation, seed):
        super().reset(subgoal, observation, seed)
        self.seen = [dict(observation.images)]

    def act(self, observation, committed=None) -> Step:
        self.seen.append(dict(observation.images))
        return super().act(observation)
