# SPDX-License-Identifier: Apache-2.0
"""Which facts one clause asks for."""

from __future__ import annotations

import re

import pytest

from robo_orch.planners.grounding import ground
from robo_orch.types import Code
from tests.planners.rooms import CUBES, HOUSE, MUGS, SEEN, meant, refused, stages

ON_TABLE = [n for n, spec in HOUSE.items() if spec.movable and n not in ("blue_cube", "red_can")]


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("throw away the red can on the tray", ["red_can"]),
        ("discard the red can that is on the tray", ["red_can"]),
        ("throw the blue cube on the plate away", ["blue_cube"]),
        ("get rid of the blue cube on the plate", ["blue_cube"]),
        ("throw away everything on the table", ON_TABLE),
        ("discard the cubes on the table", [n for n in CUBES if n != "blue_cube"]),
        ("dispose of the mugs on the table", MUGS),
        ("throw away the red can", ["red_can"]),
        ("throw the red can out", ["red_can"]),
        ("toss the red can in the bin", ["red_can"]),
        ("dump the red can in the trash", ["red_can"]),
        ("put the red can in the garbage can", ["red_can"]),
        ("put the red can in the rubbish bin", ["red_can"]),
        ("put everything that is on the tray in the bin", ["red_can"]),
    ],
)
def test_what_is_thrown_away_goes_into_the_bin_from_where_it_is(text, things):
    assert meant(text) == [f"in({name}, bin)" for name in things]


def test_a_thing_that_is_not_where_it_is_said_to_be_is_not_thrown_away():
    assert refused("throw away the green can on the tray").code is Code.UNKNOWN_OBJECT
    assert refused("throw away everything on the table", seen=None).code is Code.NOT_PERCEIVED


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("serve the mugs on the table", "tray"),
        ("serve the mugs that are on the table", "tray"),
        ("serve the mugs", "tray"),
        ("serve the mugs on the tray", "tray"),
        ("serve the mugs on the plate", "plate"),
        ("serve the mugs onto the table", "table"),
        ("serve the mugs on the rack", "rack"),
    ],
)
def test_what_is_served_goes_on_the_tray_unless_another_place_is_meant(text, place):
    assert meant(text) == [f"on({name}, {place})" for name in MUGS]


@pytest.mark.parametrize(
    "text",
    ["lift the bottle onto the tray", "take the bottle onto the tray", "pick up the bottle and put it on the tray"],
)
def test_a_preposition_of_motion_says_where_something_goes(text):
    assert meant(text) == ["on(green_bottle, tray)"]


@pytest.mark.parametrize(
    "text",
    [
        "clear the table",
        "clean the table",
        "clean up the table",
        "tidy up the table",
        "tidy the table up",
        "clear everything off the table",
        "clear everything on the table",
        "remove everything from the table",
        "take everything off the table",
        "clear the table of everything",
        "nothing should be on the table",
        "there should be nothing on the table",
        "there must not be anything on the table",
        "do not put anything on the table",
    ],
)
def test_a_place_with_nothing_on_it_is_clear(text):
    assert meant(text) == ["clear(table)"]


@pytest.mark.parametrize(
    "text",
    [
        "clear the table except the mugs",
        "clear the table except for both mugs",
        "nothing but the mugs should be on the table",
        "take everything except the mugs off the table",
    ],
)
def test_what_is_excepted_may_stay(text):
    others = [n for n, spec in HOUSE.items() if spec.movable and n not in MUGS]
    assert meant(text) == [f"not on({name}, table)" for name in others]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("remove the cube on the plate", ["not on(blue_cube, plate)"]),
        ("clear the cube on the plate", ["not on(blue_cube, plate)"]),
        ("remove the blue cube from the plate", ["not on(blue_cube, plate)"]),
        ("clear the mugs off the table", [f"not on({name}, table)" for name in MUGS]),
        ("clear the table of mugs", [f"not on({name}, table)" for name in MUGS]),
        ("clear the left side of the table", ["clear(left_side)"]),
    ],
)
def test_what_is_removed_is_not_there_any_more(text, facts):
    assert meant(text) == facts


def test_removing_from_nowhere_is_asked_about():
    error = refused("remove the blue cube")
    assert error.code is Code.NOT_UNDERSTOOD
    assert meant(error.remedy.split('"')[1])


@pytest.mark.parametrize(
    "text",
    [
        "no cube should be on the plate",
        "no cubes on the plate",
        "none of the cubes is on the plate",
        "there should be no cubes on the plate",
        "put no cube on the plate",
        "do not put any cube on the plate",
        "don't put a cube on the plate",
        "never put any of the cubes on the plate",
    ],
)
def test_no_cube_is_each_cube_not(text):
    assert meant(text) == [f"not on({name}, plate)" for name in CUBES]


def test_two_denials_are_none():
    assert meant("no mug should not be on the plate") == [f"on({name}, plate)" for name in MUGS]
    assert meant("never leave the red cube off the plate") == ["on(red_cube, plate)"]
    assert meant("don't turn the knob off") == ["turned(knob)"]


@pytest.mark.parametrize("text", ["don't put two cubes on the plate", "no cube and the mugs should be on the plate"])
def test_a_denied_number_is_refused(text):
    assert refused(text).code in (Code.NOT_UNDERSTOOD, Code.AMBIGUOUS_OBJECT)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("turn the knob", "turned(knob)"),
        ("turn the knob clockwise", "turned(knob)"),
        ("knob on", "turned(knob)"),
        ("the knob turned", "turned(knob)"),
        ("make sure the knob is on", "turned(knob)"),
        ("leave the knob on", "turned(knob)"),
        ("turn the knob back", "not turned(knob)"),
        ("turn back the knob", "not turned(knob)"),
        ("turn the knob counterclockwise", "not turned(knob)"),
        ("rotate the dial anticlockwise", "not turned(knob)"),
        ("the knob should be turned back", "not turned(knob)"),
        ("knob off", "not turned(knob)"),
        ("make sure the knob is off", "not turned(knob)"),
        ("the knob should not be on", "not turned(knob)"),
    ],
)
def test_a_direction_of_turning_is_kept(text, fact):
    assert meant(text) == [fact]


@pytest.mark.parametrize("way", ["down", "up", "to the left", "to the right"])
def test_turning_so_far_is_refused_with_what_can_be_done(way):
    error = refused(f"turn the knob {way}")
    assert error.code is Code.NOT_UNDERSTOOD
    assert [meant(text) for text in re.findall('"(.*?)"', error.remedy)] == [["turned(knob)"], ["not turned(knob)"]]


@pytest.mark.parametrize(
    "text",
    [
        "stand the bottle up on the tray",
        "stand up the bottle on the tray",
        "stand the bottle upright on the tray",
        "put the bottle on the tray, standing up",
    ],
)
def test_what_is_stood_up_is_upright(text):
    assert meant(text) == ["on(green_bottle, tray)", "upright(green_bottle)"]


@pytest.mark.parametrize("text", ["make the bottle upright", "stand the bottle up", "turn the bottle upright"])
def test_upright_needs_no_place(text):
    assert meant(text) == ["upright(green_bottle)"]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("pull out the drawer", ["open(drawer)"]),
        ("pull the drawer out", ["open(drawer)"]),
        ("slide the drawer in", ["closed(drawer)"]),
        ("push in the drawer", ["closed(drawer)"]),
        ("the drawer closed", ["closed(drawer)"]),
        ("drawer closed", ["closed(drawer)"]),
        ("I want the drawer closed", ["closed(drawer)"]),
        ("get the door closed", ["closed(door)"]),
        ("open both the drawer and the door", ["open(drawer)", "open(door)"]),
        ("drawer closed and door open", ["closed(drawer)", "open(door)"]),
    ],
)
def test_drawers_and_doors_are_set_as_said(text, facts):
    assert meant(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("open the cabinet, put the red can in it and close it", ["in(red_can, cabinet)", "closed(door)"]),
        (
            "open the door, put the white mug in the cabinet and close the door",
            ["in(white_mug, cabinet)", "closed(door)"],
        ),
        ("open the cupboard, put the red can in the cupboard, close it", ["in(red_can, cabinet)", "closed(door)"]),
        ("open the drawer, put the red cube in and close it", ["in(red_cube, drawer)", "closed(drawer)"]),
        ("open the drawer, put the red cube inside and close it", ["in(red_cube, drawer)", "closed(drawer)"]),
    ],
)
def test_what_is_opened_filled_and_closed_is_told_in_order(text, facts):
    assert meant(text) == facts
    assert len(stages(text)) == 2


def test_opening_and_closing_without_use_stays_a_contradiction():
    for text in (
        "open the door and close the door",
        "open the door, put the red cube in the drawer and close the door",
    ):
        assert refused(text).code is Code.CONTRADICTORY_GOAL


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("put two mugs on the plate", ["on(white_mug, plate)", "on(blue_mug, plate)"]),
        ("put some cube on the plate", ["on(red_cube, plate)"]),
        ("put one cube on the plate", ["on(red_cube, plate)"]),
        ("put one of the cubes on the plate", ["on(red_cube, plate)"]),
        ("put a cube on the red cube", ["on(green_cube, red_cube)"]),
        ("put a cube on the red one", ["on(green_cube, red_cube)"]),
        ("put a cube on another cube", ["on(red_cube, green_cube)"]),
        ("stack two cubes on the red cube", ["stacked(green_cube, blue_cube)", "stacked(blue_cube, red_cube)"]),
    ],
)
def test_as_many_as_were_asked_for_are_meant(text, facts):
    assert meant(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "put two cubes on the red cube",
        "put both yellow cubes on yellow_cube",
        "put the red and the green cube on the red cube",
    ],
)
def test_a_number_is_never_lost_in_the_place(text):
    assert refused(text).code in (Code.IMPOSSIBLE_GOAL, Code.CONTRADICTORY_GOAL)


def test_more_than_there_are_is_refused_with_what_there_is():
    assert "white_mug, blue_mug" in refused("put three mugs on the tray").remedy
    assert "2 cans beside" not in refused("close both drawers").got


@pytest.mark.parametrize(
    "text",
    [
        "put the red cube on the plate and the green one",
        "put the red cube on the plate & the green one",
        "put the red cube & the green one on the plate",
    ],
)
def test_a_thing_said_after_the_place_goes_there_too(text):
    assert meant(text) == ["on(red_cube, plate)", "on(green_cube, plate)"]


@pytest.mark.parametrize(
    "text", ["would you mind putting the red cube on the plate?", "do you mind putting the red cube on the plate"]
)
def test_politeness_changes_nothing(text):
    assert meant(text) == ["on(red_cube, plate)"]


@pytest.mark.parametrize(
    "text",
    [
        "before turning the knob press the button",
        "once the button is pressed turn the knob",
        "press the button, then turn the knob",
    ],
)
def test_an_order_needs_no_comma(text):
    assert stages(text) == [["pressed(button)"], ["turned(knob)"]]


@pytest.mark.parametrize(
    "text",
    [
        "set the table",
        "lay the table",
        "set the tray",
        "throw the red cube",
        "put the cubes",
        "remove the mugs",
        "put the red cube",
        "put the red cube on",
        "put the on the plate",
        "red cube",
        "put the robot",
        "put the can next to the bottle",
        "juggle the cubes",
        "move the red cube and",
    ],
)
def test_a_sentence_that_a_remedy_quotes_can_be_typed(text):
    error = refused(text)
    quoted = re.findall('"(.*?)"', error.remedy)
    assert error.code is Code.NOT_UNDERSTOOD
    assert quoted
    assert all(ground(sentence, HOUSE, SEEN).predicates for sentence in quoted)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("put the 🟥 on the plate", "🟥"),
        ("put the robot on the plate", "robot"),
        ("put the please on the plate", "please"),
    ],
)
def test_what_is_no_object_is_named_in_the_error(text, shown):
    error = refused(text)
    assert error.code is Code.UNKNOWN_OBJECT
    assert shown in error.got


@pytest.mark.parametrize("text", ["🤖", "((((", "and and", "?!"])
def test_a_goal_without_words_is_shown(text):
    error = refused(text)
    assert error.code is Code.EMPTY_GOAL
    assert text in error.got
