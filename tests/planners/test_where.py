# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.planners.where import closest, gap, ground_of, outermost, related, sized
from robo_orch.predicates import Facts
from tests.planners.rooms import CUBES, HOUSE, MUGS, SEEN
from tests.scenes import estimate, house_facts

THINGS = (*CUBES, *MUGS)
PLACES = {"red_cube": ("on", "blue_cube"), "blue_cube": ("on", "plate"), "white_mug": ("in", "drawer")}
STACKED = house_facts(HOUSE, PLACES)


def at(**where: tuple[float, float]) -> Facts:
    return Facts(HOUSE, {name: estimate(name, (x, y, 0.03), 0.002) for name, (x, y) in where.items()})


def test_on_goes_through_other_movable_things_and_in_does_not():
    assert related("red_cube", "ON", ["plate"], STACKED)
    assert related("red_cube", "ON", ["blue_cube"], STACKED)
    assert not related("green_cube", "ON", ["plate"], STACKED)
    assert related("white_mug", "IN", ["drawer"], STACKED)
    assert not related("red_cube", "IN", ["drawer"], STACKED)


def test_parts_are_on_what_they_are_parts_of():
    assert related("button", "ON", ["console"], SEEN)
    assert related("drawer", "IN", ["cabinet"], SEEN)
    assert not related("button", "ON", ["cabinet"], SEEN)


@pytest.mark.parametrize("preposition", ["ON", "IN", "OFF", "next", "left", "right", "front", "behind"])
def test_what_was_never_perceived_is_nowhere(preposition):
    assert not related("red_cube", preposition, ["plate"], Facts(HOUSE, {}))


@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5))
def test_opposite_sides_exclude_each_other(x, y):
    seen = at(red_cube=(x, y), green_cube=(0.0, 0.0))
    for side, other in (("left", "right"), ("front", "behind")):
        assert not (
            related("red_cube", side, ["green_cube"], seen) and related("red_cube", other, ["green_cube"], seen)
        )
        assert related("red_cube", side, ["green_cube"], seen) == related("green_cube", other, ["red_cube"], seen)


@given(st.lists(st.tuples(st.floats(0.2, 0.8), st.floats(-0.5, 0.5)), min_size=2, max_size=5))
def test_the_outermost_is_never_inside_of_another(spots):
    seen = at(**dict(zip(CUBES, spots, strict=False)))
    names = list(seen.objects)
    for place, sign in (("left", 1.0), ("right", -1.0)):
        found = outermost(place, names, seen)
        best = max(sign * seen.objects[n].pose.position[1] for n in names)
        assert found and all(best - sign * seen.objects[n].pose.position[1] < 0.01 for n in found)
    assert outermost("left", ["white_mug"], seen) == []


def test_a_gap_is_symmetric_and_nothing_where_things_overlap():
    seen = at(red_cube=(0.3, 0.0), green_cube=(0.5, 0.0))
    assert gap("red_cube", "green_cube", seen) == gap("green_cube", "red_cube", seen)
    assert 0.1 < gap("red_cube", "green_cube", seen) < 0.2
    assert gap("red_cube", "red_cube", seen) == 0.0


def test_the_closest_is_meant_only_if_it_is_clearly_the_closest():
    near = at(red_cube=(0.3, 0.0), green_cube=(0.36, 0.0), blue_cube=(0.5, 0.0))
    assert closest(["green_cube", "blue_cube"], ["red_cube"], near) == ["green_cube"]
    alike = at(red_cube=(0.4, 0.0), green_cube=(0.5, 0.0), yellow_cube=(0.3, 0.0))
    assert closest(["green_cube", "yellow_cube"], ["red_cube"], alike) == ["green_cube", "yellow_cube"]


@pytest.mark.parametrize("size", ["large", "small", "tall", "short"])
@given(names=st.lists(st.sampled_from(THINGS), min_size=1, unique=True), several=st.booleans())
def test_a_size_picks_some_of_those_given(size, names, several):
    found = sized(size, names, [HOUSE[n] for n in names], several)
    assert found and set(found) <= set(names)


def test_a_region_belongs_to_the_furniture_that_it_lies_on():
    assert ground_of("left_side", SEEN) == "table"
    assert ground_of("left_side", Facts(HOUSE, {})) is None
