# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.sim.build import build
from tests.sim.driving import GOAL, Driver


@pytest.fixture
def simulation():
    return build("kitchen", "mujoco", 0, GOAL)


@pytest.fixture
def driver(simulation):
    return Driver(simulation)


@pytest.fixture(scope="module")
def held():
    """A driver that holds the red cube 10 cm above the table, and a snapshot of that moment."""
    driver = Driver(build("kitchen", "mujoco", 0, GOAL))
    driver.grasp("red_cube")
    driver.lift(0.1)
    return driver, driver.robot.snapshot()
