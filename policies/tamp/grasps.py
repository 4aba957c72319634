# SPDX-License-Identifier: Apache-2.0
"""Which grasps of an object can be tried, best first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.objects import Grasp, ObjectSpec
from robo_orch.robots.spec import GripperSpec
from robo_orch.types import Code, Pose

#: A grasp that is this far from the object's middle counts as much as one that needs a turn of 1 rad, m (chosen).
OFF_CENTRE = 0.10
#: Turned by half about its own axis a parallel gripper grasps the same.
HALF_TURN = Pose.of((0, 0, 0), (0, 0, 1, 0))


def usable(thing: ObjectSpec, gripper: GripperSpec) -> list[Grasp]:
    """The grasps of a thing for which the gripper opens far enough, each also with the hand turned by half.

    Raises:
        MotionFailure: ``NO_GRASP``, giving the width and the gripper's range.
    """
    fitting = [g for g in thing.grasps if g.width < gripper.max_width]
    if not fitting:
        low, high = thing.bounds()
        width = min((g.width for g in thing.grasps), default=float(np.min((high - low)[:2])))
        span = f"it is {1000 * width:.0f} mm wide, the gripper opens {1000 * gripper.max_width:.0f} mm"
        raise MotionFailure(Code.NO_GRASP, f"{thing.name} cannot be grasped: {span}")
    found: list[Grasp] = []
    for grasp in fitting:
        for pose in (grasp.pose, grasp.pose @ HALF_TURN):
            if not any(_same(pose, other.pose) for other in found):
                found.append(Grasp(grasp.name, pose, grasp.width))
    return found


def ordered(grasps: Sequence[Grasp], at: Pose, tool: Pose) -> list[Grasp]:
    """Grasps of an object at a pose, those first that need little turning of the tool and are near its middle."""

    def effort(grasp: Grasp) -> float:
        off = float(np.linalg.norm(grasp.pose.position[:2]))
        return tool.distance(at @ grasp.pose)[1] + off / OFF_CENTRE

    return sorted(grasps, key=effort)


def _same(a: Pose, b: Pose) -> bool:
    metres, radians = a.distance(b)
    return metres < 1e-6 and radians < 1e-3
