# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from robo_orch.errors import GoalError
from robo_orch.planners.consistency import agree
from robo_orch.planners.grounding import ground
from robo_orch.planners.phrases import phrasings, ways
from robo_orch.types import Code, Predicate
from tests.scenes import house

THINGS = ("red_cube", "red_cube_2", "blue_cube", "green_can", "red_can", "white_mug", "green_bottle")
HOUSE = house(*THINGS, "brown_box")
PLACES = {
    "on": ("plate", "tray", "rack", "table", "cabinet"),
    "in": ("bin", "drawer", "cabinet"),
    "at": ("left_side", "middle", "right_side"),
    "stacked": ("blue_cube", "green_can"),
}
PARTS = {"open": ("drawer", "door"), "pressed": ("button",), "turned": ("knob",), "clear": ("table", "tray")}
PARTS |= {"closed": PARTS["open"], "upright": THINGS, "holding": THINGS}


def facts(name: str):
    thing = st.sampled_from((*THINGS, "brown_box") if name == "at" else THINGS)
    args = (
        st.tuples(thing, st.sampled_from(PLACES[name])) if name in PLACES else st.tuples(st.sampled_from(PARTS[name]))
    )
    return st.builds(lambda a, negated: Predicate(name, a, negated), args, st.just(False))


def wishes():
    one = st.sampled_from([*PLACES, *PARTS]).flatmap(facts)
    away = st.builds(lambda fact: fact.negate(), st.sampled_from(["on", "in", "at"]).flatmap(facts))
    return st.lists(st.one_of(one, one, one, away), min_size=1, max_size=5, unique=True)


@settings(max_examples=30, deadline=None)
@given(wishes(), st.integers(0, 2**32))
def test_what_is_said_grounds_to_the_facts_it_was_made_from(wanted, seed):
    wanted = [f for i, f in enumerate(wanted) if agree([*wanted[:i], f], HOUSE)]
    assume(agree(wanted, HOUSE) and len(wanted) > 0)
    assume(len(wanted) == 1 or all(f.name != "holding" for f in wanted))  # is taken to be part of what follows
    goal = ground(phrasings(wanted, HOUSE, np.random.default_rng(seed)), HOUSE)
    assert goal.predicates == tuple(wanted)
    assert goal.stages == ()


ARGS = {
    name: (("green_can", places[0]) if name in PLACES else (places[-1],)) for name, places in (PLACES | PARTS).items()
}


@pytest.mark.parametrize("key", ways())
def test_each_kind_of_fact_is_said_in_five_ways_that_ground(key):
    name = key.removeprefix("not ")
    wanted = (Predicate(name, ARGS[name], key != name),)
    texts = {phrasings(wanted, HOUSE, np.random.default_rng(seed)) for seed in range(40)}
    assert len(ways()[key]) >= 5
    assert len(texts) >= 5


def test_the_same_draw_says_the_same():
    wanted = [Predicate("in", ("white_mug", "cabinet")), Predicate("closed", ("door",))]
    assert phrasings(wanted, HOUSE, np.random.default_rng(7)) == phrasings(wanted, HOUSE, np.random.default_rng(7))


def test_a_twin_is_named_so_that_it_is_meant():
    for seed in range(20):
        wanted = (Predicate("on", ("red_cube", "tray")),)
        assert ground(phrasings(wanted, HOUSE, np.random.default_rng(seed)), HOUSE).predicates == wanted


def test_what_cannot_hold_together_cannot_be_said():
    facts_wanted = [Predicate("on", ("red_can", "tray")), Predicate("on", ("red_can", "plate"))]
    with pytest.raises(GoalError) as error:
        phrasings(facts_wanted, HOUSE, np.random.default_rng(0))
    assert error.value.code is Code.IMPOSSIBLE_GOAL
