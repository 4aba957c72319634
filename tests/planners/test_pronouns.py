# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.errors import GoalError
from robo_orch.planners.grounding import ground
from robo_orch.types import Code
from tests.planners.rooms import HOUSE, SEEN, meant, refused


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("clear the plate, then put the red cube on it", ["on(red_cube, plate)"]),
        ("open the drawer and put the red cube in it", ["open(drawer)", "in(red_cube, drawer)"]),
        ("take the red cube and put it on the plate", ["on(red_cube, plate)"]),
        ("take the red cube off the plate and put it on the tray", ["not on(red_cube, plate)", "on(red_cube, tray)"]),
        ("open the drawer, take the red cube and put it in it", ["open(drawer)", "in(red_cube, drawer)"]),
        ("open the cabinet's drawer and put the red cube in it", ["open(drawer)", "in(red_cube, drawer)"]),
        ("put the can in the drawer of the cabinet and close it", ["in(red_can, drawer)", "closed(drawer)"]),
        ("put the white mug in the cabinet and close it", ["in(white_mug, cabinet)", "closed(door)"]),
        ("press the button, then press it again", ["pressed(button)"]),
        ("take everything on the tray and put it in the bin", ["in(red_can, bin)"]),
        ("put everything on the tray in the drawer and close it", ["in(red_can, drawer)", "closed(drawer)"]),
    ],
)
def test_it_is_the_latest_thing_of_which_the_clause_can_be_true(text, facts):
    assert meant(text.replace("the can", "the red can")) == facts


def test_everything_is_taken_up_by_it_as_a_whole():
    facts = meant("pick up everything in the middle of the table and put it in the bin")
    assert facts == ["in(red_cube, bin)", "in(green_cube, bin)"]


def test_a_reading_that_contradicts_what_stands_beside_it_is_not_meant():
    assert meant("put the red cube on the blue cube and the green one on it")[1] == "on(green_cube, red_cube)"


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("put the red cube on the plate, then put the green cube on it", ("plate", "red_cube")),
        ("put the red cube on the plate, then stack the green cube on it", ("plate", "red_cube")),
        ("put the red cube on the tray and the green cube on it", ("tray", "red_cube")),
        ("move the blue cube off the plate and put the green cube on it", ("plate", "blue_cube")),
        ("put the red cube in the bin, then put the green cube on it.", ("bin", "red_cube")),
        ("Put the red cube on the plate and put the green cube on, please", ("plate", "red_cube")),
    ],
)
def test_where_it_may_be_two_things_both_sentences_are_offered(text, readings):
    error = refused(text)
    sentences = re.findall('"(.*?)"', error.remedy)
    assert error.code is Code.AMBIGUOUS_OBJECT
    assert len(sentences) == len(readings)
    for sentence, place in zip(sentences, readings, strict=True):
        assert re.search(rf"green_cube, {place}\)", meant(sentence)[-1])


def test_it_is_never_the_thing_that_the_clause_is_about():
    assert refused("take the red cube and put the red cube on it").code is Code.CONTRADICTORY_GOAL


def test_it_with_nothing_named_before_is_asked_about():
    assert refused("put it on the plate").code is Code.AMBIGUOUS_OBJECT
    assert refused("put the red cube on it").code is Code.AMBIGUOUS_OBJECT


def test_where_nothing_named_can_be_meant_the_error_says_why():
    error = refused("press the button and put the red cube on it")
    assert error.code is Code.IMPOSSIBLE_GOAL
    assert "button" in error.got


CLAUSES = (
    "put the red cube on the plate",
    "take the green cube off the table",
    "open the drawer",
    "clear the tray",
    "put it on it",
    "put the blue cube on it",
    "put it in the bin",
    "close it",
    "leave it off the plate",
    "stack the white mug on it",
    "make sure it is upright",
)


@given(st.lists(st.sampled_from(CLAUSES), min_size=1, max_size=6), st.sampled_from([" and ", ", then ", ". "]))
def test_no_fact_relates_a_thing_to_itself(clauses, joint):
    try:
        goal = ground(joint.join(clauses), HOUSE, SEEN)
    except GoalError:
        return
    for stage in goal.stages or (goal.predicates,):
        assert all(len(set(fact.args)) == len(fact.args) for fact in stage)
