# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.planners.lexer import tokens
from robo_orch.planners.vocabulary import Vocabulary
from tests.planners.rooms import HOUSE

WORDS = Vocabulary.of_inventory(HOUSE)


def classes(text: str) -> str:
    return " ".join(token.type for token in tokens(text, WORDS))


@pytest.mark.parametrize(
    ("apart", "together"),
    [
        ("throw the can away", "throw away the can"),
        ("toss the can out", "toss out the can"),
        ("pull the drawer out", "pull out the drawer"),
        ("push the drawer in", "push in the drawer"),
        ("tidy the table up", "tidy up the table"),
        ("turn the knob back", "turn back the knob"),
        ("turn the knob down", "turn down the knob"),
        ("stand the bottle up", "stand up the bottle"),
        ("please throw the red can and the cube away", "throw away the red can and the cube"),
    ],
)
def test_a_verb_and_its_particle_may_stand_apart(apart, together):
    assert classes(apart) == classes(together)


@pytest.mark.parametrize("text", ["put the cube {} on the plate", "pick the cube {}", "set the cube {} in the bin"])
@pytest.mark.parametrize("idle", ["up", "down", "back"])
def test_idle_particles_are_left_out(text, idle):
    assert classes(text.format(idle)) == classes(text.format(""))


@pytest.mark.parametrize("text", ["put the can away", "take the can out", "switch the knob back"])
def test_a_particle_that_matters_and_is_not_understood_is_never_dropped(text):
    assert classes(text).endswith("RELATION")


@pytest.mark.parametrize("text", ["open the drawer and put the cube in", "put the cube inside and close the drawer"])
def test_a_preposition_without_a_place_means_one_spoken_of(text):
    assert "IN PRONOUN" in classes(text)


@pytest.mark.parametrize("text", ["turn the knob on", "make sure the knob is on", "knob on", "put the cube in the bin"])
def test_other_prepositions_are_left_as_they_are(text):
    assert "PRONOUN" not in classes(text)


def test_an_idle_word_behind_an_article_is_a_noun():
    assert classes("put the robot on the plate") == "PUT DET WORD ON DET WORD"
    assert classes("robot, put the now red cube on the plate") == "PUT DET WORD WORD ON DET WORD"
