# SPDX-License-Identifier: Apache-2.0
"""How far the movable things of a world have come, for the referee."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from robo_orch.objects import JointKind, ObjectSpec
from robo_orch.types import Array


class Places:
    """Positions of free objects; of parts on joints, the way (m) of their outermost point.

    Args:
        movers: what to follow, in the order of all arrays.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, movers: Sequence[ObjectSpec]) -> None:
        self._data = data
        self._free = np.array([i for i, o in enumerate(movers) if o.joint is None], dtype=int)
        self._parts = np.array([i for i, o in enumerate(movers) if o.joint is not None], dtype=int)
        self._bodies = np.array([model.body(movers[i].name).id for i in self._free], dtype=int)
        self._joints = np.array([model.joint(movers[i].name).qposadr.item() for i in self._parts], dtype=int)
        self._arms = np.array([_arm(movers[i]) for i in self._parts])
        adr = [model.joint(o.name).qposadr.item() for o in movers]
        runs = [range(a, a + _size(o)) for a, o in zip(adr, movers, strict=True)]
        self._coordinates = np.array([i for run in runs for i in run], dtype=int)
        self._raw, self._last = b"", np.empty(0)
        self.both()

    def both(self) -> tuple[Array, Array]:
        """Where everything was when this was last asked, and where it is, each ``(movers, 3)``, m.

        Both are the same array if nothing has moved at all: MuJoCo lets what lies still fall asleep.
        """
        before, raw = self._last, self._data.qpos[self._coordinates].tobytes()
        if raw != self._raw:
            self._raw, self._last = raw, self._read()
        return before, self._last

    def jump(self) -> Array:
        """Where everything is, with no way from where it was."""
        return self.both()[1]

    def _read(self) -> Array:
        places = np.zeros((len(self._free) + len(self._parts), 3))
        places[self._free] = self._data.xpos[self._bodies]
        places[self._parts, 0] = self._arms * self._data.qpos[self._joints]
        return places


def _size(obj: ObjectSpec) -> int:
    """Coordinates of an object's joint in qpos."""
    return 1 if obj.joint is not None else 7


def _arm(part: ObjectSpec) -> float:
    """What turns a part's joint value into the way of its outermost point, m."""
    joint = part.joint
    if joint is None or joint.kind is JointKind.SLIDE:
        return 1.0
    low, high = part.bounds()
    corners = np.array(np.meshgrid(*np.transpose([low, high]))).reshape(3, -1).T - joint.anchor
    return float(np.linalg.norm(np.cross(corners, joint.axis), axis=1).max())
