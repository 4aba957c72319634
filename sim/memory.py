# SPDX-License-Identifier: Apache-2.0
"""What a pose estimator remembers of objects that no camera shows any more.

A hidden object stays where it was seen last, with the uncertainty it had. It rides along with what it lies on or in,
and grows uncertain while that moves or while the hand is near: then something could have moved it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from robo_orch.objects import Inventory
from robo_orch.predicates import Facts, evaluate
from robo_orch.types import Array, Pose, PoseEstimate, Predicate

#: The hand may have moved what is nearer to the tool point than this and the object's radius, m (chosen: half a palm).
NEAR = 0.08
#: How the uncertainty of a hidden object grows while the hand is near: m and rad per square root of a second (chosen).
DRIFT = (0.03, 0.3)
#: What lies in a drawer slips by this share of the drawer's way (one sigma; chosen).
SLIP = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class _Carried:
    """A hidden object on its carrier: the carrier's pose when it was last looked at, the object's pose seen from it."""

    carrier: str
    at: Pose
    relative: Pose


class Memory:
    """The newest estimate of every object that was ever seen."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._carriers = [
            name for name, o in inventory.items() if not o.fixed and (o.surfaces or o.interior is not None)
        ]
        self._size = {name: _radius(inventory, name) for name in inventory}
        self._carried: dict[str, _Carried | None] = {}
        self._time = 0.0
        self.estimates: Mapping[str, PoseEstimate] = {}

    def copy(self) -> Memory:
        """A copy that goes its own way; estimates themselves never change."""
        other = copy.copy(self)
        other._carried = dict(self._carried)
        return other

    def update(self, time: float, seen: Mapping[str, PoseEstimate], hand: Array | None) -> None:
        """Take in the frame captured at ``time`` (s); ``hand`` is the tool point ``(3,)``, where it is known."""
        before, now = self.estimates, dict(self.estimates)
        now |= {name: e for name, e in seen.items() if name not in before or e.stamp > before[name].stamp}
        seconds, self._time = max(0.0, time - self._time), time
        hidden = [name for name in before if name not in seen]
        for name in self._carried.keys() - set(hidden):
            del self._carried[name]
        for name in _carriers_first(hidden, self._carried):
            now[name] = self._remembered(before[name], before, now, seconds, hand)
        self.estimates = now

    def put(self, estimate: PoseEstimate) -> None:
        """Replace what is remembered of one object."""
        self._carried.pop(estimate.name, None)
        self.estimates = {**self.estimates, estimate.name: replace(estimate, visible=False)}

    def _remembered(
        self,
        last: PoseEstimate,
        before: Mapping[str, PoseEstimate],
        now: Mapping[str, PoseEstimate],
        seconds: float,
        hand: Array | None,
    ) -> PoseEstimate:
        if last.name not in self._carried:
            self._carried[last.name] = self._carrier(last, before)
        pose, growth = last.pose, np.zeros(6)
        if (ride := self._carried[last.name]) is not None:
            carrier = now[ride.carrier].pose
            moved, _ = ride.at.distance(carrier)
            if moved > 3.0 * now[ride.carrier].sigma:
                pose = carrier @ ride.relative
                growth[:3] += (SLIP * moved) ** 2
                self._carried[last.name] = replace(ride, at=carrier)
        if hand is not None and np.linalg.norm(hand - pose.position) < self._size[last.name] + NEAR:
            growth += np.repeat(DRIFT, 3) ** 2 * seconds
        if not last.visible and not growth.any():
            return last
        return replace(last, pose=pose, covariance=last.covariance + np.diag(growth), visible=False)

    def _carrier(self, last: PoseEstimate, estimates: Mapping[str, PoseEstimate]) -> _Carried | None:
        """What could take the object along: whatever it probably lies in or on that is not fixed."""
        facts = Facts(self._inventory, estimates)
        for relation in ("in", "on"):
            for name in self._carriers:
                if name == last.name or name not in estimates:
                    continue
                if evaluate(Predicate(relation, (last.name, name)), facts).probability > 0.5:
                    at = estimates[name].pose
                    return _Carried(name, at, at.inverse() @ last.pose)
        return None


def _carriers_first(hidden: list[str], carried: Mapping[str, _Carried | None]) -> list[str]:
    return sorted(hidden, key=lambda name: _depth(name, carried))


def _depth(name: str, carried: Mapping[str, _Carried | None]) -> int:
    depth, ride = 0, carried.get(name)
    while ride is not None and depth < len(carried):
        depth, ride = depth + 1, carried.get(ride.carrier)
    return depth


def _radius(inventory: Inventory, name: str) -> float:
    """Radius (m) of a ball around the object's origin that holds all of it; 0 for what has no body."""
    geoms = inventory[name].geoms
    return max((float(np.linalg.norm(g.pose.position) + np.linalg.norm(g.half_extents)) for g in geoms), default=0.0)
