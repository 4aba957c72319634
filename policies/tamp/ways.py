# SPDX-License-Identifier: Apache-2.0
"""The straight parts of ways to and from a tool pose, as offsets from it."""

from __future__ import annotations

import numpy as np

from robo_orch.types import Pose

#: Offsets of the tool from a pose on the way from it, one after the other: upwards, and backwards out of the hand's
#: direction, m.
Way = tuple[tuple[float, float], ...]

#: From a grasp back along the hand, farther or nearer; gone the other way round to get there (lengths chosen).
GRASPING: tuple[Way, ...] = (((0.0, 0.10),), ((0.0, 0.05),))
#: Off with an object: up, or a little up and then back out of where it cannot be lifted; the other way round to set it
#: down (lengths chosen).
CARRYING: tuple[Way, ...] = (((0.10, 0.0),), ((0.015, 0.0), (0.015, 0.22)), ((0.05, 0.0),))
#: Away with an empty hand: back, or up.
LEAVING: tuple[Way, ...] = (((0.0, 0.10),), ((0.10, 0.0),), ((0.0, 0.05),))
#: The same out of where the hand is surrounded.
LEAVING_FAR: tuple[Way, ...] = (((0.0, 0.22),), *LEAVING)


def along(way: Way, tool: Pose) -> list[Pose]:
    """The tool poses of a way from ``tool``."""
    return [backed(raised(tool, up), back) for up, back in way]


def raised(pose: Pose, height: float) -> Pose:
    """A pose moved upwards, m."""
    return Pose(pose.position + np.array([0.0, 0.0, height]), pose.quaternion)


def backed(tool: Pose, distance: float) -> Pose:
    """A tool pose moved backwards out of the hand's direction, m."""
    return Pose(tool.position - distance * tool.matrix[:, 2], tool.quaternion)
