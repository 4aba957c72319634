# SPDX-License-Identifier: Apache-2.0
"""The k nearest of many points, exactly: no approximate index, ties by the lower number.

::

    for each block of points:
        score    = |p|² - 2 q·p  or  -q̂·p̂                   # one matrix product, float32
        keep     = all within rounding of the k-th best score so far
    distance     = of those kept, in float64, by definition
    k best       = by (distance, number)

Rounding in the matrix product decides nothing: whatever it might have confused is measured again.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from robo_orch.errors import ModelError

#: Points in a block (chosen: 32 queries' scores then stay within 2 MB of cache).
BLOCK = 16384
#: Numbers of points from which a GPU is worth the way there (chosen: a million multiplications of 64 take the CPU
#: longer than a kernel takes to start and its answer to come back).
GPU_FROM = 200_000


class Metric(StrEnum):
    """What near means."""

    L2 = "l2"
    #: 1 - cosine of the angle, 0 to 2; 1 where a vector is zero.
    COSINE = "cosine"


class Found(NamedTuple):
    """The nearest points of m queries, the nearest first.

    Attributes:
        indices: (m, k) int64.
        distances: (m, k) float32, L2 or 1 - cosine.
    """

    indices: np.ndarray
    distances: np.ndarray


#: For queries (m, d) and k: by query, the numbers of points among which the k nearest are, ascending.
Candidates = Callable[[np.ndarray, int], list[np.ndarray]]


class Neighbours:
    """Points that are asked about more than once.

    Args:
        points: (n, d) float32, finite.
        metric: what near means.
        device: ``cpu``, ``cuda``, or ``None``: the GPU if there is one and the points are many.

    Raises:
        ModelError: points of another shape or dtype, or not finite; a GPU that is not there.
    """

    def __init__(self, points: np.ndarray, metric: Metric = Metric.L2, device: str | None = None) -> None:
        _check("points", points)
        self.metric = Metric(metric)
        self._points = _unit(points) if self.metric is Metric.COSINE else np.ascontiguousarray(points)
        self.device = device or pick(len(points))
        self._candidates = self._make(self.device)

    def nearest(self, queries: np.ndarray, k: int) -> Found:
        """The ``k`` points nearest to each query; all of them where there are fewer.

        Args:
            queries: (m, d) float32, finite.
            k: at least 1.

        Raises:
            ModelError: queries of another shape or dtype, or not finite; k below 1.
        """
        _check("queries", queries, self._points.shape[1])
        if k < 1:
            raise ModelError("k of at least 1", str(k), "ask for one neighbour or more")
        k = min(k, len(self._points))
        wanted = _unit(queries) if self.metric is Metric.COSINE else np.ascontiguousarray(queries)
        return self._rank(wanted, self._candidates(wanted, k), k)

    def _make(self, device: str) -> Candidates:
        if device == "cpu":
            return Scores(self._points, self.metric)
        from robo_orch.kernels.triton_neighbours import Blocks

        return Blocks(self._points, self.metric, device)

    def _rank(self, queries: np.ndarray, candidates: list[np.ndarray], k: int) -> Found:
        """By distance in float64; a stable sort of ascending numbers leaves ties in their order."""
        indices = np.empty((len(queries), k), np.int64)
        distances = np.empty((len(queries), k), np.float32)
        for row, (query, among) in enumerate(zip(queries.astype(np.float64), candidates, strict=True)):
            exact = self._distances(query, self._points[among].astype(np.float64))
            best = np.argsort(exact, kind="stable")[:k]
            indices[row], distances[row] = among[best], exact[best]
        return Found(indices, distances)

    def _distances(self, query: np.ndarray, points: np.ndarray) -> np.ndarray:
        if self.metric is Metric.L2:
            return np.sqrt(np.square(points - query).sum(axis=1))
        return 1.0 - (points * query).sum(axis=1)


class Scores:
    """Candidates by blocked matrix products: the numpy reference, and the way without a GPU."""

    def __init__(self, points: np.ndarray, metric: Metric) -> None:
        self._points, self._l2 = points, metric is Metric.L2
        self._squares = np.einsum("ij,ij->i", points, points) if self._l2 else np.zeros(len(points), np.float32)
        self._reach = float(np.sqrt(self._squares.max())) if self._l2 else 1.0

    def __call__(self, queries: np.ndarray, k: int) -> list[np.ndarray]:
        """As :data:`Candidates` says."""
        slack = self._slack(queries)
        kept: list[list[np.ndarray]] = [[] for _ in queries]
        scores: list[list[np.ndarray]] = [[] for _ in queries]
        bound = np.full(len(queries), np.inf)
        for start in range(0, len(self._points), BLOCK):
            block = self._score(queries, slice(start, start + BLOCK))
            for row, values in enumerate(block):
                near = np.flatnonzero(values <= bound[row])
                if len(near) > k:
                    bound[row] = min(bound[row], np.partition(values[near], k - 1)[k - 1] + slack[row])
                    near = near[values[near] <= bound[row]]
                kept[row].append(start + near)
                scores[row].append(values[near])
        return [_within(*parts, k) for parts in zip(kept, scores, slack.tolist(), strict=True)]

    def _score(self, queries: np.ndarray, part: slice) -> np.ndarray:
        product = queries @ self._points[part].T
        return self._squares[part] - 2.0 * product if self._l2 else -product

    def _slack(self, queries: np.ndarray) -> np.ndarray:
        """(m,) twice the largest rounding error of a score: (d + 2) eps (|p|² + 2 |q| |p|) (Higham 2002, 3.1)."""
        eps, d = np.finfo(np.float32).eps, queries.shape[1]
        sizes = np.linalg.norm(queries.astype(np.float64), axis=1)
        scale = self._reach**2 + 2.0 * sizes * self._reach if self._l2 else 2.0 * np.ones(len(queries))
        return 2.0 * (d + 2) * eps * scale


def nearest(queries: np.ndarray, points: np.ndarray, k: int, metric: Metric = Metric.L2) -> Found:
    """The same for points that are asked about once; see :class:`Neighbours`."""
    return Neighbours(points, metric).nearest(queries, k)


def pick(n: int) -> str:
    """``cuda`` for many points where torch, Triton and a GPU are there, else ``cpu``; few points import no torch."""
    if n < GPU_FROM or find_spec("torch") is None or find_spec("triton") is None:
        return "cpu"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _within(kept: list[np.ndarray], scores: list[np.ndarray], slack: float, k: int) -> np.ndarray:
    """Of what the blocks left, what may be among the k best of all."""
    numbers, values = np.concatenate(kept), np.concatenate(scores)
    return numbers[values <= np.partition(values, k - 1)[k - 1] + slack]


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Rows of length 1, zero ones left; float32."""
    exact = vectors.astype(np.float64)
    sizes = np.linalg.norm(exact, axis=1, keepdims=True)
    return (exact / np.where(sizes > 0.0, sizes, 1.0)).astype(np.float32)


def _check(what: str, values: np.ndarray, width: int | None = None) -> None:
    good = values.ndim == 2 and values.size > 0 and values.dtype == np.float32
    if not good or width not in (None, values.shape[1]):
        expected = f"{what} of float32 ({'m' if width else 'n'}, {width or 'd'}), at least one"
        raise ModelError(expected, f"{values.dtype} {list(values.shape)}", "one row each, .astype(numpy.float32)")
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise ModelError(f"finite {what}", f"a row with NaN or infinity, number {row}", "leave such rows out")
