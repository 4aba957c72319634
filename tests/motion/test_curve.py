# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.motion.curve import CURVE_RESOLUTION, hugging_curve, smooth, straight_curve
from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.path import interpolate
from robo_orch.motion.timing import time_path
from robo_orch.types import Code
from tests.motion.conftest import PANDA

LIMITS = PANDA.limits


def random_waypoints(seed: int, count: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    steps = np.vstack([rng.uniform(LIMITS.lower, LIMITS.upper), rng.normal(0, 0.5, (count - 1, 7))])
    return np.clip(np.cumsum(steps, axis=0), LIMITS.lower, LIMITS.upper)


waypoints = st.builds(random_waypoints, st.integers(0, 2**31), st.integers(3, 8))


def distance_to(polyline, states) -> float:
    """Largest distance of the states to the polyline, rad."""
    dense = np.concatenate([interpolate(a, b, 0.005) for a, b in itertools.pairwise(polyline)])
    return max(float(np.min(np.linalg.norm(dense - q, axis=1))) for q in states)


@given(waypoints, st.integers(1, 30))
@settings(max_examples=40, deadline=None)
def test_a_curve_begins_and_ends_exactly_and_keeps_joint_limits(points, intervals):
    curve = hugging_curve(points, LIMITS, intervals)
    states = curve.states()
    assert np.array_equal(curve.start, points[0])
    assert np.array_equal(curve.goal, points[-1])
    assert np.all(states >= LIMITS.lower - 1e-9)
    assert np.all(states <= LIMITS.upper + 1e-9)
    assert np.max(np.abs(np.diff(states, axis=0))) <= CURVE_RESOLUTION + 1e-9


@given(waypoints)
@settings(max_examples=15, deadline=None)
def test_more_knots_hug_the_polyline_more_closely(points):
    loose, close = (distance_to(points, hugging_curve(points, LIMITS, n * len(points)).states(0.05)) for n in (1, 16))
    assert close <= loose + 0.01
    assert close < 0.15


@given(waypoints, st.integers(1, 20))
@settings(max_examples=15, deadline=None)
def test_a_straight_polyline_stays_straight_and_even(points, intervals):
    line = points[0] + np.array([0.0, 0.2, 0.7, 1.0])[:, None] * (points[1] - points[0])
    piece = hugging_curve(line, LIMITS, intervals).pieces[0]
    u = np.linspace(0, piece.t[-1], 50)
    assert piece(u) == pytest.approx(line[0] + (u / piece.t[-1])[:, None] * (line[-1] - line[0]), abs=1e-9)


def test_a_curve_is_smooth_to_the_second_derivative():
    piece = hugging_curve(random_waypoints(1, 5), LIMITS, 8).pieces[0]
    for knot in np.unique(piece.t)[1:-1]:
        for order in (0, 1, 2):
            assert piece(knot - 1e-9, order) == pytest.approx(piece(knot + 1e-9, order), abs=1e-5)


def test_the_loosest_free_curve_is_taken():
    points = random_waypoints(2, 4)
    anywhere = smooth(points, lambda q: True, LIMITS)
    corridor = smooth(points, lambda q: distance_to(points, [q]) < 0.05, LIMITS)
    assert len(anywhere.pieces[0].c) < len(corridor.pieces[0].c)
    assert distance_to(points, corridor.states()) < 0.05


def test_where_no_curve_is_free_it_stops_at_the_waypoints():
    points = random_waypoints(3, 4)
    curve = smooth(points, lambda q: distance_to(points, [q]) < 0.004, LIMITS)
    assert len(curve.pieces) == 3
    assert np.array_equal([p.c[0] for p in curve.pieces], points[:-1])


def test_a_polyline_that_is_not_free_is_refused():
    with pytest.raises(MotionFailure) as failure:
        smooth(random_waypoints(4, 4), lambda q: False, LIMITS)
    assert failure.value.code is Code.NO_PATH


def test_repeated_waypoints_do_no_harm():
    points = random_waypoints(5, 3)
    curve = smooth(points[[0, 0, 1, 1, 2, 2]], lambda q: True, LIMITS)
    assert np.array_equal(curve.start, points[0])
    assert np.array_equal(curve.goal, points[-1])
    assert len(smooth(points[[0, 0]], lambda q: True, LIMITS).states()) >= 2


def test_two_waypoints_make_a_straight_line():
    a, b = random_waypoints(6, 2)
    states = straight_curve(a, b, LIMITS).states()
    assert np.array_equal(states[[0, -1]], [a, b])
    assert distance_to(np.stack([a, b]), states) < 0.01


def test_a_way_of_no_length_stays_where_it_is():
    q = np.array(PANDA.home)
    curve = hugging_curve(np.tile(q, (3, 1)), LIMITS, 2)
    np.testing.assert_allclose(curve.states(), np.tile(q, (len(curve.states()), 1)))
    motion = time_path(curve, LIMITS, PANDA.period)
    np.testing.assert_allclose(motion.q, np.tile(q, (len(motion.q), 1)), atol=1e-9)
