# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.planners.belief import Belief
from robo_orch.predicates import Facts
from robo_orch.types import Predicate
from tests.planners.rooms import HOUSE
from tests.scenes import house_facts

THINGS = ("red_cube", "green_cube", "white_mug", "green_bottle")
SPOTS = (("on", "table"), ("on", "plate"), ("on", "tray"), ("on", "cabinet"), ("in", "drawer"), ("in", "bin"))
AT = {"red_cube": ("on", "blue_cube"), "blue_cube": ("on", "plate"), "white_mug": ("in", "drawer")}


def believed(at=None, opened=(), sigma: float = 0.001, holding: str | None = None) -> Belief:
    return Belief.of(house_facts(HOUSE, AT if at is None else at, opened, holding, sigma))


def holds(belief: Belief, name: str, *args: str, negated: bool = False) -> bool:
    return belief.holds(Predicate(name, args, negated))


def test_what_stands_where_is_believed():
    belief = believed()
    assert belief.on("plate") == ["blue_cube"]
    assert belief.within("drawer") == ["white_mug"]
    assert belief.chain("red_cube")[:3] == ["red_cube", "blue_cube", "plate"]
    assert "table" in belief.chain("red_cube")
    assert holds(belief, "on", "red_cube", "blue_cube")
    assert holds(belief, "on", "red_cube", "tray", negated=True)


@pytest.mark.parametrize("opened", [(), ("drawer",), ("door",), ("drawer", "door")])
def test_drawers_and_doors_are_open_or_closed(opened):
    belief = believed(opened=opened)
    for part in ("drawer", "door"):
        assert holds(belief, "open", part) == (part in opened)
        assert holds(belief, "closed", part) != (part in opened)
        assert holds(belief, "open", part, negated=True) == holds(belief, "closed", part)


def test_what_shuts_a_thing_away_is_known():
    assert believed().shut("white_mug") == ["drawer"]
    assert believed(opened=["drawer"]).shut("white_mug") == []
    assert believed().shut("cabinet", inside=True) == ["door"]
    assert believed().behind("door") == ["cabinet"]


def test_what_was_never_perceived_is_nowhere_and_no_fact_about_it_holds():
    belief = Belief.of(Facts(HOUSE, {}))
    assert not any(belief.where.values())
    assert not holds(belief, "on", "red_cube", "plate")
    assert not holds(belief, "open", "door") and not holds(belief, "closed", "door")


def test_a_fact_that_is_only_likely_does_not_hold_but_is_reckoned_with():
    doubtful = believed(sigma=0.014)
    assert not holds(doubtful, "on", "blue_cube", "plate")
    assert "blue_cube" in doubtful.on("plate")


def test_what_is_held_is_held():
    belief = believed(holding="red_cube")
    assert holds(belief, "holding", "red_cube") and holds(belief, "holding", "blue_cube", negated=True)
    belief.move("red_cube", "on", "tray")
    assert belief.held is None


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(st.sampled_from(THINGS), st.sampled_from(SPOTS)), min_size=1, max_size=6))
def test_after_a_move_a_thing_is_there_and_nowhere_else(moves):
    belief = believed({})
    for name, (relation, place) in moves:
        belief.move(name, relation, place)
        assert holds(belief, relation, name, place)
        others = [(r, p) for r, p in SPOTS if p != place]
        assert not any(holds(belief, r, name, p) for r, p in others)
    for place in ("plate", "tray"):
        assert holds(belief, "clear", place) == (not belief.loose(place))


def test_an_empty_place_has_room_and_a_full_one_has_none():
    belief = believed()
    assert belief.room("green_bottle", "tray")
    assert not belief.room("green_cube", "blue_cube")
    assert belief.room("red_cube", "blue_cube")
