# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.bench import gripper
from robo_orch.types import ActionKind, ActionSpace, DeltaReference, GripperEncoding

SPACES = [
    ActionSpace(ActionKind.EE_DELTA, 7, "base", "rotvec", DeltaReference.COMMAND, GripperEncoding.WIDTH),
    ActionSpace(ActionKind.JOINT_POSITION, 8, gripper=GripperEncoding.OPEN_FRACTION),
    ActionSpace(ActionKind.JOINT_DELTA, 8, reference=DeltaReference.MEASURED, gripper=GripperEncoding.CLOSE_FRACTION),
    ActionSpace(ActionKind.JOINT_TRAJECTORY, 15, gripper=GripperEncoding.WIDTH),
]


@pytest.mark.parametrize("space", SPACES, ids=lambda space: f"{space.kind}-{space.gripper}")
def test_open_opens_the_physical_gripper_and_close_closes_it(space):
    assert gripper.polarity(space, "kitchen", 0) is None


def test_a_space_without_a_gripper_has_nothing_to_open():
    space = ActionSpace(ActionKind.JOINT_POSITION, 7, gripper=GripperEncoding.NONE)
    assert gripper.polarity(space, "kitchen", 0) is None


def test_a_gripper_that_does_the_opposite_is_told(monkeypatch):
    told = gripper._told
    monkeypatch.setattr(gripper, "_told", lambda simulation, space, value: told(simulation, space, 0.08 - value))
    assert "close: 100% open" in gripper.polarity(SPACES[0], "kitchen", 0)[1]
