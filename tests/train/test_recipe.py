# SPDX-License-Identifier: Apache-2.0
"""Recipes: strict, with the card in them."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from robo_orch.errors import CardError, OptionError
from robo_orch.policies.registry import SHIPPED
from robo_orch.sim.scenes import load_scene

pytest.importorskip("gymnasium")

from robo_orch.train.recipe import load_recipe
from robo_orch.train.run import train

RECIPES = sorted((SHIPPED / "rl").glob("*/recipe.yaml"))
NARROW = SHIPPED / "rl" / "open_drawer_narrow_tool" / "recipe.yaml"


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.parent.name)
def test_every_shipped_recipe_loads_and_starts_somewhere(path):
    recipe = load_recipe(path)
    assert recipe.policy.family == "rl" and recipe.home.posture


def test_learning_and_choosing_never_see_a_test_layout():
    recipe, sets = load_recipe(NARROW), load_scene("kitchen").sets
    assert {sets.of(seed).set for seed in recipe.train_seeds()} == {"train"}
    assert {sets.of(seed).set for seed in recipe.validation_seeds()} == {"validation"}


def test_actions_go_there_and_back():
    recipe = load_recipe(NARROW)
    a = np.array([0.5, -1.0, 0.25, 1.0])
    assert np.allclose(recipe.inverse(recipe.action(a)), a)
    assert recipe.action(np.ones(4))[-1] == pytest.approx(0.08)


def test_layouts_differ_in_what_is_harder_and_repeat():
    recipe = load_recipe(NARROW)
    noises = [recipe.troubles(seed)["pose_noise"] for seed in recipe.train_seeds()]
    low, high = recipe.perturb["pose_noise"]
    assert all(low <= n <= high for n in noises) and len(set(noises)) == len(noises)
    assert recipe.troubles(5) == recipe.troubles(5)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"scale": [1, 1]}, "4 offsets and scales"),
        ({"colour": "red"}, "colour"),
        ({"card": {"id": "rl/x-v1"}}, "family"),
        ({"object": None}, "object"),
    ],
)
def test_a_broken_recipe_is_refused_and_the_place_is_named(tmp_path, changes, named):
    path = tmp_path / "recipe.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(NARROW.read_text()) | changes))
    with pytest.raises(CardError, match=named):
        load_recipe(path)


def test_a_card_without_a_recipe_cannot_be_trained(tmp_path):
    with pytest.raises(CardError, match="did you mean rl/open-drawer-narrow-tool-v1"):
        train("rl/open-drawer-narow-tool-v1", 0, tmp_path)


@pytest.mark.parametrize("option", ["--out", "--work"])
def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_learned(tmp_path, option):
    (tmp_path / "file").write_text("not a folder")
    bad, good = tmp_path / "file" / "below", tmp_path / "good"
    work, out = (bad, good) if option == "--work" else (good, bad)
    with pytest.raises(OptionError, match=option):
        train("rl/press-v1", 0, work, out)
