# SPDX-License-Identifier: Apache-2.0
"""What an arm can take hold of where a layout has it: no task names anything else."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.kinematics import Kinematics
from robo_orch.motion.scene import GRIPPER, PlanningScene
from robo_orch.objects import ObjectSpec
from robo_orch.robots import RobotSpec
from robo_orch.sim.scenes import Layout
from robo_orch.types import Pose, PoseEstimate, Precision

#: How far back from a grasp the hand comes from, and how deep it may overlap what it grasps, m (chosen).
BACK, DEPTH = 0.10, 0.02
#: Descents of inverse kinematics after the first (chosen).
RESTARTS = 4


class Reach:
    """Tells what one robot reaches in layouts, by their true poses."""

    def __init__(self, robot: RobotSpec) -> None:
        self._robot, self._kinematics = robot, Kinematics(robot)

    def lacking(self, layout: Layout, names: Collection[str]) -> list[str]:
        """Those of the named objects that have grasps of which none is within reach, sorted."""
        graspable = [layout.inventory[name] for name in sorted(names) if layout.inventory[name].grasps]
        if not graspable:
            return []
        scene = PlanningScene(self._robot, layout.inventory)
        exact = np.eye(6) * 1e-6
        seen = {n: PoseEstimate(n, p, exact, 0.0, "layout", Precision.FIDUCIAL) for n, p in layout.poses.items()}
        scene.update(seen, self._robot.gripper.max_width)
        return [obj.name for obj in graspable if not self._way(scene, layout, obj)]

    def _way(self, scene: PlanningScene, layout: Layout, obj: ObjectSpec) -> bool:
        """Whether the hand gets to some grasp straight from :data:`BACK` without touching anything else."""
        rng = np.random.default_rng(layout.seed)
        touching = [(GRIPPER, obj.name), *([(GRIPPER, obj.joint.parent)] if obj.joint else [])]
        for i in rng.permutation(len(obj.grasps)):
            at = layout.poses[obj.name] @ obj.grasps[i].pose
            before = at @ Pose.of((0.0, 0.0, -BACK))
            with scene.allowing(touching, depth=DEPTH):
                try:
                    q = self._kinematics.inverse(before, self._robot.home, rng, RESTARTS, accept=scene.free)
                    if all(map(scene.free, self._kinematics.straight(q, at))):
                        return True
                except MotionFailure:
                    continue
        return False
