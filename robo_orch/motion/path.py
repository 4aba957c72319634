# SPDX-License-Identifier: Apache-2.0
"""A collision-free polyline in joint space: straight if free, else RRT-Connect, then shortcut.

Everything is bounded by counts and drawn from the seed, never from a clock, so that the same question
has the same answer in every process.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.robots.spec import JointLimits
from robo_orch.types import Array, Code

Free = Callable[[Array], bool]

#: Largest change of any joint between two states that the search checks, rad (chosen: 1 cm at half a metre).
RESOLUTION = 0.02
#: Largest step of the search tree, rad in the Euclidean norm (chosen).
RANGE = 0.8
#: How often the search may grow its trees (chosen: a search that finds nothing ends after half a second).
ITERATIONS = 500


def interpolate(q0: Array, q1: Array, resolution: float = RESOLUTION) -> Array:
    """States ``(k, n)`` from ``q0`` to ``q1`` inclusive, no joint moving more than ``resolution`` rad between two."""
    steps = max(1, int(np.ceil(np.max(np.abs(q1 - q0)) / resolution)))
    return q0 + np.linspace(0.0, 1.0, steps + 1)[:, None] * (q1 - q0)


def edge_is_free(free: Free, q0: Array, q1: Array, resolution: float = RESOLUTION) -> bool:
    """Whether the straight edge between two states is free; its ends are taken as checked already."""
    inner = interpolate(q0, q1, resolution)[1:-1]
    return all(free(inner[i]) for i in _coarse_to_fine(len(inner)))


def plan_path(
    start: Array,
    goal: Array,
    free: Free,
    limits: JointLimits,
    seed: int,
    iterations: int = ITERATIONS,
    resolution: float = RESOLUTION,
    explain: Callable[[Array], str] | None = None,
    enough: Callable[[], bool] = lambda: False,
) -> Array:
    """A free polyline ``(k, n)`` in rad from ``start`` to ``goal``, both included exactly.

    Args:
        start, goal: ``(n,)`` rad.
        free: whether a state is free of collision.
        limits: joint limits; the search stays within the position limits.
        seed: the same seed gives the same path.
        iterations: how often the search may grow its trees.
        resolution: largest joint step between checked states, rad.
        explain: says what touches at a state, for the reason of a failure.
        enough: ends the search early where it says so.

    Raises:
        MotionFailure: ``LIMIT_EXCEEDED``, ``START_IN_COLLISION``, ``GOAL_IN_COLLISION`` or ``NO_PATH``.
    """
    start, goal = np.asarray(start, dtype=float), np.asarray(goal, dtype=float)
    _check_ends(start, goal, free, limits, explain)
    if edge_is_free(free, start, goal, resolution):
        return np.stack([start, goal])
    grown = count()
    path = _rrt_connect(start, goal, free, limits, seed, lambda: enough() or next(grown) >= iterations, resolution)
    if path is None:
        raise MotionFailure(Code.NO_PATH, f"no free path was found in {next(grown) - 1} iterations of the search")
    return shortcut(path, free, seed, resolution=resolution)


def shortcut(path: Array, free: Free, seed: int, attempts: int = 30, resolution: float = RESOLUTION) -> Array:
    """The same path with needless detours cut: vertices dropped greedily, then random chords tried.

    Args:
        path: ``(k, n)`` rad, free.
        attempts: number of random chords (chosen).
    """
    path = _drop_vertices(path, free, resolution)
    rng = np.random.default_rng([seed, 1])
    for _ in range(attempts if len(path) > 2 else 0):
        path = _try_chord(path, np.sort(rng.random(2)), free, resolution)
    return _drop_vertices(path, free, resolution)


def lengths(path: Array) -> Array:
    """Length of the path up to each vertex, ``(k,)`` rad in the Euclidean norm."""
    return np.append(0.0, np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1)))


def _check_ends(
    start: Array, goal: Array, free: Free, limits: JointLimits, explain: Callable[[Array], str] | None
) -> None:
    ends = ((start, "start", Code.START_IN_COLLISION), (goal, "goal", Code.GOAL_IN_COLLISION))
    for q, word, code in ends:
        for i in np.flatnonzero((q < limits.lower - 1e-6) | (q > limits.upper + 1e-6)):
            span = f"{limits.lower[i]:.3f} to {limits.upper[i]:.3f}"
            reason = f"joint {i + 1} of the {word} is at {q[i]:.3f} rad, outside {span}"
            raise MotionFailure(Code.LIMIT_EXCEEDED, reason)
        if not free(q):
            what = explain(q) if explain else ""
            raise MotionFailure(code, f"at the {word}, {what or 'something touches'}")


def _coarse_to_fine(n: int) -> list[int]:
    """Indices 0..n-1 such that early ones spread over the whole range: collisions are found sooner."""
    bits = max(1, (n - 1).bit_length())
    turned = (int(f"{i:0{bits}b}"[::-1], 2) for i in range(1 << bits))
    return [i for i in turned if i < n]


def _drop_vertices(path: Array, free: Free, resolution: float) -> Array:
    """From each kept vertex go on to the farthest one that can be reached straight."""
    kept = [0]
    while kept[-1] < len(path) - 1:
        i = kept[-1]
        j = len(path) - 1
        while j > i + 1 and not edge_is_free(free, path[i], path[j], resolution):
            j -= 1
        kept.append(j)
    return path[kept]


def _try_chord(path: Array, shares: Array, free: Free, resolution: float) -> Array:
    """Replace the stretch between two shares of the length by a straight edge, if that is free."""
    s = lengths(path)
    at = shares * s[-1]
    i, j = np.searchsorted(s, at, side="right") - 1
    if i == j:
        return path
    a, b = (np.array([np.interp(x, s, column) for column in path.T]) for x in at)
    if not (free(a) and free(b) and edge_is_free(free, a, b, resolution)):
        return path
    return np.concatenate([path[: i + 1], [a], [b], path[j + 1 :]])


def _rrt_connect(
    start: Array,
    goal: Array,
    free: Free,
    limits: JointLimits,
    seed: int,
    enough: Callable[[], bool],
    resolution: float,
) -> Array | None:
    """OMPL's RRT-Connect from ``start`` to ``goal``; ``None`` where ``enough`` ended it."""
    from ompl import base, geometric, util

    util.setLogLevel(util.LOG_NONE)
    # Every generator that OMPL makes below draws its seed from here; 0 would be ignored.
    util.RNG.setSeed(int(seed) % (2**31 - 2) + 1)
    n = len(start)
    space = base.RealVectorStateSpace(n)
    bounds = base.RealVectorBounds(n)
    for i in range(n):
        # Both ends are within limits to 1e-6, and OMPL refuses ends outside its bounds.
        bounds.setLow(i, float(min(limits.lower[i], start[i], goal[i])))
        bounds.setHigh(i, float(max(limits.upper[i], start[i], goal[i])))
    space.setBounds(bounds)
    setup = geometric.SimpleSetup(space)
    setup.setStateValidityChecker(lambda state: bool(free(np.array([state[i] for i in range(n)]))))
    setup.setStartAndGoalStates(_state(space, start), _state(space, goal))
    setup.getSpaceInformation().setStateValidityCheckingResolution(resolution / space.getMaximumExtent())
    planner = geometric.RRTConnect(setup.getSpaceInformation())
    planner.setRange(RANGE)
    setup.setPlanner(planner)
    setup.solve(base.PlannerTerminationCondition(enough))
    if not setup.haveExactSolutionPath():
        return None
    path = setup.getSolutionPath()
    states = [[path.getState(i)[j] for j in range(n)] for i in range(path.getStateCount())]
    return np.concatenate([[start], np.array(states)[1:-1], [goal]])


def _state(space, q: Array):
    state = space.allocState()
    for i, value in enumerate(q):
        state[i] = float(value)
    return state
