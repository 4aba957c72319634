# SPDX-License-Identifier: Apache-2.0
"""What a bridge does for a card before its policy starts, and how that ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from robo_orch.bridge.names import NONE
from robo_orch.policies.card import PolicyCard
from robo_orch.types import Code, Outcome, Stage, Subgoal


@dataclass(frozen=True, slots=True)
class Handoff:
    """One hand-over: by which method the arm was brought to a card's start, and how that ended.

    ``method`` is :data:`NONE` where nothing was done; the outcome's message then says why, if there is a reason.
    """

    method: str
    outcome: Outcome

    @property
    def ok(self) -> bool:
        """Whether the policy may start."""
        return self.outcome.ok

    @property
    def told(self) -> bool:
        """Whether there is anything to tell of it."""
        return self.method != NONE or bool(self.outcome.message)


#: The arm is where it should be already.
NOT_NEEDED = Handoff(NONE, Outcome(Code.OK, Stage.BRIDGE))


class Bridge(Protocol):
    """Brings the arm to where a card's policy is at home."""

    def bring(self, card: PolicyCard, subgoal: Subgoal, seed: int, time_limit: float) -> Handoff:
        """Bring it there for a subgoal.

        Args:
            seed: everything random follows from it.
            time_limit: s on the robot's clock.
        """
        ...


class NoBridge:
    """Leaves the arm where it is."""

    def bring(self, card: PolicyCard, subgoal: Subgoal, seed: int, time_limit: float) -> Handoff:
        """Nothing."""
        return NOT_NEEDED
