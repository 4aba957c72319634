# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.objects import Surface
from robo_orch.policies.mpc.plane import Shapes
from robo_orch.policies.mpc.way import CELL, Ways
from robo_orch.types import Pose
from tests.policies.mpc.test_plane import shapes

REGION = Surface("top", np.zeros(3), (0.17, 0.09))
AT = Pose.of((0.55, -0.02, 0.0))
NOTHING = Shapes.of({}, {}, ())


def test_nothing_is_left_to_go_well_inside_the_region():
    ways = Ways(NOTHING, REGION, AT, 0.03, 0.06)
    assert ways.togo(np.array([0.55, -0.02])) == 0.0
    assert ways.inside(np.array([0.55, 0.06])) == pytest.approx(0.01)


def test_on_free_ground_the_way_is_the_straight_one():
    left = Ways(NOTHING, REGION, AT, 0.03, 0.06).togo(np.array([0.55, -0.40]))
    assert left == pytest.approx(0.40 - 0.02 - 0.06, abs=2 * CELL)


def test_the_way_leads_around_what_stands_there():
    wall = shapes(("bar", 0.55, -0.2, 0.0), ("bar", 0.45, -0.2, 0.0))
    free = Ways(NOTHING, REGION, AT, 0.03, 0.06).togo(np.array([0.5, -0.40]))
    around = Ways(wall, REGION, AT, 0.03, 0.06).togo(np.array([0.5, -0.40]))
    assert around > free + 0.05


def test_a_region_that_is_full_is_still_a_goal():
    full = shapes(*[("plate", 0.4 + 0.1 * i, -0.02, 0.0) for i in range(4)])
    assert np.isfinite(Ways(full, REGION, AT, 0.03, 0.06).togo(np.array([0.5, -0.40])))
