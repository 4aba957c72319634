# SPDX-License-Identifier: Apache-2.0
"""Which policy does the step at hand, or none.

The first card, in the configured order, that offers the skill and whose preconditions hold on what is
perceived now.
"""

from __future__ import annotations

from dataclasses import dataclass

from robo_orch.policies.card import PolicyCard
from robo_orch.policies.registry import Registry
from robo_orch.predicates import Facts, evaluate
from robo_orch.types import Precision, Subgoal

#: A precondition counts as met if it is at least so probable on what is perceived: a coarse pose beside an object would
#: else forbid what a policy, which looks again from near, may well do (chosen).
LIKELY = 0.5

_ORDER = (Precision.FIDUCIAL, Precision.MODEL, Precision.COARSE, Precision.NONE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A card that was considered: ``why`` says why it cannot do the step, empty where it can."""

    card: str
    why: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen (``card`` is ``None`` where nobody can), among whom, and why."""

    card: PolicyCard | None
    candidates: tuple[Candidate, ...]
    because: str


def choose(subgoal: Subgoal, facts: Facts, cards: Registry) -> Choice:
    """The first card that can do a subgoal from here, with the reasons why others cannot."""
    able = {card.id: card for card in cards if subgoal.skill in card.skills}
    candidates = tuple(Candidate(name, _obstacle(card, subgoal, facts)) for name, card in able.items())
    for candidate in candidates:
        if not candidate.why:
            return Choice(able[candidate.card], candidates, "the first card whose preconditions hold")
    reasons = "; ".join(f"{c.card}: {c.why}" for c in candidates)
    return Choice(None, candidates, reasons or f"no card offers {subgoal.skill}")


def _obstacle(card: PolicyCard, subgoal: Subgoal, facts: Facts) -> str:
    for name in subgoal.args.values():
        if name not in facts.objects:
            return f"{name} has not been perceived"
        got = facts.objects[name].precision
        if _ORDER.index(got) > _ORDER.index(card.poses.precision):
            return f"it needs {name}'s pose at {card.poses.precision} precision, there is {got}"
    for fact in card.requires(subgoal):
        truth = evaluate(fact, facts)
        if truth.probability < LIKELY:
            return f"{fact} {'does not hold' if truth.fails else 'is not likely'} ({truth.because})"
    return ""
