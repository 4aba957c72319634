# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.bench import intervals as iv


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_newcombes_published_values(k, n, low, high):  # Newcombe 1998, table I, method 3
    assert iv.wilson(k, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_proportion_and_mirrors(case):
    k, n = case
    low, high = iv.wilson(k, n)
    assert 0.0 <= low < high <= 1.0
    assert iv.wilson(n - k, n) == pytest.approx((1 - high, 1 - low))
    if n:
        assert low - 1e-12 <= k / n <= high + 1e-12


def test_wilson_refuses_more_than_all():
    with pytest.raises(ValueError, match="k <= n"):
        iv.wilson(3, 2)


def test_a_proportion_comes_with_its_n_and_interval():
    found = iv.proportion("success", [True] * 93 + [False] * 7)
    assert found == {"success": 0.93, "success_ci95": (0.8625, 0.9657), "n": 100}
    assert iv.proportion("success", []) == {"success": None, "success_ci95": (0.0, 1.0), "n": 0}


def test_a_bootstrap_covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(60):
        low, high = iv.bootstrap_mean(rng.exponential(size=40))
        covered += low <= 1.0 <= high
    assert 50 <= covered <= 60


def test_bootstraps_of_little_are_what_they_can_be():
    assert iv.bootstrap_mean([2.0]) == (2.0, 2.0)
    low, high = iv.bootstrap_mean([1.0, 2.0])
    assert 1.0 <= low < high <= 2.0
    with pytest.raises(ValueError, match="no values"):
        iv.bootstrap_mean([])
    assert iv.mean("ms", []) == {"ms": None, "ms_ci95": None}


def test_mcnemar_is_the_exact_binomial_test():
    assert iv.mcnemar(0, 0) == 1.0
    assert iv.mcnemar(5, 0) == pytest.approx(0.0625)
    assert iv.mcnemar(10, 2) == pytest.approx(0.03857, abs=1e-5)
    assert iv.mcnemar(2, 10) == iv.mcnemar(10, 2)


def test_holm_gives_his_steps():
    assert iv.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert iv.holm([0.9, 0.8]) == [1.0, 1.0]
    assert iv.holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_never_lowers_and_keeps_the_order(ps):
    corrected = iv.holm(ps)
    assert all(q >= p for p, q in zip(ps, corrected, strict=True))
    assert sorted(range(len(ps)), key=lambda i: (ps[i], i)) == sorted(
        range(len(ps)), key=lambda i: (corrected[i], ps[i], i)
    )


def test_arms_are_compared_episode_by_episode():
    a, b, c = [True] * 18 + [False] * 2, [True] * 10 + [False] * 10, [True] * 18 + [False] * 2
    first, second = iv.compare({"a": a, "b": b, "c": c}, [("a", "b"), ("a", "c")])
    assert (first.n, first.difference, first.p) == (20, 0.4, iv.mcnemar(8, 0))
    assert first.p_holm == 2 * first.p
    assert first.difference_ci95[0] > 0.0
    assert (second.difference, second.p, second.p_holm) == (0.0, 1.0, 1.0)
    assert second.difference_ci95[0] < 0.0 < second.difference_ci95[1]


def test_the_difference_of_two_runs_has_newcombes_interval():  # Newcombe 1998, table II, case (a), method 10
    assert iv.unpaired_difference(56, 70, 48, 80) == pytest.approx((0.0524, 0.3339), abs=5e-5)
