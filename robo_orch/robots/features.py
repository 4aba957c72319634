# SPDX-License-Identifier: Apache-2.0
"""The numbers that a learned policy sees of one observation: the same in training and on the robot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.types import Array, Observation, Pose, PoseEstimate

#: Numbers per object, see :func:`features`.
PER_OBJECT = 17
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


def _columns(pose: Pose) -> Array:
    return pose.matrix[:, :2].T.ravel()
