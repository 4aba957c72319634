# SPDX-License-Identifier: Apache-2.0
"""Situations are physics with the referee's word on them, the same ones from the same seed, of their set alone."""

from itertools import islice

import numpy as np
import pytest

from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.train.verifier.situations import (
    ALMOST,
    SHARES,
    Ending,
    others,
    progress,
    situations,
    subgoals,
    truth,
)
from robo_orch.types import Precision

KITCHEN = load_scene("kitchen")
SEEDS = KITCHEN.sets.seeds("train", "all")


def some(seed, n):
    for situation in islice(situations(SEEDS, np.random.default_rng(seed), per_layout=6), n):
        yield situation, situation.subgoal.predicate


def test_the_shares_of_endings_are_whole():
    assert sum(SHARES.values()) == pytest.approx(1.0) and set(SHARES) == set(Ending)


def test_what_is_asked_is_about_something_that_has_only_a_coarse_pose():
    layout = lay_out(KITCHEN, 100_000)
    found = subgoals(layout)
    assert found
    for subgoal in found:
        assert Precision.COARSE in {layout.inventory[name].precision for name in subgoal.predicate.args}


def test_progress_is_1_where_it_holds_and_less_elsewhere():
    seen = set()
    for situation, fact in some(3, 10):
        done, share, (margin, _) = situation.holds(fact), progress(situation, fact), truth(situation, fact)
        seen.add(done)
        assert (share == 1.0) is done
        assert done or 0.0 <= share <= ALMOST
        assert not done or margin > 0.0
        for other in others(situation, subgoals(situation.simulation.layout), np.random.default_rng(0), 3):
            assert other != fact
    assert seen == {True, False}


def test_the_same_seed_makes_the_same_situations():
    first, second = ([(str(f), s.ending, s.holds(f), truth(s, f)) for s, f in some(5, 3)] for _ in range(2))
    assert first == second
