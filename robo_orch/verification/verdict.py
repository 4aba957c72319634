# SPDX-License-Identifier: Apache-2.0
"""Verification: did the subgoal's postcondition come true, on what is perceived, and does it stay true?

A policy's ``Done`` is a claim. The verdict comes from geometric predicates on pose estimates with their
sigma, watched over the skill's hold time with the arm at rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from robo_orch.latch import Latch
from robo_orch.objects import Inventory
from robo_orch.predicates import Facts, Truth, evaluate
from robo_orch.types import Code, Observation, Predicate

#: Who says so: geometric predicates in this version.
VERIFIER = "predicates-v1"


@dataclass(frozen=True, slots=True)
class Verdict:
    """OK, NOT_YET or UNKNOWN, with the probability of the postcondition, the reason in words, and who said so."""

    code: Code
    probability: float
    because: str
    verifier: str = VERIFIER


def verify(
    predicate: Predicate, inventory: Inventory, observations: Iterable[Observation], latch: Latch | None = None
) -> Verdict:
    """Judge a postcondition on observations made while the arm holds still; ``latch`` saw the work before.

    Each new set of estimates counts once. Margins are averaged over the hold time, their sigma is not reduced:
    estimators err the same way from frame to frame. One frame in which the fact is clearly false spoils it.
    """
    truths = list(_fresh_truths(predicate, inventory, observations, latch or Latch(inventory)))
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


def _fresh_truths(
    predicate: Predicate, inventory: Inventory, observations: Iterable[Observation], latch: Latch
) -> Iterable[Truth]:
    last: dict[str, float] = {}
    for seen in observations:
        stamps = {name: seen.objects[name].stamp for name in predicate.args if name in seen.objects}
        if stamps != last:
            last = stamps
            latch.see(seen.objects)
            yield evaluate(predicate, Facts.of(inventory, seen.objects, seen.state, latch.peaks))
    if not last:
        yield Truth(0.0, 1.0, f"{' and '.join(predicate.args)} were never perceived", known=False)
