# SPDX-License-Identifier: Apache-2.0
"""The house that tests of words speak about, and what a goal means in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from robo_orch.catalogue import make_object
from robo_orch.errors import GoalError
from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.planners.grounding import ground
from robo_orch.predicates import Facts
from tests.scenes import house, house_facts

CUBES = ("red_cube", "green_cube", "blue_cube", "yellow_cube", "yellow_cube_2")
CANS = ("red_can", "green_can")
MUGS = ("white_mug", "blue_mug")
HOUSE = house(*CUBES, *CANS, *MUGS, "green_bottle", "brown_box", blue_cube=1.11)
PLACES: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("red_cube", "green_cube"), ("on", "middle")),
    "blue_cube": ("on", "plate"),
    "red_can": ("on", "tray"),
}
SEEN = house_facts(HOUSE, PLACES)


def meant(text: str, inventory: Inventory = HOUSE, seen: Facts | None = SEEN) -> list[str]:
    """The facts that a goal stands for."""
    return [str(fact) for fact in ground(text, inventory, seen).predicates]


def stages(text: str) -> list[list[str]]:
    """The facts that a goal stands for, stage by stage."""
    goal = ground(text, HOUSE, SEEN)
    return [[str(fact) for fact in stage] for stage in goal.stages or (goal.predicates,)]


def refused(text: str, inventory: Inventory = HOUSE, seen: Facts | None = SEEN) -> GoalError:
    """The error with which a goal is refused."""
    with pytest.raises(GoalError) as error:
        ground(text, inventory, seen)
    return error.value


def tin(name: str = "red_tin") -> ObjectSpec:
    """A kind whose own name is another kind's further word."""
    colour = name.split("_")[0]
    return replace(make_object("can", f"{colour}_can", colour), name=name, kind="tin", words=("box of tea",))
