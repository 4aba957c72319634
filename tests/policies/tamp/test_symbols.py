# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from robo_orch.policies.tamp.symbols import Errand, Symbols
from tests.scenes import facts

TO_PLATE = Errand("red_cube", "plate", "place")


def test_a_free_cube_is_placed_directly():
    symbols = Symbols.of(facts(), TO_PLATE)
    assert symbols.direct(TO_PLATE)
    assert symbols.concerned(TO_PLATE) == ["plate", "red_cube"]


def test_what_stands_on_a_cube_obstructs_it():
    symbols = Symbols.of(facts(green_cube=(0.4, -0.2, 0.06)), TO_PLATE)
    assert ("green_cube", "red_cube") in symbols.obstructs
    assert not symbols.direct(TO_PLATE)
    assert symbols.concerned(TO_PLATE) == ["green_cube", "plate", "red_cube"]


def test_what_stands_on_the_target_blocks_stacking_but_not_placing():
    onto = Errand("red_cube", "green_cube", "stack")
    symbols = Symbols.of(facts(blue_cube=(0.5, -0.2, 0.06)), onto)
    assert ("blue_cube", "red_cube", "green_cube") in symbols.blocks
    assert not symbols.direct(onto)
    assert Symbols.of(facts(green_cube=(0.6, 0.2, 0.032)), TO_PLATE).direct(TO_PLATE)


def test_another_object_in_the_hand_comes_first():
    assert not Symbols.of(facts(holding="blue_cube"), TO_PLATE).direct(TO_PLATE)
    assert Symbols.of(facts(holding="red_cube"), TO_PLATE).direct(TO_PLATE)


def test_what_geometry_found_is_kept():
    symbols = Symbols.of(facts(), TO_PLATE, {("blue_cube", "red_cube")}, {("green_cube", "red_cube", "plate")})
    assert not symbols.direct(TO_PLATE)
    assert symbols.concerned(TO_PLATE) == ["blue_cube", "green_cube", "plate", "red_cube"]
