# SPDX-License-Identifier: Apache-2.0
"""From a goal in words to a plan: grounding in the scene, then subgoals in an order that works."""

from __future__ import annotations

from typing import Protocol

from robo_orch.objects import Inventory
from robo_orch.plan import Plan
from robo_orch.predicates import Facts
from robo_orch.types import Goal


class Planner(Protocol):
    """Whatever decides on the subgoals."""

    def plan(self, goal: Goal, inventory: Inventory, facts: Facts) -> Plan:
        """Subgoals that bring about every fact of ``goal`` from what ``facts`` say of the world.

        Raises:
            GoalError: the goal cannot be reached, or needs a skill that no card offers.
        """
        ...
