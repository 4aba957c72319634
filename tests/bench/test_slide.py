# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robo_orch.bench.slide import slides
from robo_orch.objects import Trait
from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.types import Pose

LAYOUT = lay_out(load_scene("kitchen"), 3, (("box", "white"), ("can", "blue"), ("can", "red"), ("cube", "red")))


def with_box(x, y, yaw=0.0, **others):
    """The box somewhere, named things elsewhere, all else that is free behind the robot."""
    free = [name for name, spec in LAYOUT.inventory.items() if Trait.FREE in spec.traits]
    poses = {name: Pose.of((-0.4, 0.1 * i, 0.05)) for i, name in enumerate(free)}
    poses["white_box"] = Pose.of((x, y, 0.018), (0, 0, np.sin(yaw / 2), np.cos(yaw / 2)))
    poses |= {name: Pose.of((*at, 0.06)) for name, at in others.items()}
    return replace(LAYOUT, poses={**LAYOUT.poses, **poses})


@pytest.mark.parametrize("yaw", [0.0, 0.7, 2.5])
@pytest.mark.parametrize("region", ["left_side", "right_side", "middle"])
def test_over_an_empty_table_a_box_gets_everywhere(region, yaw):
    assert slides(with_box(0.55, -0.21, yaw), "white_box", region)


def test_a_region_without_room_is_not_reached():
    filled = with_box(0.55, -0.21, plate=(0.60, -0.40), blue_can=(0.43, -0.36), red_can=(0.42, -0.46))
    assert not slides(filled, "white_box", "right_side")


def test_what_is_out_of_reach_goes_nowhere():
    assert not slides(with_box(1.2, 0.6), "white_box", "middle")


def test_flat_is_what_slides_and_has_sides_for_fingers():
    flat = {spec.kind for spec in LAYOUT.inventory.values() if Trait.FLAT in spec.traits}
    assert "box" in flat and not flat & {"plate", "can", "cube"}
