# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.policies.tamp import task
from robo_orch.types import Code
from tests.policies.tamp.desk import Desk


def walled_in(seed: int, **perturb: float) -> Desk:
    """A red cube with another one so close at two sides that no finger gets between them."""
    desk = Desk(seed, ("cube", "red"), ("cube", "green"), ("cube", "blue"), **perturb)
    others = [n for n, o in desk.inventory.items() if o.movable and not n.endswith("_cube")]
    for i, name in enumerate(others):
        desk.put(name, -0.28, 0.1 + 0.15 * i)  # behind the robot
    desk.put("red_cube", 0.45, -0.10)
    desk.put("green_cube", 0.505, -0.10)
    desk.put("blue_cube", 0.45, -0.155)
    desk.wait(0.5)
    return desk


def test_what_stands_in_the_way_of_every_grasp_is_moved_aside_first():
    pytest.importorskip(task.PACKAGE)
    desk = walled_in(3)
    done = desk.do("pick_place", "red_cube", "plate")
    assert done, (done.outcome, done.unsafe)
    lifted = [label for label in done.labels if label.startswith("lifting")]
    assert lifted[-1] == "lifting the red cube" and len(lifted) >= 2


def test_what_is_moved_aside_is_told_before_it_is_touched():
    pytest.importorskip(task.PACKAGE)
    desk = walled_in(3)
    desk.do("pick_place", "red_cube", "plate")
    first = next(data for event, data in desk.events if event == "chunk" and data.get("moves"))
    assert first["label"].startswith("moving to")
    assert set(first["moves"]) <= {"green_cube", "blue_cube"}


def test_what_is_in_the_way_and_known_too_little_is_refused_before_anything_is_planned(monkeypatch):
    monkeypatch.setattr(task, "find_spec", lambda name: None)
    desk = walled_in(3, pose_noise=8.0)
    done = desk.do("pick_place", "red_cube", "plate")
    assert done.outcome.code is Code.IMPRECISE_POSE and not done.labels


def test_without_fast_downward_it_says_so_only_where_it_is_needed(monkeypatch):
    monkeypatch.setattr(task, "find_spec", lambda name: None)
    done = walled_in(3).do("pick_place", "red_cube", "plate")
    assert done.outcome.code is Code.PRECONDITION and "make setup" in done.outcome.message
    assert not done.labels
    assert Desk(2, ("cube", "red")).do("pick_place", "red_cube", "plate")
