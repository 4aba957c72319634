# SPDX-License-Identifier: Apache-2.0
"""How sure the policy may be of itself: what it sees clearly at first, fitted to how its errands went."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robo_orch.types import Array

#: What clear maps count before anything is fitted: object in either camera, goal, constant (chosen).
PRIOR = (1.0, 1.0, 0.5, 0.0)
#: Newton steps, and how much a steep or flat curve costs, so that few errands do not make it certain (chosen).
STEPS, RIDGE = 50, 0.05


def fitted(confidences: Sequence[float], successes: Sequence[bool]) -> tuple[float, float, float, float]:
    """Weights of the evidence with which the confidence is a probability.

    The logit becomes ``a`` times what it was, plus ``b``: see :func:`platt`.

    Args:
        confidences: of the policy with :data:`PRIOR`, in (0, 1); ``successes``: of the same errands.
    """
    if not len(confidences):
        return PRIOR
    p = np.clip(np.asarray(confidences, dtype=float), 1e-6, 1 - 1e-6)
    a, b = platt(np.log(p / (1 - p)), np.asarray(successes, dtype=float))
    first, second, third, _ = PRIOR
    return a * first, a * second, a * third, b


def platt(logits: Array, labels: Array) -> tuple[float, float]:
    """The factor ``a``, not negative, and offset ``b`` with which logits ``(n,)`` fit labels of 0 and 1.

    Platt's scaling (Platt, "Probabilistic outputs for support vector machines", 1999), with his prior counts instead of
    certain labels.
    """
    good, bad = labels.sum(), len(labels) - labels.sum()
    aim = np.where(labels > 0.5, (good + 1) / (good + 2), 1 / (bad + 2))
    a, b = _newton(logits, aim)
    return (a, b) if a >= 0.0 else (0.0, float(np.log(aim.mean() / (1 - aim.mean()))))


def _newton(z: Array, aim: Array) -> tuple[float, float]:
    """The logistic curve's slope and offset; the slope is drawn to 1."""
    x, w = np.stack([z, np.ones_like(z)], axis=1), np.zeros(2)
    for _ in range(STEPS):
        p = 1.0 / (1.0 + np.exp(-x @ w))
        slope = x.T @ (p - aim) + RIDGE * (w - (1.0, 0.0))
        curve = (x * (p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(2)
        w = w - np.linalg.solve(curve, slope)
    return float(w[0]), float(w[1])
