# SPDX-License-Identifier: Apache-2.0
"""How long a policy takes to answer, split into before, during and after the model.

::

    session.warm_up()                       # not timed: the first runs say nothing about the later ones
    with timing.pre:
        inputs = prepare(observation)
    with timing.infer:
        outputs = session.run(inputs)
    with timing.post:
        chunk = to_actions(outputs)
    timing.summary()["infer"]["p99_ms"]
"""

from __future__ import annotations

import time
from types import TracebackType

import numpy as np

#: Calls that percentiles are taken over (chosen: p99 has ten above it; a minute and a half at 10 Hz).
WINDOW = 1000
PERCENTILES = (50, 95, 99)


class Span:
    """Durations of one part in a ring of the last ones, s. A part that raises does not count; one thread at a time."""

    __slots__ = ("_begun", "_times", "count")

    def __init__(self, window: int = WINDOW) -> None:
        if window < 1:
            raise ValueError(f"a window of at least 1 call, got {window}")
        self._times = np.zeros(window)
        self._begun = 0.0
        self.count = 0

    def __enter__(self) -> Span:
        self._begun = time.perf_counter()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if kind is None:
            self.add(time.perf_counter() - self._begun)

    def add(self, seconds: float) -> None:
        """Take in a duration that was measured elsewhere."""
        self._times[self.count % len(self._times)] = seconds
        self.count += 1

    @property
    def seconds(self) -> np.ndarray:
        """The durations in the window, (n,), the newest not necessarily last."""
        return self._times[: min(self.count, len(self._times))].copy()

    def clear(self) -> None:
        """Forget all."""
        self.count = 0


class Timing:
    """The three parts of an answer over the last calls; what stands in reports and cards as latency.

    Attributes:
        pre: from the observation to the model's inputs.
        infer: the model.
        post: from its outputs to actions.
    """

    def __init__(self, window: int = WINDOW) -> None:
        self.pre, self.infer, self.post = Span(window), Span(window), Span(window)

    def summary(self) -> dict[str, dict[str, float]]:
        """Percentiles in ms and their ``n`` by part; ``total`` where every call went through all parts."""
        parts = {"pre": self.pre, "infer": self.infer, "post": self.post}
        found = {name: percentiles(span.seconds) for name, span in parts.items() if span.count}
        if len(found) == len(parts) and len({span.count for span in parts.values()}) == 1:
            found["total"] = percentiles(np.sum([span.seconds for span in parts.values()], axis=0))
        return found

    def clear(self) -> None:
        """Forget all, for example what warming up took."""
        for span in (self.pre, self.infer, self.post):
            span.clear()


def percentiles(seconds: np.ndarray) -> dict[str, float]:
    """p50, p95 and p99 in ms of durations in s, and their number.

    Raises:
        ValueError: there are none.
    """
    if not len(seconds):
        raise ValueError("percentiles of at least one duration, got none")
    values = np.percentile(seconds, PERCENTILES) * 1e3
    return {f"p{p}_ms": round(float(v), 4) for p, v in zip(PERCENTILES, values, strict=True)} | {"n": len(seconds)}
