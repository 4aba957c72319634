# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.motion.failure import MotionFailure
from robo_orch.policies.tamp import task
from robo_orch.policies.tamp.symbols import Errand, Symbols
from robo_orch.policies.tamp.task import plan
from robo_orch.types import Code

PLACE = Errand("a", "plate", "place")


@pytest.fixture(autouse=True)
def _fast_downward():
    pytest.importorskip(task.PACKAGE)


def said(symbols: Symbols, errand: Errand) -> str:
    return " ".join(f"{step.name}({','.join(step.args)})" for step in plan(symbols, errand))


def test_what_obstructs_is_moved_aside_first():
    symbols = Symbols(obstructs=frozenset({("b", "a"), ("c", "b")}))
    assert said(symbols, PLACE) == "pick(c) move_aside(c) pick(b) move_aside(b) pick(a) place(a,plate)"


def test_what_is_in_the_hand_is_put_aside_first_and_then_obstructs_no_more():
    symbols = Symbols(held="c", obstructs=frozenset({("c", "a")}))
    assert said(symbols, PLACE) == "move_aside(c) pick(a) place(a,plate)"


def test_a_drawer_is_opened_before_something_is_put_in_it():
    symbols = Symbols(obstructs=frozenset({("b", "drawer")}), behind={"drawer": frozenset({"drawer"})})
    steps = said(symbols, Errand("a", "drawer", "put_in")).split()
    assert steps == ["pick(b)", "move_aside(b)", "open(drawer)", "pick(a)", "put_in(a,drawer)"]


def test_what_blocks_the_place_is_moved_though_the_object_can_be_grasped():
    symbols = Symbols(blocks=frozenset({("b", "a", "plate")}))
    assert said(symbols, PLACE) == "pick(b) move_aside(b) pick(a) place(a,plate)"


def test_what_obstructs_each_other_has_no_plan():
    with pytest.raises(MotionFailure) as failure:
        plan(Symbols(obstructs=frozenset({("b", "a"), ("a", "b")})), PLACE)
    assert failure.value.code is Code.NO_PLACE
