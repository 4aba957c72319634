# SPDX-License-Identifier: Apache-2.0
"""What a policy is given when it is made."""

from __future__ import annotations

from dataclasses import dataclass

from robo_orch.objects import Inventory
from robo_orch.policies.card import PolicyCard
from robo_orch.robots.spec import RobotSpec


@dataclass(frozen=True, slots=True, eq=False)
class PolicyContext:
    """The body that a policy moves, what may be in the scene, its card, how fast.

    ``speed`` in (0, 1] scales the robot's velocity limits.
    """

    robot: RobotSpec
    inventory: Inventory
    card: PolicyCard
    speed: float = 1.0
