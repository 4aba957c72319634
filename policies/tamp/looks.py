# SPDX-License-Identifier: Apache-2.0
"""What several looks at one thing tell together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.types import Pose, PoseEstimate

#: A pose known no better than this (m) is averaged over so many frames of a look (chosen).
FINE, FRAMES = 0.002, 4
#: The average of a look stands until an estimate is farther off than so many sigma (chosen).
OUTLIER = 3.0


def worth(frames: Mapping[float, PoseEstimate]) -> int:
    """How many frames of something are worth waiting for."""
    return FRAMES if max(e.sigma for e in frames.values()) > FINE else 1


def between(grasped: Pose, looked: Pose) -> Pose:
    """Half way between two poses in the tool's frame, but on the line on which the fingers move as the first is."""
    position = (grasped.position + looked.position) / 2.0
    position[1] = grasped.position[1]
    return Pose.from_rotation(position, Rotation.concatenate([grasped.rotation, looked.rotation]).mean())


def may_be(pose: Pose, estimate: PoseEstimate) -> bool:
    """Whether something estimated may be at a pose: within :data:`OUTLIER` sigma in each of three directions."""
    metres, radians = pose.distance(estimate.pose)
    far = OUTLIER * math.sqrt(3.0)
    return metres <= far * estimate.sigma and radians <= far * estimate.sigma_angle


def mean(frames: Sequence[PoseEstimate]) -> PoseEstimate:
    """The latest estimate at the mean pose; its covariance stays, for most of the error is the same in every frame."""
    position = np.mean([e.pose.position for e in frames], axis=0)
    rotation = Rotation.from_quat([e.pose.quaternion for e in frames]).mean()
    return replace(frames[-1], pose=Pose.from_rotation(position, rotation))


def upright(estimate: PoseEstimate) -> PoseEstimate:
    """The same, standing upright if it leans no more than its error explains."""
    x, y, z, w = estimate.pose.quaternion.tolist()
    lean = (2 * (y * z - x * w), -2 * (x * z + y * w))  # the axis by which z must be turned to point up, times the sine
    sine = math.hypot(*lean)
    upwards = 1 - 2 * (x * x + y * y)
    if upwards <= 0.0 or sine > OUTLIER * estimate.sigma_angle * math.sqrt(2.0) or sine < 1e-9:
        return estimate
    half = 0.5 * math.asin(min(1.0, sine))
    share = math.sin(half) / sine
    turn = Pose.of((0.0, 0.0, 0.0), (lean[0] * share, lean[1] * share, 0.0, math.cos(half)))
    return replace(estimate, pose=Pose(estimate.pose.position, (turn @ estimate.pose).quaternion))
