# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import hashlib
import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.path import RESOLUTION, edge_is_free, interpolate, lengths, plan_path, shortcut
from robo_orch.robots.spec import JointLimits
from robo_orch.types import Code

LIMITS = JointLimits(-np.ones(3), np.ones(3), np.full(3, 2.0), np.full(3, 10.0), np.full(3, 1000.0))
LEFT, RIGHT = np.array([-0.5, 0.0, 0.0]), np.array([0.5, 0.0, 0.0])


def gap_on_top(q) -> bool:
    """Free but for a wall at x = 0 that leaves a gap above y = 0.8."""
    return abs(q[0]) > 0.1 or q[1] > 0.8


def closed(q) -> bool:
    return abs(q[0]) > 0.1


def test_a_free_way_is_straight():
    assert np.array_equal(plan_path(LEFT, RIGHT, lambda q: True, LIMITS, 0), [LEFT, RIGHT])


@pytest.mark.parametrize("seed", range(5))
def test_a_wall_is_gone_around(seed):
    path = plan_path(LEFT, RIGHT, gap_on_top, LIMITS, seed)
    assert np.array_equal(path[[0, -1]], [LEFT, RIGHT])
    assert all(gap_on_top(q) for a, b in itertools.pairwise(path) for q in interpolate(a, b))
    assert lengths(path)[-1] < 3.0


PROGRAM = """
import hashlib
from tests.motion.test_path import LEFT, LIMITS, RIGHT, gap_on_top
from robo_orch.motion.path import plan_path
print(hashlib.sha256(plan_path(LEFT, RIGHT, gap_on_top, LIMITS, 7).tobytes()).hexdigest())
"""


def test_the_same_seed_gives_the_same_path_in_this_and_in_every_process():
    first, other, again = (plan_path(LEFT, RIGHT, gap_on_top, LIMITS, seed) for seed in (7, 8, 7))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    fresh = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert fresh.stdout.strip() == hashlib.sha256(first.tobytes()).hexdigest()
    assert fresh.stderr == ""


@pytest.mark.parametrize("seed", [0, 2**31 - 2, 2**40, 2**62])
def test_every_seed_is_taken(seed):
    first, again = (plan_path(LEFT, RIGHT, gap_on_top, LIMITS, seed) for _ in range(2))
    assert np.array_equal(first, again)


def test_the_planner_is_silent(capfd):
    plan_path(LEFT, RIGHT, gap_on_top, LIMITS, 0)
    assert capfd.readouterr() == ("", "")


def test_without_a_way_the_search_ends_after_its_iterations():
    asked = []

    def count(q):
        asked.append(q)
        return closed(q)

    with pytest.raises(MotionFailure) as failure:
        plan_path(LEFT, RIGHT, count, LIMITS, 0, iterations=100)
    assert failure.value.code is Code.NO_PATH
    assert "100 iterations" in failure.value.reason
    assert len(asked) < 100 * 2 / RESOLUTION


@pytest.mark.parametrize(
    ("start", "goal", "code"),
    [(np.zeros(3), RIGHT, Code.START_IN_COLLISION), (LEFT, np.zeros(3), Code.GOAL_IN_COLLISION)],
)
def test_a_collision_at_an_end_names_what_touches(start, goal, code):
    with pytest.raises(MotionFailure) as failure:
        plan_path(start, goal, closed, LIMITS, 0, explain=lambda q: "elbow touches shelf")
    assert failure.value.code is code
    assert "elbow touches shelf" in failure.value.reason


def test_a_goal_beyond_a_limit_names_the_joint():
    with pytest.raises(MotionFailure) as failure:
        plan_path(LEFT, np.array([0.5, 0.0, 1.5]), lambda q: True, LIMITS, 0)
    assert failure.value.code is Code.LIMIT_EXCEEDED
    assert "joint 3" in failure.value.reason


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6), st.floats(0.005, 0.5))
@settings(max_examples=60, deadline=None)
def test_an_edge_is_checked_everywhere_at_the_resolution(numbers, resolution):
    a, b = np.array(numbers[:3]), np.array(numbers[3:])
    asked = []
    assert edge_is_free(lambda q: asked.append(q) is None, a, b, resolution)
    states = interpolate(a, b, resolution)
    assert np.max(np.abs(np.diff(states, axis=0))) <= resolution * (1 + 1e-9)
    assert sorted(map(tuple, asked)) == sorted(map(tuple, states[1:-1]))


@given(st.integers(0, 2**31), st.integers(3, 8))
@settings(max_examples=30, deadline=None)
def test_a_shortcut_keeps_its_ends_and_is_free_and_never_longer(seed, vertices):
    rng = np.random.default_rng(seed)

    def free(q):
        return float(np.linalg.norm(q - [0.2, 0.1, 0.0])) > 0.3

    points = rng.uniform(-1, 1, (100, 3))
    path = np.array([p for p in points if free(p)][:1])
    for p in points:
        if len(path) < vertices and free(p) and edge_is_free(free, path[-1], p):
            path = np.vstack([path, p])
    short = shortcut(path, free, seed)
    assert np.array_equal(short[[0, -1]], path[[0, -1]])
    assert lengths(short)[-1] <= lengths(path)[-1] + 1e-9
    assert all(edge_is_free(free, a, b) for a, b in itertools.pairwise(short))


def test_a_search_ends_where_it_is_told_that_it_is_enough():
    asked = []

    def free(q):
        asked.append(q)
        return abs(q[0]) > 0.05  # a wall without a gap

    start, goal = np.array([-0.5, 0.0, 0.0]), np.array([0.5, 0.0, 0.0])
    with pytest.raises(MotionFailure) as failure:
        plan_path(start, goal, free, LIMITS, 0, enough=lambda: len(asked) >= 300)
    assert failure.value.code is Code.NO_PATH
    assert len(asked) < 1000
