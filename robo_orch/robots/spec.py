# SPDX-License-Identifier: Apache-2.0
"""What robo_orch knows of a robot: joints, limits, frames, gripper, controller, all from one YAML beside its URDF.

A newcomer adds a robot with a folder ``robots/<name>/`` holding ``<name>.yaml`` and the URDF it names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import RobotError, unknown
from robo_orch.types import Array, Pose, StopMode

ROBOTS = Path(__file__).parent


class GripperSpec(Strict):
    """A parallel gripper: its finger joints (each moves half the opening), range (m), force (N), speed (m/s)."""

    joints: tuple[str, ...]
    max_width: float
    force: float
    speed: float
    kp: float
    kv: float


class JointSpec(Strict):
    """One arm joint as in the YAML: limits in rad, rad/s, rad/s^2, rad/s^3, N m; position gains."""

    name: str
    position: tuple[float, float]
    velocity: float
    acceleration: float
    jerk: float
    effort: float
    kp: float
    kv: float
    home: float


class _RobotFile(Strict):
    name: str
    urdf: str
    base: str
    tool_parent: str
    tool_position: tuple[float, float, float]
    tool_quaternion: tuple[float, float, float, float]
    control_hz: float
    stop_mode: StopMode
    joints: tuple[JointSpec, ...]
    gripper: GripperSpec


@dataclass(frozen=True, slots=True, eq=False)
class JointLimits:
    """Limits of all arm joints, each ``(n,)``: rad, rad/s, rad/s^2, rad/s^3."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array

    def scaled(self, speed: float) -> JointLimits:
        """The limits of the same motion slowed down to ``speed`` (0, 1]: time stretched by 1/speed."""
        return JointLimits(
            self.lower,
            self.upper,
            self.velocity * speed,
            self.acceleration * speed**2,
            self.jerk * speed**3,
        )


@dataclass(frozen=True, eq=False)
class RobotSpec:
    """A robot.

    Attributes:
        name: as in ``--robot``.
        urdf: path of the URDF file.
        base: root link; all poses are in its frame.
        tool_parent, tool_offset: the tool point (between the pads) as a pose in a link's frame; its z axis points
            out of the hand, its y axis is the direction in which the fingers move.
        control_hz: setpoint rate.
        joints: the arm's joints in order; ``gripper`` its hand.
        stop_mode: what the robot does on a stop.
    """

    name: str
    urdf: Path
    base: str
    tool_parent: str
    tool_offset: Pose
    control_hz: float
    stop_mode: StopMode
    joints: tuple[JointSpec, ...]
    gripper: GripperSpec

    @property
    def period(self) -> float:
        """Control period, s."""
        return 1.0 / self.control_hz

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Arm joint names in order."""
        return tuple(j.name for j in self.joints)

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Names of the URDF's links, in its order."""
        return tuple(str(link.get("name")) for link in ElementTree.parse(self.urdf).getroot().iter("link"))

    @property
    def home(self) -> Array:
        """The arm's resting configuration, ``(n,)`` rad."""
        return np.array([j.home for j in self.joints])

    @cached_property
    def limits(self) -> JointLimits:
        """All joint limits as arrays."""
        return JointLimits(
            np.array([j.position[0] for j in self.joints]),
            np.array([j.position[1] for j in self.joints]),
            np.array([j.velocity for j in self.joints]),
            np.array([j.acceleration for j in self.joints]),
            np.array([j.jerk for j in self.joints]),
        )


def robot_names() -> list[str]:
    """Names of the shipped robots."""
    return sorted(p.parent.name for p in ROBOTS.glob("*/*.yaml") if p.stem == p.parent.name)


def load_robot(name: str | Path) -> RobotSpec:
    """Load a shipped robot by name, or any robot from the path of its YAML.

    Raises:
        RobotError: unknown name, or a description that is incomplete or has unknown keys.
    """
    path = Path(name) if str(name).endswith((".yaml", ".yml")) else ROBOTS / str(name) / f"{name}.yaml"
    if not path.is_file():
        raise unknown(RobotError, "a robot", str(name), robot_names())
    expected = "a robot description as in docs/robots.md"
    file = parsed(read(path, expected, RobotError), _RobotFile, expected, RobotError, path.name)
    urdf = path.parent / file.urdf
    if not urdf.is_file():
        raise RobotError(f"the URDF that {path.name} names", f"no file {file.urdf}", f"put it beside {path.name}")
    return RobotSpec(
        name=file.name,
        urdf=urdf,
        base=file.base,
        tool_parent=file.tool_parent,
        tool_offset=Pose.of(file.tool_position, file.tool_quaternion),
        control_hz=file.control_hz,
        stop_mode=file.stop_mode,
        joints=file.joints,
        gripper=file.gripper,
    )
