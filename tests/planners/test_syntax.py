# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.errors import GoalError
from robo_orch.planners.syntax import MAX_LENGTH, Link, NounPhrase, parse, shown
from robo_orch.planners.vocabulary import Vocabulary
from robo_orch.types import Code
from tests.planners.rooms import HOUSE

WORDS = Vocabulary.of_inventory(HOUSE)


def clauses(text: str):
    return parse(text, WORDS)


def only(text: str):
    ((_, clause),) = clauses(text)
    return clause


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("open the drawer and close the door", [Link.ALSO]),
        ("open the drawer, then close the door", [Link.THEN]),
        ("open the drawer before you close the door", [Link.BEFORE]),
        ("open the drawer after you close the door", [Link.AFTER]),
        ("before you open the drawer, close the door", [Link.AFTER]),
        ("before opening the drawer close the door", [Link.AFTER]),
        ("after you open the drawer, close the door", [Link.THEN]),
    ],
)
def test_order_words_are_kept_as_links(text, links):
    assert [link for link, _ in clauses(text)][1:] == links
    assert [clause.verb for _, clause in clauses(text)] in (["OPEN", "CLOSE"], ["CLOSE", "OPEN"])


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("the cube is on the plate", False),
        ("the cube is not on the plate", True),
        ("do not put the cube on the plate", True),
        ("do not turn the knob off", False),
        ("turn the knob off", True),
        ("the knob is not turned off", False),
        ("the knob is off", True),
        ("the knob is not off", False),
        ("there should not be a cube on the plate", True),
    ],
)
def test_denials_of_denials_are_none(text, negated):
    assert only(text).negated is negated


def test_a_place_tells_how_it_is_meant():
    places = only("put the cube that is on the tray next to the can into the bin").places
    assert [place.preposition for place in places] == ["ON", "next", "IN"]
    assert [place.reminder for place in places] == [True, False, False]
    assert [place.motion for place in places] == [False, False, True]


@pytest.mark.parametrize(
    ("said", "phrase"),
    [
        ("two cubes", NounPhrase(("cubes",), count=2, indefinite=True)),
        ("the two cubes", NounPhrase(("cubes",), count=2)),
        ("both cubes", NounPhrase(("cubes",), count=2, every=True)),
        ("no cube", NounPhrase(("cube",), every=True, none=True)),
        ("some cube", NounPhrase(("cube",), indefinite=True, several=True)),
        ("the", NounPhrase(specifiers="the")),
        ("it", NounPhrase(pronoun="it", span=(1, 2))),
    ],
)
def test_quantities_are_kept(said, phrase):
    assert only(f"pick {said}").themes == (phrase,)


@pytest.mark.parametrize("text", ["put", "on the plate put", "put the cube or the can on the plate", "if so, open it"])
def test_what_the_grammar_lacks_is_refused(text):
    with pytest.raises(GoalError) as error:
        clauses(text)
    assert error.value.code is Code.NOT_UNDERSTOOD


def test_what_no_skill_is_meant_for_is_refused_by_name():
    with pytest.raises(GoalError) as error:
        clauses("wipe the table")
    assert error.value.code is Code.NO_SKILL
    assert "'wipe'" in error.value.got


def test_a_text_is_shown_quoted_escaped_and_cut():
    assert shown("a\nb") == r"'a\nb'"
    assert len(shown("x" * MAX_LENGTH)) < 100
