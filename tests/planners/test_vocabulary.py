# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from robo_orch.planners.vocabulary import Vocabulary
from tests.planners.rooms import HOUSE, tin


def test_every_object_of_a_scene_can_be_named():
    words = Vocabulary.of_inventory(HOUSE)
    for name, spec in HOUSE.items():
        assert words.names[name] == name
        assert spec.kind in words.nouns[spec.kind.replace("_", " ")].kinds
        assert not spec.colour or words.colours[spec.colour.replace("_", " ")] == spec.colour


def test_plurals_mean_the_same_kinds():
    words = Vocabulary.of_inventory(HOUSE)
    assert words.nouns["cubes"].plural and not words.nouns["cube"].plural
    assert words.singular("blocks") == "block"
    assert words.singular("red") == ""
    assert all(noun.kinds for noun in words.nouns.values())


def test_a_kinds_own_name_is_no_other_kinds_word():
    words = Vocabulary.of_inventory(HOUSE | {"red_tin": tin()})
    assert words.nouns["tin"].kinds == ("tin",)
    assert words.nouns["soda can"].kinds == ("can",)
    assert Vocabulary.of_inventory(HOUSE).nouns["tin"].kinds == ("can",)


def test_a_word_of_several_kinds_means_each_of_them():
    assert Vocabulary.of({"cup": ("vessel",), "bowl": ("vessel",)}, ()).nouns["vessel"].kinds == ("cup", "bowl")


def test_words_that_cut_sentences_are_not_names():
    words = Vocabulary.of({"cube": ("cube and plate", "on", "of", "of tea", "box of", "box of tea")}, ())
    assert {noun for noun, found in words.nouns.items() if not found.plural} == {"cube", "box of tea"}


def test_some_words_need_no_object_file():
    assert Vocabulary.of_inventory(HOUSE).nouns["trash can"].kinds == ("bin",)
    assert "trash can" not in Vocabulary.of_inventory({"red_can": HOUSE["red_can"]}).nouns


def test_the_catalogue_knows_in_which_colours_a_kind_comes():
    words = Vocabulary.of_catalogue()
    assert words.offers("cube", ["red"]) and not words.offers("can", ["black"])
    assert "cube" in words.coming_in(["black"]) and words.coming_in([]) == ()
    assert "bin" in words.given and "cube" not in words.given
    assert words.longest >= 2
