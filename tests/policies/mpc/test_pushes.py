# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.policies.mpc.pushes import (
    BLADE,
    DRAWN_FOR,
    FORK,
    MOST,
    MOST_ON_TOP,
    Box,
    arcs,
    first,
    near,
    pusher,
    starts,
    tool,
)

BOX = Box(np.array([0.5, -0.2, 0.3]), np.array([0.075, 0.0575, 0.018]), 0.005)


def test_every_side_and_grip_is_drawn_and_the_straight_push_is_among_them():
    pushes = first(np.random.default_rng(0), 5)
    assert {(int(f), int(g)) for f, g in pushes[:, :2]} == {(f, g) for f in range(4) for g in range(DRAWN_FOR)}
    assert sum(not row.any() for row in pushes[:, 2:]) == 4 * DRAWN_FOR


def test_samples_around_elites_stay_within_what_is_sampled_at_most():
    some = near(np.random.default_rng(0), first(np.random.default_rng(1), 3), 4, 2.0)
    assert (np.abs(some[:, 2:]) <= np.maximum(MOST, MOST_ON_TOP)).all()


@pytest.mark.parametrize("face", range(4))
def test_a_push_begins_with_the_pads_just_off_the_side_and_looking_at_it(face):
    push = np.array([[face, 0, 0.0, 0.0, 0.0]])
    x, y, yaw = starts(BOX, push, 0.01)[0]
    away = np.array([x, y]) - BOX.at[:2]
    assert np.linalg.norm(away) == pytest.approx(BOX.half[face % 2] + FORK.front + 0.01)
    assert away @ np.array([np.cos(yaw), np.sin(yaw)]) == pytest.approx(-np.linalg.norm(away))


def test_an_arc_goes_as_far_as_it_is_long_and_turns_by_its_curvature():
    push = np.array([[0, 0, 0.0, 0.0, 3.0]])
    path = arcs(np.zeros((1, 3)), push, 0.01, np.linspace(0.0, 0.31, 32))[0]
    assert np.linalg.norm(np.diff(path[:, :2], axis=0), axis=1).sum() == pytest.approx(0.31, rel=1e-3)
    assert path[-1, 2] == pytest.approx(0.9)
    assert path[1, :2] == pytest.approx([0.01, 0.0])


@pytest.mark.parametrize("grip", [FORK, BLADE], ids=lambda grip: grip.name)
@pytest.mark.parametrize("half_turn", [False, True])
def test_the_pusher_is_read_off_the_tool_that_was_sent_there(grip, half_turn):
    at = np.array([0.5, -0.1, 1.2])
    sent = tool(at, 0.03, grip, half_turn)
    assert sent.matrix[2, 2] == pytest.approx(-1.0)
    assert pusher(sent, grip, 1.0) == pytest.approx(at)
