# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.motion.curve import hugging_curve, stopping_curve, straight_curve
from robo_orch.motion.timing import Trajectory, stop_profile, time_path
from robo_orch.robots.spec import JointLimits
from tests.motion.conftest import PANDA
from tests.motion.test_curve import distance_to, random_waypoints

LIMITS = PANDA.limits
#: Calm limits under which jerk decides as well: published jerk is hardly ever reached.
CALM = JointLimits(LIMITS.lower, LIMITS.upper, LIMITS.velocity, LIMITS.acceleration / 2, LIMITS.jerk / 100)
PERIOD = PANDA.period
#: Differences of samples are means of the derivative, hence never above its bound; the limits themselves are verified
#: at four states a period, between which a derivative may rise by little.
ALMOST = 1.02


def within(trajectory: Trajectory, limits: JointLimits) -> bool:
    h = trajectory.period
    velocity = np.abs(np.diff(trajectory.q, axis=0)) / h
    acceleration = np.abs(np.diff(trajectory.qd, axis=0)) / h
    jerk = np.abs(np.diff(trajectory.qd, 2, axis=0)) / h**2
    return bool(
        np.all(velocity <= limits.velocity * ALMOST)
        and np.all(np.abs(trajectory.qd) <= limits.velocity * ALMOST)
        and np.all(acceleration <= limits.acceleration * ALMOST)
        and np.all(jerk <= limits.jerk * ALMOST)
    )


curves = st.builds(
    lambda seed, count, close: hugging_curve(random_waypoints(seed, count), LIMITS, close * (count - 1)),
    st.integers(0, 2**31),
    st.integers(3, 7),
    st.sampled_from((1, 2, 4, 8)),
)


@given(curves, st.sampled_from((LIMITS, CALM)), st.floats(0.1, 1.0), st.sampled_from((0.02, 0.008)))
@settings(max_examples=60, deadline=None)
def test_no_joint_exceeds_its_limits_on_any_curve(curve, limits, speed, period):
    slowed = limits.scaled(speed)
    trajectory = time_path(curve, slowed, period)
    assert within(trajectory, slowed)
    assert np.array_equal(trajectory.q[0], curve.start)
    assert np.array_equal(trajectory.q[-1], curve.goal)
    assert not np.any(trajectory.qd[[0, -1]])


@given(st.integers(0, 2**31), st.floats(1e-6, 1.0), st.sampled_from((LIMITS, CALM)))
@settings(max_examples=60, deadline=None)
def test_no_joint_exceeds_its_limits_on_a_straight_line_of_any_length(seed, share, limits):
    a, b = random_waypoints(seed, 2)
    trajectory = time_path(straight_curve(a, a + share * (b - a), limits), limits, PERIOD)
    assert within(trajectory, limits)
    assert np.array_equal(trajectory.q[-1], a + share * (b - a))


@given(curves)
@settings(max_examples=20, deadline=None)
def test_setpoints_lie_on_the_curve(curve):
    dense = curve.states(0.005)  # no joint is farther than half of that from the nearest of these
    assert distance_to(dense, time_path(curve, LIMITS, PERIOD).q) < 0.0025 * np.sqrt(len(PANDA.names))


@given(curves)
@settings(max_examples=20, deadline=None)
def test_velocities_are_those_of_the_positions(curve):
    trajectory = time_path(curve, LIMITS, 0.002)
    middle = (trajectory.q[2:] - trajectory.q[:-2]) / (2 * trajectory.period)
    # A central difference is off by jerk times the period squared over six, and knots let acceleration turn.
    assert trajectory.qd[1:-1] == pytest.approx(middle, abs=0.03)


def toppra_duration(piece) -> float:
    """Duration of the same curve under velocity and acceleration limits alone, by toppra."""

    from toppra import algorithm, constraint, interpolator

    logging.getLogger("toppra").setLevel(logging.ERROR)

    class Path(interpolator.AbstractGeometricPath):
        dof, waypoints, path_interval = 7, None, np.array([0.0, piece.t[-1]])

        def __call__(self, s, order=0):
            return piece(s, order)

    constraints = [
        constraint.JointVelocityConstraint(np.stack([-LIMITS.velocity, LIMITS.velocity], axis=1)),
        constraint.JointAccelerationConstraint(np.stack([-LIMITS.acceleration, LIMITS.acceleration], axis=1)),
    ]
    grid = np.linspace(0.0, piece.t[-1], 151)
    solver = algorithm.TOPPRA(constraints, Path(), gridpoints=grid, parametrizer="ParametrizeConstAccel")
    return solver.compute_trajectory().duration


@pytest.mark.parametrize("close", [1, 2, 4])
def test_jerk_limits_and_whole_periods_cost_less_than_half_of_the_optimal_time_more(close):
    ratios = []
    for seed in range(8):
        points = random_waypoints(seed, 3 + seed % 4)
        curve = hugging_curve(points, LIMITS, close * (len(points) - 1))
        ratios.append(time_path(curve, LIMITS, PERIOD).duration / toppra_duration(curve.pieces[0]))
    assert np.median(ratios) < 1.5
    assert max(ratios) < 2.0


def test_a_stop_at_every_waypoint_is_a_stop():
    points = random_waypoints(1, 4)
    trajectory = time_path(stopping_curve(points, LIMITS), LIMITS, PERIOD)
    for point in points:
        rows = np.flatnonzero(np.all(trajectory.q == point, axis=1))
        assert len(rows) == 1
        assert not np.any(trajectory.qd[rows])
    assert within(trajectory, LIMITS)


def test_bare_waypoints_are_travelled_too():
    points = random_waypoints(2, 4)
    trajectory = time_path(points, LIMITS, PERIOD)
    assert np.array_equal(trajectory.q[[0, -1]], points[[0, -1]])
    assert within(trajectory, LIMITS)
    assert distance_to(points, trajectory.q) < 0.2


def test_a_way_of_no_length_is_a_trajectory_at_rest():
    trajectory = time_path(np.stack([PANDA.home, PANDA.home]), LIMITS, PERIOD)
    assert np.array_equal(trajectory.q, [PANDA.home, PANDA.home])
    assert not np.any(trajectory.qd)


def test_half_speed_takes_twice_as_long():
    points = random_waypoints(3, 4)
    fast, slow = (time_path(points, LIMITS.scaled(speed), PERIOD).duration for speed in (1.0, 0.5))
    assert slow == pytest.approx(2 * fast, abs=3 * PERIOD)


velocities = st.lists(st.floats(-1.0, 1.0), min_size=7, max_size=7).map(lambda v: np.array(v) * LIMITS.velocity)


@given(velocities, st.sampled_from((LIMITS, CALM)))
@settings(max_examples=60, deadline=None)
def test_a_stop_from_any_velocity_ends_at_rest_within_limits(qd, limits):
    stop = stop_profile(PANDA.home, qd, limits, PERIOD)
    assert stop.q[0] == pytest.approx(PANDA.home, abs=1e-12)
    assert np.array_equal(stop.qd[0], qd)
    assert not np.any(stop.qd[-1])
    assert np.all(np.abs(np.diff(stop.qd, axis=0)) / PERIOD <= limits.acceleration * ALMOST)
    assert np.all(np.abs(stop.qd) <= np.abs(qd) + 1e-9)


def test_a_stop_is_as_short_as_acceleration_allows():
    qd = np.zeros(7)
    qd[1] = LIMITS.velocity[1]
    stop = stop_profile(PANDA.home, qd, LIMITS, PERIOD)
    assert stop.duration <= LIMITS.velocity[1] / LIMITS.acceleration[1] + 2 * PERIOD


def test_a_stop_begins_at_the_acceleration_there_is():
    qd, qdd = np.full(7, 0.5), np.full(7, 4.0)
    calm = stop_profile(PANDA.home, qd, CALM, 0.001, qdd)
    assert calm.qd[1] == pytest.approx(qd + 0.004, abs=1e-3)


def test_a_stop_above_every_limit_still_stops():
    stop = stop_profile(PANDA.home, 3 * LIMITS.velocity, LIMITS, PERIOD, 2 * LIMITS.acceleration)
    assert not np.any(stop.qd[-1])


def test_trajectories_join_without_repeating_a_setpoint():
    points = random_waypoints(4, 3)
    first, second = (time_path(pair, LIMITS, PERIOD) for pair in (points[:2], points[1:]))
    both = first.then(second)
    assert len(both.q) == len(first.q) + len(second.q) - 1
    assert both.duration == pytest.approx(first.duration + second.duration)
