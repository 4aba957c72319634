# SPDX-License-Identifier: Apache-2.0
"""The verdict: did the subgoal's postcondition come true, on what is perceived, and does it stay true?

A policy's ``Done`` is a claim. The verdict comes from geometric predicates on pose estimates with their
sigma, watched over the skill's hold time with the arm at rest; where an object has only a coarse pose, from pictures,
taken at both ends of that time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from robo_orch.latch import Latch
from robo_orch.objects import Inventory
from robo_orch.predicates import Facts, Truth, evaluate
from robo_orch.types import Code, Observation, Predicate

#: Who says so where poses are well enough known: geometric predicates in this version.
VERIFIER = "predicates-v1"
#: Ways of knowing, the evidence tiers 1 and 2, and 3.
PREDICATES, CLASSIFIER = "predicates", "classifier"


@dataclass(frozen=True, slots=True)
class Verdict:
    """OK, NOT_YET or UNKNOWN, with the probability of the postcondition, the reason in words, and who said so.

    Attributes:
        verifier: who, with its version; ``by``: :data:`PREDICATES` or :data:`CLASSIFIER`.
        completion: how much of the subgoal is done, [0, 1], where somebody estimates it.
    """

    code: Code
    probability: float
    because: str
    verifier: str = VERIFIER
    by: str = PREDICATES
    completion: float | None = None


class Sight(Protocol):
    """Whoever can tell from pictures: :class:`robo_orch.verification.classifier.Witness`."""

    @property
    def about(self) -> Any:
        """``id``, ``done_above`` and ``failed_below``, once it has looked."""
        ...

    def asked(self, fact: Predicate, inventory: Inventory) -> bool:
        """Whether a fact is one for pictures."""
        ...

    def look(self, fact: Predicate, inventory: Inventory) -> Any:
        """``probability`` and ``completion`` by the pictures of now, or why there are none, in words."""
        ...


def verify(
    predicate: Predicate,
    inventory: Inventory,
    observations: Iterable[Observation],
    latch: Latch | None = None,
    sight: Sight | None = None,
) -> Verdict:
    """Judge a postcondition on observations made while the arm holds still; ``latch`` saw the work before.

    Each new set of estimates counts once. Margins are averaged over the hold time, their sigma is not reduced:
    estimators err the same way from frame to frame. One frame in which the fact is clearly false spoils it.

    Args:
        sight: who judges facts about objects of which only a coarse pose is known; what the hand feels stands above it.
    """
    latch = latch or Latch(inventory)
    if sight is None or not sight.asked(predicate, inventory):
        return _by_poses(list(_fresh_truths(predicate, inventory, observations, latch)))
    first, last, held = None, None, False
    truths: list[Truth] = []
    for truth, seen in _watched(predicate, inventory, observations, latch):
        first = first or sight.look(predicate, inventory)
        last, truths = seen, [*truths, *([truth] if truth else [])]
        held = held or seen.state.holding == predicate.args[0]
    if held:
        return Verdict(Code.NOT_YET, 0.0, f"the gripper holds {predicate.args[0]}")
    looks = [first, sight.look(predicate, inventory)] if last is not None else []
    return _by_looks(looks, sight) or _blind(looks, truths)


def _by_poses(truths: list[Truth]) -> Verdict:
    known = [t for t in truths if t.known]
    if not known:
        because = truths[-1].because if truths else "nothing new was seen while the arm held still"
        return Verdict(Code.UNKNOWN, 0.5, because)
    margin, sigma = float(np.mean([t.margin for t in known])), max(t.sigma for t in known)
    over_time = Truth(margin, sigma, known[-1].because)
    worst = min(known, key=lambda t: t.probability)
    if worst.fails:
        return Verdict(Code.NOT_YET, worst.probability, worst.because)
    code = Code.OK if over_time.holds else Code.UNKNOWN
    return Verdict(code, over_time.probability, over_time.because)


def _by_looks(looks: list[Any], sight: Sight) -> Verdict | None:
    """The verdict of pictures, of which the least favourable counts; nothing if one of them could not be had."""
    if not looks or any(isinstance(look, str) for look in looks):
        return None
    worst, about = min(looks, key=lambda look: look.probability), sight.about
    code, said = Code.UNKNOWN, "pictures do not tell"
    if worst.probability >= about.done_above:
        code, said = Code.OK, "pictures show it done"
    elif worst.probability <= about.failed_below:
        code, said = Code.NOT_YET, "pictures do not show it done"
    because = f"{said}: {worst.probability:.2f}"
    return Verdict(code, worst.probability, because, about.id, CLASSIFIER, round(worst.completion, 3))


def _blind(looks: list[Any], truths: list[Truth]) -> Verdict:
    """By poses alone, with the reason why no pictures are asked where those do not tell."""
    verdict = _by_poses(truths)
    why = next((look for look in looks if isinstance(look, str)), "")
    if verdict.code is Code.UNKNOWN and why:
        return Verdict(verdict.code, verdict.probability, f"{verdict.because}; {why}")
    return verdict


def _fresh_truths(
    predicate: Predicate, inventory: Inventory, observations: Iterable[Observation], latch: Latch
) -> Iterable[Truth]:
    for truth, _ in _watched(predicate, inventory, observations, latch):
        if truth is not None:
            yield truth


def _watched(
    predicate: Predicate, inventory: Inventory, observations: Iterable[Observation], latch: Latch
) -> Iterable[tuple[Truth | None, Observation]]:
    """Each observation, with what its estimates say where they are new."""
    last: dict[str, float] = {}
    never, seen = True, None
    for seen in observations:
        stamps = {name: seen.objects[name].stamp for name in predicate.args if name in seen.objects}
        if stamps == last:
            yield None, seen
            continue
        last, never = stamps, False
        latch.see(seen.objects)
        yield evaluate(predicate, Facts.of(inventory, seen.objects, seen.state, latch.peaks)), seen
    if never and seen is not None:
        yield Truth(0.0, 1.0, f"{' and '.join(predicate.args)} were never perceived", known=False), seen
