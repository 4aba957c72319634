# SPDX-License-Identifier: Apache-2.0
"""The numbers that a learned policy sees of one observation: the same in training and on the robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.types import Array, Observation, Pose, PoseEstimate

#: Numbers per object, see :func:`features`.
PER_OBJECT = 17
#: Which of them have names of their own, as ``<role>.<name>``; see :func:`vector`.
COLUMNS = {
    "offset": slice(0, 3),
    "position": slice(3, 6),
    "rotation": slice(6, 12),
    "sigma": slice(12, 13),
    "age": slice(13, 14),
    "visible": slice(14, 15),
    "opening": slice(15, 16),
    "held": slice(16, 17),
}
#: Features of the robot alone, and how many numbers each has; 0: one per joint.
OWN = {"q": 0, "qd": 0, "tool": 9, "gripper": 2}
#: What stands for the sigma of an object that was never seen, m (chosen: the size of the workspace).
UNSEEN = 1.0


def features(observation: Observation, objects: Sequence[str], inventory: Inventory) -> dict[str, NDArray[np.float32]]:
    """What is estimated, as arrays of ``float32``.

    Args:
        objects: names of the ``k`` objects to tell of, in order.
        inventory: what they are.

    Returns:
        ``q``, ``qd`` ``(n,)``: joints, rad and rad/s; ``tool`` ``(9,)``: position in the base frame (m) and the first
        two columns of the rotation matrix; ``gripper`` ``(2,)``: opening (m), and 1 if something keeps it open;
        ``objects`` ``(k, 17)``: of each object's :func:`mark` the position in the tool's frame (m), position in the
        base frame (m), the first two columns of the object's rotation, one sigma of its position (m, 1 where it was
        never seen), seconds since it was seen, 1 if it is seen now, its joint's value over the upper limit (0 for
        what has no joint), 1 if it is held. An object that was never seen is all zeros but for the sigma.
    """
    state = observation.state
    rows = [_row(name, observation, inventory) for name in objects]
    told = {
        "q": state.q,
        "qd": state.qd,
        "tool": np.concatenate([state.tool.position, _columns(state.tool)]),
        "gripper": np.array([state.gripper, float(state.grasping)]),
        "objects": np.array(rows).reshape(-1, PER_OBJECT),
    }
    return {name: value.astype(np.float32) for name, value in told.items()}


def vector(
    observation: Observation, keys: Sequence[str], args: Mapping[str, str], inventory: Inventory
) -> NDArray[np.float32]:
    """Named features one after the other, ``(k,)``.

    Args:
        keys: ``q``, ``qd``, ``tool``, ``gripper`` as :func:`features` has them, or ``<role>.<column>`` with a column of
            :data:`COLUMNS`, or ``<role>.toward``: the way from the tool point to the mark in the base frame, m.
        args: objects by role.
    """
    roles = list(dict.fromkeys(key.partition(".")[0] for key in keys if "." in key))
    told = features(observation, [args[role] for role in roles], inventory)
    return np.concatenate([_feature(key, told, roles) for key in keys])


def vector_width(keys: Sequence[str], joints: int) -> int:
    """How many numbers :func:`vector` gives for a robot with so many joints."""
    return sum(_width(key) or joints for key in keys)


def check_keys(keys: Sequence[str]) -> str:
    """What is wrong with names of features, in words; empty if nothing is."""
    for key in keys:
        role, dot, column = key.partition(".")
        if not (column in (*COLUMNS, "toward") and role if dot else key in OWN):
            known = ", ".join([*OWN, *(f"<role>.{name}" for name in (*COLUMNS, "toward"))])
            return f"a feature among {known} was expected, got {key!r}"
    return ""


def mark(spec: ObjectSpec) -> Array:
    """The point ``(3,)`` of an object that a hand goes for, in its frame: a part's handle, else the origin."""
    if spec.joint is not None and spec.grasps:
        return spec.grasps[0].pose.position
    return np.zeros(3)


def _row(name: str, observation: Observation, inventory: Inventory) -> Array:
    row = np.zeros(PER_OBJECT)
    estimate = observation.objects.get(name)
    if estimate is None:
        row[12] = UNSEEN
        return row
    point = estimate.pose.apply(mark(inventory[name]))
    row[0:3] = observation.state.tool.inverse().apply(point)
    row[3:6] = point
    row[6:12] = _columns(estimate.pose)
    row[12] = estimate.sigma
    row[13] = max(0.0, observation.stamp - estimate.stamp)
    row[14] = float(estimate.visible)
    row[15] = _opening(inventory[name], observation, estimate)
    row[16] = float(observation.state.holding == name)
    return row


def _opening(spec: ObjectSpec, observation: Observation, part: PoseEstimate) -> float:
    joint = spec.joint
    if joint is None or joint.parent not in observation.objects:
        return 0.0
    return joint.value(observation.objects[joint.parent].pose, part.pose) / joint.limits[1]


def _feature(key: str, told: Mapping[str, NDArray[np.float32]], roles: Sequence[str]) -> NDArray[np.float32]:
    role, _, column = key.partition(".")
    if not column:
        return told[key]
    row = told["objects"][roles.index(role)]
    return row[COLUMNS["position"]] - told["tool"][:3] if column == "toward" else row[COLUMNS[column]]


def _width(key: str) -> int:
    column = key.partition(".")[2]
    if not column:
        return OWN[key]
    return 3 if column == "toward" else COLUMNS[column].stop - COLUMNS[column].start


def _columns(pose: Pose) -> Array:
    return pose.matrix[:, :2].T.ravel()
