# SPDX-License-Identifier: Apache-2.0
"""The straight parts of ways to and from a tool pose, as offsets from it."""

from __future__ import annotations

import numpy as np

from robo_orch.types import Pose

#: Offsets of the tool on the way, one after the other: upwards, and backwards out of the hand's direction, m.
Way = tuple[tuple[float, float], ...]

#: At the pose itself.
THERE = (0.0, 0.0)
#: To a grasp: straight on along the hand, from farther or from nearer (lengths chosen).
TO_GRASP: tuple[Way, ...] = (((0.0, 0.10), THERE), ((0.0, 0.05), THERE))
#: Off with an object: up, or a little up and then back out of where it cannot be lifted (lengths chosen).
OFF_WITH: tuple[Way, ...] = ((THERE, (0.10, 0.0)), (THERE, (0.015, 0.0), (0.015, 0.22)), (THERE, (0.05, 0.0)))
#: To a place with an object: the same the other way round.
TO_PLACE: tuple[Way, ...] = tuple(way[::-1] for way in OFF_WITH)
#: Away with an empty hand: back, or up.
AWAY: tuple[Way, ...] = ((THERE, (0.0, 0.10)), (THERE, (0.10, 0.0)), (THERE, (0.0, 0.05)))


def along(way: Way, tool: Pose) -> list[Pose]:
    """The tool poses of a way to or from ``tool``."""
    return [backed(raised(tool, up), back) for up, back in way]


def raised(pose: Pose, height: float) -> Pose:
    """A pose moved upwards, m."""
    return Pose(pose.position + np.array([0.0, 0.0, height]), pose.quaternion)


def backed(tool: Pose, distance: float) -> Pose:
    """A tool pose moved backwards out of the hand's direction, m."""
    return Pose(tool.position - distance * tool.matrix[:, 2], tool.quaternion)
