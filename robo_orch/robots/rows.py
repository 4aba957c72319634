# SPDX-License-Identifier: Apache-2.0
"""How poses, turns and openings are written in the rows of action chunks. Part of the frozen low-level path."""

from __future__ import annotations

import numpy as np

from robo_orch.types import ActionSpace, Array, GripperEncoding, Pose

#: Components of a rotation by its encoding's name.
ROTATIONS = {"none": 0, "rotvec": 3, "xyzw": 4}

_NO_TURN = np.array([0.0, 0.0, 0.0, 1.0])


def rotvec(to: Array, start: Array) -> Array:
    """The rotation vector (rad, base axes) that turns the orientation ``start`` into ``to``."""
    ax, ay, az, aw = to.tolist()
    bx, by, bz, bw = start.tolist()
    w = aw * bw + ax * bx + ay * by + az * bz
    v = np.array([bw * ax - aw * bx - ay * bz + az * by, bw * ay - aw * by - az * bx + ax * bz, 0.0])
    v[2] = bw * az - aw * bz - ax * by + ay * bx
    sine = float(np.sqrt(v @ v))
    if sine < 1e-12:
        return 2.0 * np.sign(w or 1.0) * v
    return v * (2.0 * np.arctan2(sine, abs(w)) / sine * (1.0 if w >= 0 else -1.0))


def _quaternion(rotvec: Array) -> Array:
    angle = float(np.sqrt(rotvec @ rotvec))
    scale = np.sin(0.5 * angle) / angle if angle > 1e-9 else 0.5
    return np.append(scale * rotvec, np.cos(0.5 * angle))


def _turn(row: Array, rotation: str) -> Array:
    """The rotation (xyzw) that follows three components of translation in a row; none if it is null."""
    if rotation == "rotvec":
        return _quaternion(row[3:6])
    quaternion = row[3:7]
    norm = float(np.sqrt(quaternion @ quaternion))
    return quaternion / norm if norm > 1e-6 else _NO_TURN


def posed(row: Array, space: ActionSpace, now: Pose) -> Pose:
    """The tool pose that an ``ee_pose`` row asks for; ``now`` gives the orientation where the row has none."""
    turn = now.quaternion if space.rotation == "none" else _turn(row, space.rotation)
    return Pose(row[:3], turn)


def moved(row: Array, space: ActionSpace, now: Pose) -> Pose:
    """The tool's pose after a delta: in the tool's own axes, or about the tool point along the base's axes."""
    turn = Pose(np.zeros(3), _NO_TURN if space.rotation == "none" else _turn(row, space.rotation))
    if space.frame == "tool":
        return now @ Pose(row[:3], turn.quaternion)
    return Pose(now.position + row[:3], (turn @ now).quaternion)


def pose_row(tool: Pose, rotation: str) -> Array:
    """A pose as the components of a row."""
    return np.concatenate([tool.position, _turn_row(tool.quaternion, rotation)])


def delta_row(start: Pose, end: Pose, space: ActionSpace) -> Array:
    """The way from one tool pose to another as the components of an ``ee_delta`` row."""
    if space.frame == "tool":
        delta = start.inverse() @ end
    else:
        delta = Pose(end.position - start.position, (Pose(np.zeros(3), end.quaternion) @ start.inverse()).quaternion)
    return pose_row(delta, space.rotation)


def _turn_row(quaternion: Array, rotation: str) -> Array:
    match rotation:
        case "none":
            return np.empty(0)
        case "rotvec":
            return rotvec(quaternion, _NO_TURN)
        case _:
            return quaternion


def gripper_row(width: float, encoding: GripperEncoding, largest: float) -> list[float]:
    """An opening (m) as the last component of a row; ``largest`` is the gripper's range."""
    match encoding:
        case GripperEncoding.NONE:
            return []
        case GripperEncoding.WIDTH:
            return [width]
        case GripperEncoding.OPEN_FRACTION:
            return [width / largest]
        case GripperEncoding.CLOSE_FRACTION:
            return [1.0 - width / largest]
