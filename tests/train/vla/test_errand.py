# SPDX-License-Identifier: Apache-2.0
"""Errands are asked for in words that tell objects apart."""

import numpy as np
import pytest

from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.skills import skill
from robo_orch.train.vla.errand import WAYS, Errand, drawn, errands


@pytest.fixture(scope="module")
def layout():
    return lay_out(
        load_scene("kitchen"), 100001, [("cube", "red"), ("cube", "red"), ("can", "blue"), ("bowl", "white")]
    )


def test_what_looks_like_another_object_is_not_asked_for(layout):
    assert not [e for e in errands(layout.inventory) if e.object.startswith("red_cube")]


def test_every_errand_fits_its_skill(layout):
    for errand in errands(layout.inventory):
        assert skill(errand.skill).fits((errand.object, errand.target), layout.inventory), errand


def test_there_are_five_ways_besides_the_skills_own(layout):
    assert all(len(ways) >= 5 for ways in WAYS.values())


def test_words_name_object_and_target(layout):
    rng = np.random.default_rng(0)
    said = {Errand("pick_place", "blue_can", "tray").words(layout.inventory, rng) for _ in range(40)}
    assert "put the blue can on the tray" in said
    assert all("blue" in text and "tray" in text for text in said)


def test_places_are_drawn_as_often_as_each_other(layout):
    rng, choices = np.random.default_rng(0), errands(layout.inventory)
    drawn_targets = [drawn(choices, rng).target for _ in range(300)]
    assert 20 < drawn_targets.count("bin") < 80


def test_nothing_is_drawn_from_nothing():
    with pytest.raises(ValueError, match="nothing"):
        drawn([], np.random.default_rng(0))
