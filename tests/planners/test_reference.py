# SPDX-License-Identifier: Apache-2.0
"""Which objects a noun phrase means."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.errors import GoalError
from robo_orch.planners.discourse import Discourse
from robo_orch.planners.english import english
from robo_orch.planners.grounding import ground
from robo_orch.planners.reference import Resolver, exactly
from robo_orch.planners.syntax import NounPhrase
from robo_orch.planners.vocabulary import Vocabulary
from robo_orch.predicates import Facts, check
from robo_orch.types import Code
from tests.planners.rooms import CUBES, HOUSE, MUGS, SEEN, meant, refused

WORDS = Vocabulary.of_inventory(HOUSE)


def resolver(seen: Facts | None = SEEN, *mentioned: str) -> Resolver:
    discourse = Discourse()
    for name in mentioned:
        discourse.note([name])
    return Resolver(HOUSE, WORDS, seen, discourse)


def many(given: NounPhrase, *args, found: Resolver | None = None, **options) -> tuple[str, ...]:
    return (found or resolver()).many(given, lambda spec: True, *args, **options)


def soup():
    said = {w for phrase in english().classes for w in phrase} | {w for noun in WORDS.nouns for w in noun.split()}
    said |= {*WORDS.colours, *WORDS.names, *english().things, *english().sizes, *english().places, "others", "2"}
    orderly = st.sampled_from(["put the {} on the {}", "the {} is in the {}", "throw the {} on the {} away", "{} {}"])
    word = st.sampled_from(sorted(said))
    words = st.lists(word, min_size=1, max_size=4).map(" ".join)
    return st.one_of(st.builds(lambda form, a, b: form.format(a, b), orderly, words, words), words)


@settings(deadline=None, max_examples=200)
@given(soup(), st.booleans())
def test_no_goal_is_about_an_object_that_the_scene_lacks(text, blind):
    with suppress(GoalError):
        goal = ground(text, HOUSE, None if blind else SEEN)
        facts = [*goal.predicates, *(fact for stage in goal.stages for fact in stage)]
        assert facts
        for fact in facts:
            check(fact, HOUSE)


@pytest.mark.parametrize("name", HOUSE)
def test_an_exact_name_means_one_object(name):
    assert many(NounPhrase((name,))) == (name,)


@pytest.mark.parametrize("name", [name for name, spec in HOUSE.items() if spec.movable])
def test_exact_words_mean_one_object(name):
    assert meant(f"pick up the {exactly(name, HOUSE)}") == [f"holding({name})"]


def test_an_indefinite_phrase_means_rather_what_was_not_spoken_of():
    found = resolver(SEEN, "red_cube")
    assert many(NounPhrase(("cube",), indefinite=True), found=found) == ("green_cube",)


def test_what_is_barred_is_not_among_any_two():
    two = NounPhrase(("cubes",), indefinite=True, count=2)
    assert many(two, barred=["red_cube"]) == ("green_cube", "blue_cube")
    with pytest.raises(GoalError) as error:
        many(NounPhrase(("mugs",), indefinite=True, count=2), barred=["blue_mug"])
    assert error.value.code is Code.UNKNOWN_OBJECT


def test_some_means_several_of_a_plural_only():
    assert many(NounPhrase(("cube",), indefinite=True, several=True)) == ("red_cube",)
    assert many(NounPhrase(("cubes",), indefinite=True, several=True)) == CUBES


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "put the white mug on the plate and the other mug on the tray",
            ["on(white_mug, plate)", "on(blue_mug, tray)"],
        ),
        ("put the white mug on the plate and the others on the tray", ["on(white_mug, plate)", "on(blue_mug, tray)"]),
        ("put the white mug on the plate and the rest on the tray", ["on(white_mug, plate)", "on(blue_mug, tray)"]),
        ("put one mug on the plate and the other on the tray", ["on(white_mug, plate)", "on(blue_mug, tray)"]),
        ("put one mug on the plate and one on the tray", ["on(white_mug, plate)", "on(blue_mug, tray)"]),
        ("put a mug on the plate and another on the tray", ["on(white_mug, plate)", "on(blue_mug, tray)"]),
        (
            "put the white mug on the plate and the rest of the mugs on the tray",
            ["on(white_mug, plate)", "on(blue_mug, tray)"],
        ),
    ],
)
def test_the_others_are_those_of_the_kind_that_were_not_spoken_of(text, facts):
    assert meant(text) == facts


@pytest.mark.parametrize("rest", ["the rest", "everything else"])
def test_where_none_of_the_kind_is_left_the_rest_is_everything_else(rest):
    others = [name for name, spec in HOUSE.items() if spec.movable and name not in MUGS]
    assert meant(f"put both mugs on the plate and {rest} in the bin")[2:] == [f"in({name}, bin)" for name in others]


@pytest.mark.parametrize(
    "text",
    [
        "put every cube except the red and the blue one in the bin",
        "put every cube except the red one and the blue one in the bin",
        "put all the cubes in the bin except the red and the blue cube",
        "put every cube but the red and the blue in the bin",
    ],
)
def test_exceptions_are_of_the_kind_that_they_are_excepted_from(text):
    assert meant(text) == [f"in({name}, bin)" for name in CUBES if name not in ("red_cube", "blue_cube")]


def test_the_words_of_an_ambiguity_can_be_typed():
    error = refused("put the yellow cube on the plate")
    assert error.code is Code.AMBIGUOUS_OBJECT
    for said in ("the yellow_cube", "all the yellow cubes"):
        assert f'"{said}"' in error.remedy
        assert meant(f"put {said} on the plate")[0] == "on(yellow_cube, plate)"


@pytest.mark.parametrize("words", ["the", "a", "my", "every"])
def test_an_article_alone_means_nothing(words):
    assert refused(f"put {words} on the plate").code is Code.NOT_UNDERSTOOD


def test_a_group_spoken_of_is_meant_by_them_and_both():
    for said in ("them", "both", "these two"):
        text = f"put the red cube and the blue cube on the tray, then put {said} in the bin"
        assert meant(text) == ["in(red_cube, bin)", "in(blue_cube, bin)"]
    assert refused("put both on the plate").code is Code.AMBIGUOUS_OBJECT


def test_what_only_tells_which_thing_is_meant_was_mentioned_aside():
    found = resolver()
    many(NounPhrase(("drawer",), of=NounPhrase(("cabinet",))), found=found)
    assert list(found.discourse.singles()) == [["drawer"], ["cabinet"]]
