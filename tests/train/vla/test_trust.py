# SPDX-License-Identifier: Apache-2.0
"""The confidence means something."""

import numpy as np
import pytest

from robo_orch.train.vla.trust import PRIOR, fitted


def drawn(slope, offset, n=4000):
    rng = np.random.default_rng(0)
    z = rng.normal(0.0, 1.5, n)
    success = rng.random(n) < 1.0 / (1.0 + np.exp(-(slope * z + offset)))
    return 1.0 / (1.0 + np.exp(-z)), success


def test_scale_and_offset_are_found():
    weights = fitted(*drawn(2.0, -0.7))
    assert weights[0] == pytest.approx(2.0 * PRIOR[0], rel=0.15)
    assert weights[3] == pytest.approx(-0.7, abs=0.15)


def test_what_tells_nothing_is_not_believed():
    weights = fitted(*drawn(-1.0, 0.0))
    assert weights[:3] == (0.0, 0.0, 0.0)


def test_few_errands_never_make_it_certain():
    weights = fitted([0.6, 0.7, 0.8], [True, True, True])
    assert 1.0 / (1.0 + np.exp(-weights[3])) < 0.95


def test_without_errands_the_prior_stands():
    assert fitted([], []) == PRIOR
