# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.planners.nearest import nearest
from robo_orch.planners.vocabulary import Vocabulary
from tests.planners.rooms import HOUSE, meant

WORDS = Vocabulary.of_inventory(HOUSE)


def quoted(remedy: str) -> str:
    return re.findall('"(.*)"', remedy)[0]


@pytest.mark.parametrize(
    ("text", "sentence"), [("prss the bttn", "press the button"), ("clozze the drawer", "close the drawer")]
)
def test_the_sentence_most_alike_is_quoted(text, sentence):
    assert quoted(nearest(text, WORDS, HOUSE)) == sentence


@given(st.text(max_size=60))
def test_what_is_quoted_works(text):
    banned = "drawer"
    sentence = quoted(nearest(text, WORDS, HOUSE, lambda said: banned not in said and bool(meant(said))))
    assert banned not in sentence


def test_a_twin_is_quoted_by_its_exact_name():
    twins = {name: spec for name, spec in HOUSE.items() if not spec.movable or spec.name.startswith("yellow")}
    sentence = quoted(nearest("put the yellow cube on the plat", Vocabulary.of_inventory(twins), twins))
    assert "yellow_cube" in sentence
    assert meant(sentence, twins, None)


def test_where_nothing_works_nothing_is_quoted():
    assert '"' not in nearest("juggle", WORDS, HOUSE, lambda sentence: False)


def test_before_there_is_a_scene_the_catalogue_is_spoken_of():
    assert quoted(nearest("put the purple thing somewhere", Vocabulary.of_catalogue()))
