# SPDX-License-Identifier: Apache-2.0
"""What is demonstrated works in the physics of the world, by the path that moves the arm everywhere."""

import numpy as np
import pytest

from robo_orch.robots.actions import problem_of
from robo_orch.robots.spec import load_robot
from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.train.vla.errand import Errand
from robo_orch.train.vla.physics import SPACE, Episode, run_expert
from robo_orch.train.vla.recipe import recipe_of


@pytest.fixture(scope="module")
def layout():
    return lay_out(load_scene("kitchen"), 100000, [("cube", "red"), ("cylinder", "blue")])


@pytest.mark.parametrize(
    "errand",
    [Errand("pick_place", "red_cube", "tray"), Errand("place_in", "blue_cylinder", "bin")],
    ids=lambda errand: errand.target,
)
def test_expert_succeeds_safely(layout, errand):
    episode = Episode(layout, errand)
    result = run_expert(episode)
    assert result.success, result
    assert result.seconds < 10.0


def test_doing_nothing_is_no_success(layout):
    episode = Episode(layout, Errand("pick_place", "red_cube", "tray"))
    for _ in range(3):
        episode.step(np.array([*np.zeros(6), 0.08]))
    assert not episode.result.done and not episode.result.success


def test_rows_mean_what_the_card_says():
    assert recipe_of("vla/pick-place-v1").policy.action.space == SPACE
    assert problem_of(SPACE, load_robot("panda")) == ""
