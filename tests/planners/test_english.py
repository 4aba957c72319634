# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.planners.english import VERBS, english, grammar_text, phrase, plural, words


def test_words_are_lower_case_with_punctuation_and_pictures_apart():
    assert words("Put the Red-coloured cube, “there” & go!") == [
        *("put", "the", "red", "coloured", "cube", ",", "there", "&", "go", "!")
    ]
    assert words("it’s the 🟥") == ["it's", "the", "🟥"]
    assert words("((( --- )))") == []


@given(st.text(max_size=100))
def test_words_of_words_are_the_same(text):
    found = words(text)
    assert words(" ".join(found)) == found
    assert all(word and not word.isspace() for word in found)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("cube", "cubes"),
        ("box", "boxes"),
        ("dish", "dishes"),
        ("tray", "trays"),
        ("berry", "berries"),
        ("shelf", "shelves"),
        ("soda can", "soda cans"),
        ("box of tea", "boxes of tea"),
    ],
)
def test_plurals_are_regular(one, many):
    assert plural(one) == many


def test_a_name_is_said_without_underscores():
    assert phrase("light_blue_cube_2") == "light blue cube 2"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("putting", "PUT"),
        ("throws away", "DISCARD"),
        ("getting rid of", "DISCARD"),
        ("pulled out", "OPEN"),
        ("tidies up", None),
        ("stand up", "STAND"),
        ("standing up", "UPRIGHT"),
        ("turned back", "UNTURN"),
        ("turn down", "ADJUST"),
    ],
)
def test_verbs_have_their_forms(said, kind):
    assert english().classes.get(tuple(said.split())) == kind


def test_every_word_class_is_known_to_the_grammar_or_settled_by_the_lexer():
    settled = {"FILLER", "PARTICLE", "EVERYTHING", "ANYTHING", "NOTHING", "REST", "REST_OF", "ONE", "BUT"}
    declared = re.findall(r"%declare (.*)", grammar_text())
    terminals = {name for line in declared for name in line.split()}
    assert set(english().classes.values()) - terminals <= settled
    assert set(english().classes.values()) >= VERBS


def test_what_always_moves_is_a_preposition():
    assert {english().classes[tuple(word.split())] for word in english().motion} <= {"ON", "IN"}
