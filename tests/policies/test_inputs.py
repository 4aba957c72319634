# SPDX-License-Identifier: Apache-2.0
"""What a model is fed: by name, normalised as said, and never something else in the place of what is missing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robo_orch.errors import CardError
from robo_orch.policies import inputs
from robo_orch.policies.inputs import Feeder
from tests.policies.learned import GOAL, SEEING, WORDS, card, chunk, observation, state_input
from tests.scenes import INVENTORY


@pytest.fixture(autouse=True)
def _frozen_encoder(monkeypatch):
    monkeypatch.setattr(inputs, "embedded", lambda text: WORDS * len(text))


def feeder(made):
    fed = Feeder(made, INVENTORY)
    fed.begin(GOAL)
    return fed


def seeing(tmp_path, name="wrist", **changes):
    spec = SEEING["observation"][name] | changes
    return card(tmp_path, SEEING, observation=SEEING["observation"] | {name: spec})


def test_numbers_stand_in_the_cards_order(tmp_path):
    (name, told), *rest = feeder(card(tmp_path)).inputs(observation()).items()
    assert (name, rest, told.dtype, told.shape) == ("state", [], np.float32, (1, 5))
    np.testing.assert_allclose(told[0], [0.1, 0.1, -0.28, 0.06, 0.0], atol=1e-6)


def test_statistics_are_applied_and_the_raw_numbers_remain_to_be_had(tmp_path):
    made = card(tmp_path, **state_input(normalize={"mean": [1.0] * 5, "std": [0.5] * 5}))
    fed = feeder(made)
    raw = fed.numbers(made.observation["state"], observation(), GOAL.args)
    np.testing.assert_allclose(fed.inputs(observation())["state"][0], (raw - 1.0) / 0.5, rtol=1e-6)


def test_every_kind_of_input_is_filled_by_its_name(tmp_path):
    told = feeder(card(tmp_path, SEEING)).inputs(observation())
    shapes = {name: (str(array.dtype), array.shape) for name, array in told.items()}
    assert shapes == {
        "words": ("float32", (1, 384)),
        "wrist": ("uint8", (1, 3, 4, 6)),
        "state": ("float32", (1, 9)),
        "prefix": ("float32", (1, 4, 7)),
        "kept": ("int64", (1,)),
    }
    np.testing.assert_array_equal(told["words"][0], WORDS * len(GOAL.text))


def test_pictures_are_laid_out_and_scaled_as_the_card_says(tmp_path):
    shade = np.arange(72, dtype=np.uint8).reshape(4, 6, 3)
    seen = replace(observation(), images={"wrist": shade})
    picture = feeder(seeing(tmp_path)).inputs(seen)["wrist"]
    np.testing.assert_array_equal(picture[0], shade.transpose(2, 0, 1))
    assert picture.flags["C_CONTIGUOUS"]
    np.testing.assert_array_equal(feeder(seeing(tmp_path, layout="hwc")).inputs(seen)["wrist"][0], shade)
    how = {"mean": [0.1, 0.2, 0.3], "std": [0.5, 0.5, 0.5]}
    made = feeder(seeing(tmp_path, layout="hwc", dtype="float32", normalize=how)).inputs(seen)["wrist"]
    assert made.dtype == np.float32
    np.testing.assert_allclose(made[0], (shade / 255 - [0.1, 0.2, 0.3]) / 0.5, atol=1e-6)


def test_committed_actions_come_first_and_are_counted(tmp_path):
    made = card(tmp_path, SEEING)
    fed, rows = feeder(made), np.arange(14.0).reshape(2, 7)
    told = fed.inputs(observation(), chunk(rows, made))
    np.testing.assert_array_equal(told["prefix"][0], np.vstack([rows, np.zeros((2, 7))]))
    assert told["kept"].tolist() == [2]
    assert fed.inputs(observation(), chunk(np.zeros((9, 7)), made))["kept"].tolist() == [4]
    assert fed.inputs(observation())["kept"].tolist() == [0]
    with pytest.raises(CardError, match="width 7"):
        fed.inputs(observation(), chunk(np.zeros((2, 8)), made))


def test_what_is_missing_is_said(tmp_path):
    assert feeder(card(tmp_path)).missing(observation()) == ""
    seen = observation()
    unseen = replace(seen, objects={n: e for n, e in seen.objects.items() if n != "red_cube"})
    assert feeder(card(tmp_path)).missing(unseen) == "red_cube has not been perceived"
    both = card(tmp_path, **state_input(keys=["target.toward", "object.toward"]))
    assert feeder(both).missing(replace(seen, objects={})) == "blue_cube and red_cube have not been perceived"
    blind = feeder(card(tmp_path, SEEING))
    assert "camera wrist, there is none" in blind.missing(replace(seen, images={"front": seen.images["wrist"]}))
    small = replace(seen, images={"wrist": np.zeros((6, 4, 3), np.uint8)})
    assert "pictures 6 x 4 of camera wrist, got one of shape [6, 4, 3]" in blind.missing(small)


def test_words_are_given_as_they_are_to_a_policy_that_reads(tmp_path):
    made = seeing(tmp_path, "words", encoder="none")
    assert feeder(made).inputs(observation())["words"].tolist() == [GOAL.text]
