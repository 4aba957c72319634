# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.sim.build import build
from tests.sim.driving import GOAL, Driver


@pytest.fixture(scope="session")
def _built():
    """To build a world takes as long as a hundred control periods: all tests share one, as it was at first."""
    simulation = build("kitchen", "mujoco", 0, GOAL)
    return simulation, simulation.robot.snapshot()


@pytest.fixture
def simulation(_built):
    simulation, beginning = _built
    simulation.robot.restore(beginning)
    return simulation


@pytest.fixture
def driver(simulation):
    return Driver(simulation)


@pytest.fixture(scope="session")
def _held(_built):
    simulation, beginning = _built
    simulation.robot.restore(beginning)
    driver = Driver(simulation)
    driver.grasp("red_cube")
    driver.lift(0.1)
    return driver.robot.snapshot()


@pytest.fixture
def held(_held, simulation):
    """A driver that holds the red cube 10 cm above the table, and a snapshot of that moment."""
    simulation.robot.restore(_held)
    driver = Driver(simulation)
    driver.width = 0.0
    return driver, _held
