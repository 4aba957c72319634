# SPDX-License-Identifier: Apache-2.0
"""The reward of all skills that move a part on a joint: nearer, further along, gently, soon."""

from __future__ import annotations

import math

import numpy as np

from robo_orch.objects import ObjectSpec
from robo_orch.robots.features import mark
from robo_orch.sim.gym import Moment
from robo_orch.train.recipe import Reward
from robo_orch.types import Array, Pose

#: How far (m) from the handle the reward for being near has fallen to a third (chosen: a hand's width).
NEAR = 0.1
#: Share of the bound on a contact's force that costs nothing (chosen).
GENTLE = 0.5


class Shaped:
    """Rewards moving a part to a share of its range.

    The way gone and the nearness of tool and handle are potentials, so that there and back earns nothing; what is
    pressed hard costs, what is unsafe ends the episode and costs more. Only training may know the truth it is from.

    Args:
        weights: of the terms.
        part: a part on a joint.
        aim: the share [0, 1] of its range to move it to.
    """

    def __init__(self, weights: Reward, part: ObjectSpec, aim: float) -> None:
        self._weights, self._part, self._aim = weights, part, aim
        self._before = math.nan

    def begin(self) -> None:
        """Forget the episode before."""
        self._before = math.nan

    def __call__(self, moment: Moment) -> float:
        """The reward of one action."""
        w, now = self._weights, self._potential(moment.world.referee.poses(), moment.after.state.tool.position)
        gained = 0.0 if math.isnan(self._before) else now - self._before
        self._before = now
        pressed = min(max(0.0, moment.strain - GENTLE), 1.0)
        ended = w.done * moment.success - w.unsafe * (not moment.verdict.safe)
        return gained + ended - w.strain * pressed - w.time

    def _potential(self, poses: dict[str, Pose], tool: Array) -> float:
        part, joint = self._part, self._part.joint
        if joint is None:
            return 0.0
        share = joint.value(poses[joint.parent], poses[part.name]) / joint.limits[1]
        distance = float(np.linalg.norm(poses[part.name].apply(mark(part)) - tool))
        return self._weights.near * math.exp(-distance / NEAR) - self._weights.progress * abs(self._aim - share)
