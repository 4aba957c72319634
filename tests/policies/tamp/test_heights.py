# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import pytest

from robo_orch.policies.tamp.heights import Heights
from robo_orch.types import Pose
from tests.scenes import INVENTORY, PLACES, estimate, facts

INVENTORY = {name: replace(spec, grasps=()) if name == "plate" else spec for name, spec in INVENTORY.items()}
HEIGHTS = Heights(INVENTORY)


def height(name: str, sigma: float = 0.005, held=None, **moved) -> float | None:
    seen = facts(sigma=sigma, **moved).objects
    exact = {n: estimate(n, PLACES[n], 0.001) for n in ("table", "plate")}
    found = HEIGHTS.grounded({**seen, **exact}, held).get(name)
    return None if found is None else float(found.pose.position[2])


@pytest.mark.parametrize("error", [-0.012, 0.0, 0.012])
def test_what_is_over_the_table_by_no_more_than_its_error_stands_on_it(error):
    assert height("red_cube", red_cube=(0.4, -0.2, 0.02 + error)) == pytest.approx(0.02)


def test_of_several_surfaces_below_it_stands_on_the_highest():
    assert height("red_cube", red_cube=(0.6, 0.2, 0.024)) == pytest.approx(0.032)  # the plate's, 12 mm high


def test_heights_are_handed_on_through_a_tower():
    tower = {"red_cube": (0.4, -0.2, 0.028), "green_cube": (0.4, -0.2, 0.056), "blue_cube": (0.4, -0.2, 0.106)}
    assert [height(name, **tower) for name in tower] == pytest.approx([0.02, 0.06, 0.10])


def test_what_is_clearly_above_everything_stays_where_it_is_seen():
    assert height("red_cube", red_cube=(0.4, -0.2, 0.08)) == pytest.approx(0.08)


def test_what_is_held_leaning_or_known_little_is_left_alone():
    assert height("red_cube", held="red_cube") is None
    assert height("red_cube", sigma=0.04) is None
    assert height("red_cube", red_cube=Pose.of((0.4, -0.2, 0.03), (0.5, 0.0, 0.0, 0.866))) is None
