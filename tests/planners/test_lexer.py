# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.planners.english import english
from robo_orch.planners.lexer import reworded, spoken, tokens
from robo_orch.planners.vocabulary import Vocabulary
from tests.planners.rooms import HOUSE

WORDS = Vocabulary.of_inventory(HOUSE)
CONNECTORS = {"AND", "SEP", "THEN", "BEFORE", "AFTER"}


def types(text: str) -> list[str]:
    return [token.type for token in tokens(text, WORDS)]


def soup():
    known = sorted({w for said in english().classes for w in said} | {"red", "cube", "plate", ",", ".", "&", "🤖"})
    return st.lists(st.sampled_from(known), max_size=20).map(" ".join)


@given(st.one_of(st.text(max_size=100), soup()))
def test_whatever_comes_it_yields_tokens(text):
    found = tokens(text, WORDS)
    assert not {token.type for token in found} & {"FILLER", "PARTICLE", "COMMA", "BUT", "NOTHING", "REST", "REST_OF"}


@given(soup())
def test_connectors_never_meet_nor_end_a_goal_unless_they_tell_an_order(text):
    found = [token.type for token in tokens(text, WORDS)]
    assert not any(a in CONNECTORS and b in CONNECTORS for a, b in pairwise(found))
    assert not found or found[-1] in ("BEFORE", "AFTER") or found[-1] not in CONNECTORS


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("put the red cube on the plate", "PUT DET WORD WORD ON DET WORD"),
        ("please put the red cube down on the plate, thanks", "PUT DET WORD WORD ON DET WORD"),
        ("open it and close it", "OPEN PRONOUN SEP CLOSE PRONOUN"),
        ("the cube and the can", "DET WORD AND DET WORD"),
        ("the cube & the can", "DET WORD AND DET WORD"),
        ("open it, and then close it", "OPEN PRONOUN THEN CLOSE PRONOUN"),
        ("everything except the can", "ALL WORD EXCEPT DET WORD"),
        ("nothing", "NO WORD"),
        ("the rest of the cubes", "ALL WORD WORD"),
        ("put the can in the trash can", "PUT DET WORD IN DET WORD"),
        ("put the robot on", "PUT DET WORD ON PRONOUN"),
    ],
)
def test_words_are_classed_as_they_are_used(text, found):
    assert types(text) == found.split()


def test_a_clause_after_its_condition_needs_no_comma():
    assert types("before turning the knob press the button") == types("before turning the knob, press the button")
    assert types("once the drawer is open close the door") == types("once the drawer is open, close the door")


def test_positions_point_at_the_words_of_the_goal():
    text = "Put the red_cube on the plate, then put it down."
    parts = spoken(text, WORDS)
    for token in tokens(text, WORDS):
        if token.start_pos is not None and token.type != "AND":
            assert " ".join(parts[token.start_pos : token.end_pos]) == token


def test_a_goal_is_reworded_at_one_place():
    text = "Put the red cube on the plate, then put it in it!"
    at = [token for token in tokens(text, WORDS) if token == "it"][1]
    assert reworded(text, WORDS, (at.start_pos, at.end_pos), "the bin") == (
        "put the red cube on the plate, then put it in the bin!"
    )
