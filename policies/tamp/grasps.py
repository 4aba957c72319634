# SPDX-License-Identifier: Apache-2.0
"""Which grasps of an object can be tried, best first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.motion.failure import MotionFailure
from robo_orch.objects import Grasp, ObjectSpec
from robo_orch.robots.spec import GripperSpec
from robo_orch.types import Array, Code, Pose, PoseEstimate

#: A grasp that is this far from the object's middle counts as much as one that needs a turn of 1 rad, m (chosen).
OFF_CENTRE = 0.10
#: A pose known no better than this (m) makes height above the middle count as much as distance from it beside, and up
#: to twice as much if it is known worse (chosen: a bottle 5 mm off is then held by its body, not by its neck).
VAGUE = 0.0025
#: Room beside an object that each finger should have, in sigma of its position (chosen).
ROOM = 2.5
#: How far behind the pads the hand's middle is, m (chosen), and what it counts if it may be in something there, rad of
#: turning (chosen: more than half a turn).
HAND, BEWARE = 0.10, 4.0
#: What repeating a grasp that failed counts, rad of turning (chosen: more than any turn).
REPEAT = 4.0
#: Cosine of the angle between the hand's directions above which grasps come from the same side (chosen: 40 degrees).
SAME_SIDE = 0.77
#: The hand comes from above where its direction's vertical part is below this (chosen: 25 degrees off), and by how much
#: it may lean over about the line between the fingers instead, rad (chosen: a palm clears the table at a 40 mm cube).
FROM_ABOVE, LEANS = -0.9, (1.15, 0.95, 0.5)
#: What is narrower is a rim, and a hand that leans over runs into the rest, m (chosen).
RIM = 0.010
#: How far behind the tool point the palm is, m (panda.urdf), and by how much the hand may be drawn back from a thing at
#: its side for the palm to stay off it, m (chosen: half a pad's half length).
PALM, DRAWN = 0.038, 0.005
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


def ordered(
    grasps: Sequence[Grasp],
    at: PoseEstimate,
    tool: Pose,
    opening: float,
    tried: Sequence[Grasp] = (),
    vague: Sequence[tuple[Array, float]] = (),
) -> list[Grasp]:
    """Grasps of an object, best first.

    Those are good that need little turning of the tool, are near the object's middle and not above it, leave the
    fingers room for the error of its pose, keep the hand from what may be near, and unlike those that failed already.

    Args:
        at: where the object is believed to be.
        tool: where the tool is.
        opening: how far the gripper opens, m.
        tried: grasps that failed.
        vague: positions ``(3,)`` of things that are known little, and how far from there they may reach, m.
    """

    def effort(grasp: Grasp) -> float:
        turn = tool.distance(at.pose @ grasp.pose)[1]
        # The finger that touches first topples what it touches high, the more so the less its place is known.
        high = max(0.0, float(grasp.pose.position[2])) * min(2.0, at.sigma / VAGUE)
        off = (float(np.linalg.norm(grasp.pose.position[:2])) + high) / OFF_CENTRE
        tight = max(0.0, ROOM * at.sigma - (opening - grasp.width) / 2) / ROOM / max(at.sigma, 1e-6)
        near = sum(_near(at.pose @ grasp.pose, *thing) for thing in vague)
        return turn + off + tight + near + sum(_alike(grasp, other) for other in tried)

    return sorted(grasps, key=effort)


def unlike(grasps: Sequence[Grasp], useless: Sequence[Grasp]) -> list[Grasp]:
    """The same grasps, those first that come from another side than the ones that were of no use at the target."""

    def alike(grasp: Grasp) -> int:
        return sum(float(grasp.pose.matrix[:, 2] @ other.pose.matrix[:, 2]) > SAME_SIDE for other in useless)

    return sorted(grasps, key=alike)


def leaning(grasps: Sequence[Grasp]) -> list[Grasp]:
    """Grasps for what is covered: those from the side, and those from above with the hand leaning over.

    The pads stay where they are: a hand can be turned about the line between them as long as it has room.
    """
    found = [grasp for grasp in grasps if _downward(grasp) > FROM_ABOVE]
    above = [grasp for grasp in grasps if _downward(grasp) <= FROM_ABOVE and grasp.width > RIM]
    for lean in LEANS:
        turn = Pose.from_rotation(np.zeros(3), Rotation.from_euler("y", lean))
        found += [Grasp(grasp.name, grasp.pose @ turn, grasp.width) for grasp in above]
    return found


def drawn_back(grasps: Sequence[Grasp], room: float) -> list[Grasp]:
    """The same grasps, the hand drawn back where its palm would be nearer than ``room`` (m) to what it grasps.

    That is so where it comes from the side at something nearly as thick as the fingers are long: from above, heights
    are known better.
    """
    found = []
    for grasp in grasps:
        lacking = room - (PALM - grasp.width / 2.0) if _downward(grasp) > FROM_ABOVE else 0.0
        back = Pose.of((0.0, 0.0, -min(max(0.0, lacking), DRAWN)))
        found.append(Grasp(grasp.name, grasp.pose @ back, grasp.width) if lacking > 0.0 else grasp)
    return found


def _downward(grasp: Grasp) -> float:
    """The vertical part of the hand's direction where the object stands upright."""
    return float(grasp.pose.matrix[2, 2])


def _alike(a: Grasp, b: Grasp) -> float:
    """How alike two grasps are: most where the fingers move the same way at the same place."""
    along = abs(float(a.pose.matrix[:, 1] @ b.pose.matrix[:, 1]))
    apart = float(np.linalg.norm(a.pose.position - b.pose.position)) / OFF_CENTRE
    return REPEAT * along / (1.0 + apart)


def _near(tool: Pose, thing: Array, reach: float) -> float:
    """How near the hand is to something at most, in rad of turning; 0 out of its reach."""
    hand = tool.position - HAND * tool.matrix[:, 2]
    gap = float(np.linalg.norm((hand - thing)[:2])) - reach
    return BEWARE * min(1.0, max(0.0, -gap / HAND))


def _same(a: Pose, b: Pose) -> bool:
    metres, radians = a.distance(b)
    return metres < 1e-6 and radians < 1e-3
