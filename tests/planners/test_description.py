# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from robo_orch.catalogue import parse_kind
from robo_orch.planners.description import describe
from robo_orch.planners.syntax import NounPhrase
from robo_orch.planners.vocabulary import Vocabulary
from robo_orch.types import Code
from tests.planners.rooms import HOUSE, meant, refused, tin

TINS = HOUSE | {"red_tin": tin()}
WORDS = Vocabulary.of_inventory(HOUSE)


def matching(*words: str, inherited: str = "", inventory=HOUSE) -> list[str]:
    what = describe(NounPhrase(words), Vocabulary.of_inventory(inventory), inherited)
    return [name for name, spec in inventory.items() if what.matches(spec)]


def test_words_and_colours_pick_out_objects():
    assert matching("red", "cube") == ["red_cube"]
    assert matching("block", inventory={"red_cube": HOUSE["red_cube"]}) == ["red_cube"]
    assert matching("red") == ["red_cube", "red_can"]
    assert matching("red", inherited="cube") == ["red_cube"]
    assert matching("strange", "cube") == []


def test_a_thing_is_whatever_can_be_moved():
    assert matching("thing") == [name for name, spec in HOUSE.items() if spec.movable]


@pytest.mark.parametrize("word", ["ones", "cubes", "things", "everything"])
def test_plurals_are_told(word):
    assert describe(NounPhrase((word,)), WORDS).plural


def test_a_kinds_own_name_wins_over_another_kinds_word():
    assert "tin" in HOUSE["red_can"].words
    assert meant("put the red tin on the plate") == ["on(red_can, plate)"]
    assert meant("put the red tin on the plate", TINS, None) == ["on(red_tin, plate)"]
    assert meant("put the red can on the plate", TINS, None) == ["on(red_can, plate)"]


def test_a_word_of_two_kinds_is_ambiguous():
    two = {name: spec for name, spec in HOUSE.items() if name != "blue_mug"}
    error = refused("put the cup on the plate", two | {"red_tin": replace(tin(), words=("cup",))}, None)
    assert error.code is Code.AMBIGUOUS_OBJECT
    assert "white_mug and red_tin" in error.got


def test_a_name_of_several_words_is_found():
    assert meant("put the red box of tea on the plate", TINS, None) == ["on(red_tin, plate)"]
    two = TINS | {"green_tin": tin("green_tin")}
    assert meant("put the boxes of tea on the plate", two, None) == ["on(red_tin, plate)", "on(green_tin, plate)"]


def test_the_kind_shown_in_the_documentation_has_these_words():
    page = (Path(__file__).parents[2] / "docs" / "scenes.md").read_text(encoding="utf-8")
    text = page.split("```yaml\n")[1].split("```")[0]
    assert parse_kind(text, "tin").words == tin().words
