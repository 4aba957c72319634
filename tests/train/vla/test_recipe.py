# SPDX-License-Identifier: Apache-2.0
"""The recipe of the shipped policy is whole, and mistakes in one are told."""

import pytest
import yaml

from robo_orch.errors import CardError
from robo_orch.policies.registry import SHIPPED
from robo_orch.train.vla.recipe import load_recipe, recipe_of

CARD = "vla/pick-place-v1"


def test_shipped_recipe_looks_through_its_cards_cameras():
    recipe = recipe_of(CARD)
    assert {view.camera for view in recipe.views} == set(recipe.policy.cameras)
    assert recipe.policy.poses.precision == "none"


def test_layouts_are_of_the_training_set():
    assert min(recipe_of(CARD).train_seeds()) >= 100000


def test_window_beyond_the_picture_is_refused(tmp_path):
    body = yaml.safe_load((SHIPPED / "vla/pick_place_words/vla.yaml").read_text())
    body["windows"]["side"] = [150, 76, 80, 88]
    path = tmp_path / "vla.yaml"
    path.write_text(yaml.safe_dump(body))
    with pytest.raises(CardError, match="a window of side within 192 x 192"):
        load_recipe(path)


def test_unknown_card_is_told_with_those_there_are():
    with pytest.raises(CardError, match="pick-place-v1"):
        recipe_of("vla/pick-place-v9")
