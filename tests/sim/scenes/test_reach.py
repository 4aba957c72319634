# SPDX-License-Identifier: Apache-2.0
"""Whatever can be grasped at all can be grasped where it is laid out, handles included."""

from __future__ import annotations

import numpy as np
import pytest

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.kinematics import Kinematics
from robo_orch.motion.scene import GRIPPER, PlanningScene
from robo_orch.robots import load_robot
from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.types import Pose, PoseEstimate

PANDA = load_robot("panda")
KINEMATICS = Kinematics(PANDA)
KITCHEN = load_scene("kitchen")


def perceived(layout):
    return {n: PoseEstimate(n, p, np.eye(6) * 1e-6, 0.0, "test") for n, p in layout.poses.items()}


def a_way(scene, layout, obj, rng):
    """Name of a grasp that the hand reaches from 10 cm back without touching anything else; none: empty."""
    touching = [(GRIPPER, obj.name)] + ([(GRIPPER, obj.joint.parent)] if obj.joint else [])
    for i in rng.permutation(len(obj.grasps)):
        at = layout.poses[obj.name] @ obj.grasps[i].pose
        with scene.allowing(touching, depth=0.02):
            try:
                back = KINEMATICS.inverse(at @ Pose.of((0, 0, -0.1)), PANDA.home, rng, restarts=4, accept=scene.free)
                if all(map(scene.free, KINEMATICS.straight(back, at))):
                    return obj.grasps[i].name
            except MotionFailure:
                continue
    return ""


def out_of_reach(seed):
    layout, rng = lay_out(KITCHEN, seed), np.random.default_rng(seed)
    scene = PlanningScene(PANDA, layout.inventory)
    scene.update(perceived(layout), PANDA.gripper.max_width)
    return [o.name for o in layout.inventory.values() if o.grasps and not a_way(scene, layout, o, rng)]


@pytest.mark.parametrize("seed", [0, 7, 20_003, 30_011, 50_021, 100_043])
def test_everything_that_can_be_grasped_is_within_reach(seed):
    assert out_of_reach(seed) == []


@pytest.mark.slow
def test_everything_is_within_reach_in_100_scenes():
    missing = {seed: names for seed in range(0, 200_000, 2_000) if (names := out_of_reach(seed))}
    assert missing == {}
