# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.errors import ModelError
from robo_orch.kernels import neighbours
from robo_orch.kernels.neighbours import Metric, Neighbours, Scores, nearest, pick


@pytest.fixture
def among(place):
    """Makes the points under test."""

    def make(points, metric=Metric.L2):
        found = Neighbours(points, metric, "cpu")
        if place != "numpy":
            from robo_orch.kernels.triton_neighbours import Blocks

            found._candidates = Blocks(found._points, found.metric, place)
        return found

    return make


def drawn(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)


def brute(queries, points, k, metric):
    """By definition, in float64."""
    q, p = queries.astype(np.float64)[:, None], points.astype(np.float64)[None]
    if metric is Metric.L2:
        distances = np.sqrt(((q - p) ** 2).sum(axis=2))
    else:
        distances = 1 - (q * p).sum(axis=2) / np.linalg.norm(q, axis=2) / np.linalg.norm(p, axis=2)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(distances, order, axis=1)


@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize(("n", "d", "k"), [(1, 1, 1), (300, 7, 5), (2500, 3, 8)])
def test_they_are_those_of_the_definition(among, metric, n, d, k):
    points, queries = drawn(n, d), drawn(3, d, 1)
    found = among(points, metric).nearest(queries, k)
    indices, distances = brute(queries, points, k, metric)
    assert np.array_equal(found.indices, indices)
    assert np.allclose(found.distances, distances, atol=1e-6)
    assert (found.indices.dtype, found.distances.dtype) == (np.int64, np.float32)


@pytest.mark.parametrize("metric", list(Metric))
def test_ties_go_to_the_lower_number_across_blocks_too(among, metric):
    points = np.tile(drawn(3, 4), (900, 1))
    found = among(points, metric).nearest(points[1:2], 6)
    assert found.indices.tolist() == [[1, 4, 7, 10, 13, 16]]
    assert np.allclose(found.distances, 0.0, atol=1e-6)


def test_points_far_from_the_origin_are_still_told_apart(among):
    """|p|² - 2 q·p alone would lose these differences to rounding."""
    points = (1000.0 + 0.01 * drawn(1500, 3)).astype(np.float32)
    queries = points[[5, 700]] + np.float32(0.001)
    found = among(points).nearest(queries, 4)
    assert np.array_equal(found.indices, brute(queries, points, 4, Metric.L2)[0])


def test_fewer_points_than_asked_for_are_all_given(among):
    found = among(drawn(3, 2)).nearest(drawn(2, 2, 1), 10)
    assert found.indices.shape == (2, 3)
    assert np.array_equal(np.sort(found.indices, axis=1), [[0, 1, 2]] * 2)


def test_a_zero_vector_is_at_right_angles_to_everything(among):
    points = np.array([[0, 0], [1, 0], [-1, 0]], np.float32)
    found = among(points, Metric.COSINE).nearest(np.array([[2, 0], [0, 0]], np.float32), 3)
    assert found.indices.tolist() == [[1, 0, 2], [0, 1, 2]]
    assert found.distances.tolist() == [[0, 1, 2], [1, 1, 1]]


def test_the_size_of_a_block_changes_nothing(monkeypatch):
    points, queries = np.round(drawn(700, 3), 1), np.round(drawn(5, 3, 1), 1)
    whole = nearest(queries, points, 9)
    for size in (1, 7, 64):
        monkeypatch.setattr(neighbours, "BLOCK", size)
        again = nearest(queries, points, 9)
        assert np.array_equal(again.indices, whole.indices)
        assert np.array_equal(again.distances, whole.distances)


def test_few_candidates_are_measured_twice():
    points = drawn(20_000, 32)
    (candidates,) = Scores(points, Metric.L2)(drawn(1, 32, 1), 10)
    assert 10 <= len(candidates) < 20


def test_points_are_not_changed_and_may_be_a_slice(among):
    wide = drawn(200, 8)
    before = wide.copy()
    found = among(wide[:, ::2], Metric.COSINE).nearest(wide[:2, ::2], 1)
    assert found.indices.tolist() == [[0], [1]]
    assert np.array_equal(wide, before)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (drawn(3, 2).astype(np.float64), "float64"),
        (drawn(3, 2)[0], "points"),
        (drawn(3, 2)[:0], "at least one"),
        (np.array([[1, 2], [np.nan, 0]], np.float32), "number 1"),
    ],
)
def test_points_that_cannot_be_compared_are_refused(points, words):
    with pytest.raises(ModelError, match=words):
        Neighbours(points)


def test_queries_of_another_width_and_no_neighbours_at_all_are_refused():
    with pytest.raises(ModelError, match=r"\(m, 2\)"):
        nearest(drawn(1, 3), drawn(4, 2), 1)
    with pytest.raises(ModelError, match="k of at least 1"):
        nearest(drawn(1, 2), drawn(4, 2), 0)


def test_few_points_stay_on_the_cpu():
    assert pick(100) == "cpu"


def test_a_gpu_that_is_asked_for_and_absent_is_refused():
    torch = pytest.importorskip("torch")
    pytest.importorskip("triton")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(ModelError, match="CUDA"):
        Neighbours(drawn(4, 2), device="cuda")
