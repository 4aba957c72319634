# SPDX-License-Identifier: Apache-2.0
"""Looks are real, at home, and on layouts that nothing was made on."""

from __future__ import annotations

import numpy as np
import pytest

from robo_orch.bench.looks import PER_LAYOUT, episodes
from robo_orch.policies.registry import Registry
from robo_orch.sim.scenes import load_scene
from robo_orch.types import Code
from tests.policies.learned import PANDA, STILL, card


@pytest.fixture(scope="module")
def still(tmp_path_factory):
    posture = (PANDA.home + 0.1).tolist()
    start = {"posture": posture, "within": [0.1] * 3, "turn": 0.1, "gripper": [0.03, 0.03]}
    return list(episodes(card(tmp_path_factory.mktemp("still"), STILL, start=start), "kitchen", 25, 3))


def test_they_come_from_layouts_of_the_test_set_until_there_are_enough(still):
    counts = [len(episode.looks) for episode in still]
    assert max(counts) <= PER_LAYOUT and sum(counts) >= 25 > sum(counts[:-1])
    sets = load_scene("kitchen").sets
    assert all(sets.of(episode.simulation.layout.seed).set == "test" for episode in still)


def test_they_begin_in_the_cards_start_set(still):
    first = next(episode for episode in still if episode.looks).looks[0].observation.state
    np.testing.assert_allclose(first.q, PANDA.home + 0.1, atol=0.02)
    assert first.gripper == pytest.approx(0.03, abs=0.003)


def test_what_the_policy_says_is_carried_out_and_counted(still):
    for episode in (e for e in still if e.looks):
        assert episode.outcome.code is Code.OK
        assert episode.components == 7 * len(episode.looks) and episode.clipped <= episode.components
        times = [look.observation.stamp for look in episode.looks]
        np.testing.assert_allclose(np.diff(times), 0.1, atol=1e-6)
        assert all(look.seconds > 0 and look.actions.shape == (1, 7) for look in episode.looks)


def test_what_is_to_be_closed_is_opened_first():
    (handle,) = Registry.load(only=["tamp/handle-v1"])
    closing = handle.model_copy(update={"skills": ("close_drawer",)})
    episode = next(episodes(closing, "kitchen", 1, 0))
    assert episode.looks and episode.looks[0].subgoal.skill == "close_drawer"
