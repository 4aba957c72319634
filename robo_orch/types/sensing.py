# SPDX-License-Identifier: Apache-2.0
"""What is perceived of objects and robot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from robo_orch.types.geometry import Array, Pose


class Precision(StrEnum):
    """How well an object's pose can be known at all (one standard deviation)."""

    FIDUCIAL = "fiducial"  # 1 mm
    MODEL = "model"  # 3-10 mm
    COARSE = "coarse"  # 3-5 cm, from segmentation
    NONE = "none"


@dataclass(frozen=True, slots=True, eq=False)
class PoseEstimate:
    """What perception believes about one named object.

    Attributes:
        name: the object's name in the scene's inventory.
        pose: in the robot's base frame.
        covariance: ``(6, 6)`` of position (m^2) then rotation vector (rad^2), base frame.
        stamp: capture time, s, on the robot's clock.
        source: which estimator said so.
        precision: the class of the estimate.
        visible: whether the object was seen at ``stamp`` (else the pose is remembered).
    """

    name: str
    pose: Pose
    covariance: Array
    stamp: float
    source: str
    precision: Precision = Precision.MODEL
    visible: bool = True

    @property
    def sigma(self) -> float:
        """Standard deviation of the position, m (the largest axis)."""
        c = self.covariance
        return math.sqrt(max(c[0, 0], c[1, 1], c[2, 2]))

    @property
    def sigma_angle(self) -> float:
        """Standard deviation of the orientation, rad (the largest axis)."""
        c = self.covariance
        return math.sqrt(max(c[3, 3], c[4, 4], c[5, 5]))


@dataclass(frozen=True, slots=True, eq=False)
class RobotState:
    """What the robot says of itself.

    Attributes:
        stamp: s, on the robot's clock.
        names: joint names, in the order of the arrays.
        q, qd, effort: ``(n,)`` rad, rad/s, N m.
        tool: pose of the tool point in the base frame.
        gripper: opening between the pads, m.
        grasping: the gripper was told to close and something keeps it from closing.
        holding: the name of the object believed to be held, if any.
        commanded: ``(n,)`` rad, the last position command, where the robot reports one; motions start from it.
    """

    stamp: float
    names: tuple[str, ...]
    q: Array
    qd: Array
    effort: Array
    tool: Pose
    gripper: float
    grasping: bool = False
    holding: str | None = None
    commanded: Array | None = None

    @property
    def start(self) -> Array:
        """Where a motion starts, ``(n,)`` rad: the last command, so that the arm does not dip, else ``q``."""
        return self.q if self.commanded is None else self.commanded


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """One consistent look at robot and world.

    ``stamp`` is the capture time (s) on the robot's clock; ``images`` are uint8 ``(H, W, 3)`` by
    camera name; ``objects`` holds an estimate per object that was ever perceived.
    """

    stamp: float
    state: RobotState
    objects: Mapping[str, PoseEstimate] = field(default_factory=dict)
    images: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)
