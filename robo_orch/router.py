# SPDX-License-Identifier: Apache-2.0
"""Which policy does the step at hand, or none.

The first card, in the configured order, that offers the skill and whose pose precision and preconditions hold on what
is perceived now. A card that has had its turns at the step lets the others go first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from robo_orch.policies.card import PolicyCard
from robo_orch.policies.registry import Registry
from robo_orch.predicates import Facts, evaluate
from robo_orch.types import Precision, Predicate, Subgoal

#: A precondition counts as met if it is at least so probable on what is perceived: a coarse pose beside an object would
#: else forbid what a policy, which looks again from near, may well do (chosen).
LIKELY = 0.5
FIRST = "the first in the configured order whose contract, pose precision and preconditions hold"

_ORDER = (Precision.FIDUCIAL, Precision.MODEL, Precision.COARSE, Precision.NONE)
_NOBODY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A card that was considered: ``why`` says what speaks against it, empty where nothing does."""

    card: str
    why: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen (``card`` is ``None`` where nobody can), among whom, and why."""

    card: PolicyCard | None
    candidates: tuple[Candidate, ...]
    because: str


def choose(
    subgoal: Subgoal,
    facts: Facts,
    cards: Registry,
    tired: Mapping[str, str] = _NOBODY,
    unfit: Callable[[PolicyCard], str] = lambda card: "",
) -> Choice:
    """The first card that can do a subgoal from here, with the reasons why others cannot.

    Args:
        tired: cards that are taken only if no other can, and why.
        unfit: why a card cannot be used here at all; asked of those only that would be taken else.
    """
    able = [card for card in cards if subgoal.skill in card.skills]
    against = {card.id: _obstacle(card, subgoal, facts) for card in able}
    willing = sorted((c for c in able if not against[c.id]), key=lambda card: card.id in tired)
    chosen = None
    for card in willing:
        against[card.id] = unfit(card)
        if not against[card.id]:
            chosen = card
            break
    whys = {name: why or ("" if chosen and chosen.id == name else tired.get(name, "")) for name, why in against.items()}
    candidates = tuple(Candidate(name, why) for name, why in whys.items())
    if chosen is None:
        reasons = "; ".join(f"{c.card}: {c.why}" for c in candidates)
        return Choice(None, candidates, reasons or f"no card offers {subgoal.skill}")
    if chosen.id in tired:
        return Choice(chosen, candidates, f"no other card fits, though {tired[chosen.id]}")
    return Choice(chosen, candidates, "; ".join([FIRST, *(f"{c.id}: {tired[c.id]}" for c in able if c.id in tired)]))


def _obstacle(card: PolicyCard, subgoal: Subgoal, facts: Facts) -> str:
    needs = card.poses.precision
    for name in subgoal.args.values() if needs is not Precision.NONE else ():
        if name not in facts.objects:
            return f"{name} has not been perceived"
        got = facts.objects[name].precision
        if _ORDER.index(got) > _ORDER.index(needs):
            return f"it needs {name}'s pose at {needs} precision, there is {got}"
    for role, kinds in card.takes.get(subgoal.skill, {}).items():
        name = subgoal.args[role]
        kind = facts.inventory[name].kind if name in facts.inventory else "unknown kind"
        if kind not in kinds:
            return f"as its {role} it takes {', '.join(kinds)}; {name} is a {kind.replace('_', ' ')}"
    for fact in card.requires(subgoal):
        truth = evaluate(fact, _as_it_concerns(fact, subgoal, facts))
        if truth.probability < LIKELY:
            return f"{fact} {'does not hold' if truth.fails else 'is not likely'} ({truth.because})"
    return ""


def _as_it_concerns(fact: Predicate, subgoal: Subgoal, facts: Facts) -> Facts:
    """The facts without the step's own object where something else has to be clear.

    What the step puts there may lie there already, set down a little off: that does not keep it from being done again.
    """
    own = subgoal.args.get("object", "")
    if fact.name != "clear" or own in fact.args:
        return facts
    return replace(facts, objects={name: seen for name, seen in facts.objects.items() if name != own})
