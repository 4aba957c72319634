# SPDX-License-Identifier: Apache-2.0
"""A plan: subgoals in order, each pending, done or failed, with the attempts made on it.

Plans are values: every transition returns a new plan and refuses what cannot happen, so that a run's
history can be told from its events.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from robo_orch.types import Code, Subgoal


class StepState(StrEnum):
    """Where a step of a plan stands."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A subgoal in a plan: ``attempts`` made so far and the last ``verdict``."""

    subgoal: Subgoal
    state: StepState = StepState.PENDING
    attempts: int = 0
    verdict: Code | None = None
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """Subgoals in the order in which they are done."""

    steps: tuple[PlanStep, ...] = ()

    @classmethod
    def of(cls, *subgoals: Subgoal) -> Plan:
        """A fresh plan."""
        return cls(tuple(PlanStep(s) for s in subgoals))

    @property
    def index(self) -> int | None:
        """Index of the first step that is not done, unless a step has failed for good."""
        for i, step in enumerate(self.steps):
            if step.state is StepState.FAILED:
                return None
            if step.state is StepState.PENDING:
                return i
        return None

    @property
    def current(self) -> PlanStep | None:
        """The step to work on, ``None`` when everything is done or a step has failed for good."""
        return None if self.index is None else self.steps[self.index]

    def pending(self) -> tuple[int, PlanStep]:
        """The current step and its index.

        Raises:
            ValueError: there is none.
        """
        if self.index is None:
            raise ValueError("the plan has no current step")
        return self.index, self.steps[self.index]

    @property
    def complete(self) -> bool:
        """Whether every step is done."""
        return all(step.state is StepState.DONE for step in self.steps)

    @property
    def progress(self) -> float:
        """Share of the steps that are done; 1 for an empty plan."""
        if not self.steps:
            return 1.0
        return sum(step.state is StepState.DONE for step in self.steps) / len(self.steps)

    def attempted(self, verdict: Code) -> Plan:
        """After an attempt at the current step: done if the verdict is OK, else still pending."""
        state = StepState.DONE if verdict is Code.OK else StepState.PENDING
        return self._with(lambda s: replace(s, state=state, attempts=s.attempts + 1, verdict=verdict))

    def skip(self) -> Plan:
        """The current step turned out to hold already."""
        return self._with(lambda s: replace(s, state=StepState.DONE, verdict=Code.OK, skipped=True))

    def fail(self) -> Plan:
        """Give the current step up."""
        return self._with(lambda s: replace(s, state=StepState.FAILED))

    def reopen(self, index: int) -> Plan:
        """A step that was done no longer holds: it is pending again."""
        if self.steps[index].state is not StepState.DONE:
            raise ValueError(f"only a step that is done can be reopened, step {index} is {self.steps[index].state}")
        steps = list(self.steps)
        steps[index] = replace(steps[index], state=StepState.PENDING)
        return Plan(tuple(steps))

    def continued(self, rest: Plan) -> Plan:
        """What has been done so far, followed by a new plan for the rest."""
        return Plan((*(s for s in self.steps if s.state is StepState.DONE), *rest.steps))

    def _with(self, change: Callable[[PlanStep], PlanStep]) -> Plan:
        i, step = self.pending()
        return Plan((*self.steps[:i], change(step), *self.steps[i + 1 :]))
