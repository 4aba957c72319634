# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.types import Code
from tests.policies.tamp.desk import Desk


@pytest.mark.parametrize("part", ["drawer", "door"])
def test_a_part_is_pulled_open_and_pushed_shut(part):
    desk = Desk(2)
    for name in (f"open_{part}", f"close_{part}"):
        done = desk.do(name, part)
        assert done, (name, done.outcome, done.unsafe)


def test_case_c32_what_is_as_it_shall_be_is_left_alone():
    desk = Desk(0)
    done = desk.do("close_drawer", "drawer")
    assert done and not done.labels


def test_a_drawer_that_holds_back_ends_with_the_measured_opening():
    desk = Desk(0, handle_stiffness=20.0)
    done = desk.do("open_drawer", "drawer")
    assert done.outcome.code is Code.NO_PROGRESS and not done.true
    assert "of 200 mm open" in done.outcome.message
    assert not done.unsafe


def test_a_cube_is_put_into_an_open_drawer_and_rides_along_when_it_is_shut():
    desk = Desk(2, ("cube", "red"))
    for name, args in [("open_drawer", ["drawer"]), ("place_in", ["red_cube", "drawer"]), ("close_drawer", ["drawer"])]:
        done = desk.do(name, *args)
        assert done, (name, done.outcome, done.unsafe)
