# SPDX-License-Identifier: Apache-2.0
"""What to do after an attempt: go on, try again, plan anew, or give up; and what has come undone.

Retries are bounded and never identical: each attempt has a new seed and fresh poses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from robo_orch.plan import Plan, PlanStep
from robo_orch.predicates import Facts, evaluate
from robo_orch.types import Code, Predicate, Stage, Subgoal, Trial
from robo_orch.verification import Verdict

#: Attempts at one step before it is given up (chosen).
MAX_ATTEMPTS = 3
#: How often one run may be planned anew (chosen).
MAX_REPLANS = 4
#: Failures of a card at a subgoal after which other cards that fit go first (chosen: once may be chance).
TURNS = 2


class Action(StrEnum):
    """What recovery decides."""

    PROCEED = "proceed"
    RETRY = "retry"
    REPLAN = "replan"
    REOPEN = "reopen"
    GIVE_UP = "give_up"


@dataclass(frozen=True, slots=True)
class Decision:
    """An action and the reason for it, in words."""

    action: Action
    because: str


def after_attempt(step: PlanStep, verdict: Verdict) -> Decision:
    """Decide after an attempt at a step, which is counted in the step already."""
    if verdict.code is Code.OK:
        return Decision(Action.PROCEED, verdict.because)
    if step.attempts < MAX_ATTEMPTS:
        return Decision(Action.RETRY, f"attempt {step.attempts} of {MAX_ATTEMPTS}: {verdict.because}")
    return Decision(Action.GIVE_UP, f"{step.attempts} attempts, the last one: {verdict.because}")


def tired(trials: Iterable[Trial], subgoal: Subgoal) -> dict[str, str]:
    """The cards that let others go first at a subgoal, by id, and why: they have had their :data:`TURNS` at it.

    A card to whose start the arm could not be brought has had them all: what is in the way of it will be again.
    """
    failed, unreached = Counter[str](), set[str]()
    for trial in trials:
        if trial.subgoal == subgoal and trial.verdict is not Code.OK:
            failed[trial.card] += 1
            if trial.outcome.stage is Stage.BRIDGE:
                unreached.add(trial.card)
    why = {card: f"it failed at this {n} times" for card, n in failed.items() if n >= TURNS}
    return why | dict.fromkeys(sorted(unreached), "the arm could not be brought to its start")


def when_blocked(reason: str, replans: int) -> Decision:
    """Decide when no card's preconditions hold: the world is not what the plan was made for."""
    if replans < MAX_REPLANS:
        return Decision(Action.REPLAN, reason)
    return Decision(Action.GIVE_UP, f"planned anew {replans} times already: {reason}")


def undone(plan: Plan, facts: Facts, stands: Callable[[Predicate], bool] = lambda fact: False) -> int | None:
    """Index of a step that was done and whose fact has come undone, though no later step moved its object.

    Args:
        stands: whether better evidence than ``facts`` still shows what those deny.
    """
    current = len(plan.steps) if plan.index is None else plan.index
    for i, step in enumerate(plan.steps[:current]):
        later = plan.steps[i + 1 : current + 1]
        moved_since = any(_object(s) == _object(step) for s in later)
        fact = step.subgoal.predicate
        if not moved_since and evaluate(fact, facts).fails and not stands(fact):
            return i
    return None


def _object(step: PlanStep) -> str:
    return step.subgoal.args["object"]
