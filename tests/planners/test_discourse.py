# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from robo_orch.planners.discourse import Discourse


def told() -> Discourse:
    discourse = Discourse()
    discourse.note(["red_cube"])
    discourse.note(["plate"])
    discourse.begin()
    discourse.note(["cabinet"], aside=True)
    discourse.note(["drawer"])
    discourse.note(["a", "b"])
    return discourse


def test_singles_come_clause_by_clause_the_latest_first_and_what_was_said_aside_later():
    assert list(told().singles()) == [["drawer"], ["cabinet"], ["plate", "red_cube"]]


def test_everything_spoken_of_is_mentioned():
    assert told().mentioned() == {"red_cube", "plate", "cabinet", "drawer", "a", "b"}


def test_a_copy_goes_on_by_itself():
    first = told()
    second = first.copy()
    second.begin()
    second.note(["bin"])
    assert "bin" in second.mentioned()
    assert "bin" not in first.mentioned()
    assert first.groups == told().groups
