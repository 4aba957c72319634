# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.kernels import timing
from robo_orch.kernels.timing import Span, Timing, percentiles


def add(span, *seconds):
    for value in seconds:
        span.add(value)


def test_the_window_forgets_the_oldest():
    span = Span(window=3)
    add(span, 9.0, 1.0, 2.0, 3.0)
    assert sorted(span.seconds) == [1.0, 2.0, 3.0]
    assert span.count == 4


def test_a_span_measures_what_happens_inside_it(monkeypatch):
    clock = iter([10.0, 10.25])
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))
    span = Span()
    with span:
        pass
    assert span.seconds.tolist() == [0.25]


def test_a_part_that_raises_does_not_count():
    span = Span()
    with pytest.raises(KeyError), span:
        raise KeyError
    assert span.count == 0


def test_the_summary_splits_each_call_and_adds_its_parts_up():
    parts = Timing(window=4)
    add(parts.pre, 0.001, 0.001, 0.001)
    add(parts.infer, 0.002, 0.004, 0.002)
    add(parts.post, 0.003, 0.001, 0.003)
    summary = parts.summary()
    assert summary["infer"] == percentiles(parts.infer.seconds)
    assert summary["total"] == {"p50_ms": 6.0, "p95_ms": 6.0, "p99_ms": 6.0, "n": 3}


def test_parts_stay_aligned_when_the_window_has_wrapped():
    parts = Timing(window=2)
    for n in range(5):
        add(parts.pre, n)
        add(parts.infer, 10 - n)
        add(parts.post, 0.0)
    assert parts.summary()["total"]["p50_ms"] == 10_000.0


def test_without_all_parts_there_is_no_total():
    parts = Timing()
    add(parts.infer, 0.002)
    assert parts.summary().keys() == {"infer"}


def test_warm_up_can_be_forgotten():
    parts = Timing()
    add(parts.infer, 5.0)
    parts.clear()
    add(parts.infer, 0.002)
    assert parts.summary()["infer"]["p99_ms"] == 2.0


def test_no_calls_give_no_percentiles():
    assert Timing().summary() == {}
    with pytest.raises(ValueError, match="none"):
        percentiles(Span().seconds)
    with pytest.raises(ValueError, match="window"):
        Span(window=0)
