# SPDX-License-Identifier: Apache-2.0
"""How sure a figure is: intervals and tests, each stated once. No proportion goes without its n and its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Confidence of every interval.
LEVEL = 0.95
#: The normal quantile that belongs to :data:`LEVEL`.
Z = 1.959963984540054
#: Resamples of a bootstrap (chosen: the ends then move by less than a hundredth of the width).
RESAMPLES = 9999

Interval = tuple[float, float]


def wilson(k: int, n: int) -> Interval:
    """Wilson's score interval for ``k`` of ``n`` (Wilson 1927); (0, 1) where nothing was tried.

    Raises:
        ValueError: not 0 <= k <= n.
    """
    if not 0 <= k <= n:
        raise ValueError(f"0 <= k <= n was expected, got k={k}, n={n}")
    if n == 0:
        return 0.0, 1.0
    from scipy.stats import binomtest

    found = binomtest(k, n).proportion_ci(LEVEL, method="wilson")
    return float(found.low), float(found.high)


def proportion(name: str, outcomes: Sequence[bool]) -> dict[str, Any]:
    """``{name, name_ci95, n}`` of yes-or-no outcomes; null where there are none."""
    n, k = len(outcomes), sum(map(bool, outcomes))
    return {name: k / n if n else None, f"{name}_ci95": rounded(wilson(k, n)), "n": n}


def bootstrap_mean(values: Sequence[float], seed: int = 0) -> Interval:
    """BCa bootstrap interval (Efron 1987) of a mean; one value, or equal ones, give an interval without width.

    Raises:
        ValueError: no values.
    """
    if not len(values):
        raise ValueError("the mean of no values was asked for")
    data = np.asarray(values, dtype=float)
    if np.ptp(data) == 0.0:
        return float(data[0]), float(data[0])
    from scipy.stats import bootstrap

    method = "BCa" if len(data) > 2 else "percentile"
    rng = np.random.default_rng(seed)
    found = bootstrap((data,), np.mean, n_resamples=RESAMPLES, confidence_level=LEVEL, method=method, rng=rng)
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def mean(name: str, values: Sequence[float]) -> dict[str, Any]:
    """``{name, name_ci95}`` of a mean; null where there are no values."""
    if not len(values):
        return {name: None, f"{name}_ci95": None}
    return {name: float(np.mean(values)), f"{name}_ci95": rounded(bootstrap_mean(values))}


@dataclass(frozen=True, slots=True)
class Paired:
    """Two arms on the same episodes: difference of their proportions ``a - b``, its interval, McNemar's p.

    ``p_holm`` is p after Holm's correction for all pairs that were compared together.
    """

    a: str
    b: str
    n: int
    difference: float
    difference_ci95: Interval
    p: float
    p_holm: float = math.nan


def mcnemar(only_a: int, only_b: int) -> float:
    """Exact two-sided p that two arms differ, from the episodes in which just one of them succeeded."""
    n = only_a + only_b
    if n == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(only_a, n, 0.5).pvalue)


def paired_difference(only_a: int, only_b: int, n: int) -> Interval:
    """Interval for the difference of paired proportions: Wald with half a count in each cell (Agresti and Min 2005)."""
    a, b, m = only_a + 0.5, only_b + 0.5, n + 2.0
    centre = (a - b) / m
    half = Z * math.sqrt((a + b) - (a - b) ** 2 / m) / m
    return max(-1.0, centre - half), min(1.0, centre + half)


def holm(ps: Sequence[float]) -> list[float]:
    """The p values after Holm's step-down correction (1979), in the order given."""
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    corrected, least = [0.0] * len(ps), 0.0
    for rank, i in enumerate(order):
        least = max(least, min(1.0, (len(ps) - rank) * ps[i]))
        corrected[i] = least
    return corrected


def compare(outcomes: Mapping[str, Sequence[bool]], pairs: Sequence[tuple[str, str]]) -> list[Paired]:
    """Pairs of arms compared on the same episodes.

    Args:
        outcomes: by arm, each ``(n,)`` in the same order of episodes.
        pairs: which arms to compare; all are corrected together.
    """
    found = []
    for a, b in pairs:
        both = list(zip(outcomes[a], outcomes[b], strict=True))
        only_a, only_b = sum(x and not y for x, y in both), sum(y and not x for x, y in both)
        difference = (only_a - only_b) / len(both) if both else 0.0
        interval = paired_difference(only_a, only_b, len(both))
        found.append((a, b, len(both), difference, rounded(interval), mcnemar(only_a, only_b)))
    corrected = holm([row[-1] for row in found])
    return [Paired(*row, p_holm=p) for row, p in zip(found, corrected, strict=True)]


def unpaired_difference(k1: int, n1: int, k2: int, n2: int) -> Interval:
    """Newcombe's score interval (1998, method 10) for ``k1 / n1 - k2 / n2`` of independent runs."""
    p1, p2 = k1 / n1, k2 / n2
    (l1, u1), (l2, u2) = wilson(k1, n1), wilson(k2, n2)
    d = p1 - p2
    return d - math.hypot(p1 - l1, u2 - p2), d + math.hypot(u1 - p1, p2 - l2)


def rounded(interval: Interval) -> Interval:
    """An interval with four decimals, as results show it."""
    return round(interval[0], 4), round(interval[1], 4)
