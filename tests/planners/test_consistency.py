# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.errors import GoalError
from robo_orch.planners.consistency import (
    agree,
    area,
    carried,
    check_consistent,
    check_possible,
    conflict,
    footprint,
    only_floor,
)
from robo_orch.types import Code, Predicate
from tests.planners.rooms import CUBES, HOUSE

MOVED = (*CUBES[:3], "white_mug", "green_bottle")


def fact(name: str, *args: str, negated: bool = False) -> Predicate:
    return Predicate(name, args, negated)


def facts():
    thing, place = st.sampled_from(MOVED), st.sampled_from(("plate", "tray", "table", "left_side", *CUBES[:2]))
    two = st.builds(lambda n, a, b, no: Predicate(n, (a, b), no), st.just("on"), thing, place, st.booleans())
    hollow = st.builds(lambda a, b: Predicate("in", (a, b)), thing, st.sampled_from(("drawer", "bin", "cabinet")))
    one = st.builds(
        lambda n, no: Predicate(n, ("drawer",), no), st.sampled_from(("open", "closed", "clear")), st.booleans()
    )
    held = st.builds(lambda a: Predicate("holding", (a,)), thing)
    return st.one_of(two, hollow, one, held)


@given(facts(), facts())
def test_conflict_is_symmetric(a, b):
    assert conflict(a, b, HOUSE) == conflict(b, a, HOUSE)


@given(facts())
def test_a_fact_conflicts_with_its_opposite_and_not_with_itself(a):
    assert conflict(a, a.negate(), HOUSE)
    assert not conflict(a, a, HOUSE)


@given(st.lists(facts(), max_size=5), st.lists(facts(), max_size=5))
def test_what_is_carried_agrees_and_keeps_all_that_is_new(earlier, later):
    later = [f for i, f in enumerate(later) if agree([*later[:i], f], HOUSE)]
    if not agree(later, HOUSE):
        return
    kept = carried(earlier, later, HOUSE)
    assert agree(kept, HOUSE)
    assert set(later) <= set(kept) <= {*earlier, *later}
    assert len(set(kept)) == len(kept)


@given(st.lists(facts(), max_size=5))
def test_fewer_facts_agree_where_more_do(several):
    if agree(several, HOUSE):
        assert all(agree([f for f in several if f != dropped], HOUSE) for dropped in several)


@pytest.mark.parametrize(
    "together",
    [
        [fact("on", "red_cube", "red_cube")],
        [fact("on", "red_cube", "plate"), fact("in", "red_cube", "bin")],
        [fact("stacked", "red_cube", "blue_cube"), fact("stacked", "blue_cube", "red_cube")],
        [fact("open", "door"), fact("closed", "door")],
        [fact("open", "door"), fact("open", "door", negated=True)],
        [fact("holding", "red_cube"), fact("holding", "blue_cube")],
        [fact("clear", "plate"), fact("on", "red_cube", "plate")],
    ],
)
def test_facts_that_exclude_each_other_are_contradictory(together):
    with pytest.raises(GoalError) as error:
        check_consistent(together, HOUSE)
    assert error.value.code is Code.CONTRADICTORY_GOAL
    assert not agree(together, HOUSE)


@pytest.mark.parametrize(
    "wrong",
    [
        fact("holding", "table"),
        fact("holding", "brown_box"),
        fact("holding", "drawer"),
        fact("open", "red_cube"),
        fact("pressed", "knob"),
        fact("turned", "button"),
        fact("upright", "table"),
        fact("on", "table", "plate"),
        fact("on", "brown_box", "tray"),
        fact("in", "red_cube", "plate"),
    ],
)
def test_what_an_objects_make_rules_out_is_impossible(wrong):
    with pytest.raises(GoalError) as error:
        check_possible([wrong], HOUSE)
    assert error.value.code is Code.IMPOSSIBLE_GOAL
    assert error.value.remedy


def test_a_region_holds_together_with_its_table_only():
    at = fact("at", "red_cube", "left_side")
    assert agree([at, fact("on", "red_cube", "table")], HOUSE)
    assert not agree([at, fact("at", "red_cube", "right_side")], HOUSE)
    assert agree([fact("at", "brown_box", "left_side")], HOUSE)


def test_more_than_a_place_has_room_for_is_impossible():
    assert not agree([fact("on", name, "red_cube") for name in ("green_cube", "blue_cube")], HOUSE)
    assert agree([fact("on", "green_cube", "red_cube")], HOUSE)
    assert footprint(HOUSE["green_cube"]) * 2 > area(HOUSE["red_cube"])


def test_what_has_floors_only_takes_things_in():
    assert [name for name in ("drawer", "bin", "cabinet", "plate") if only_floor(HOUSE[name])] == ["drawer", "bin"]
