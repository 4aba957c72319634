# SPDX-License-Identifier: Apache-2.0
"""What a pose estimator remembers of objects that no camera shows any more.

A hidden object stays where it was seen last, with the uncertainty it had. It rides along with what it lies on or in,
and grows uncertain while that moves, or while the hand moves near it: then something could have moved it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from robo_orch.objects import Inventory
from robo_orch.predicates import Facts, evaluate
from robo_orch.types import Array, Pose, PoseEstimate, Predicate

#: The hand may touch what is nearer to the tool point than this and the object's radius, m (chosen: half a palm).
NEAR = 0.08
#: How much the doubt about a hidden object grows by a metre of the hand's way near it, one sigma in m and rad (chosen:
#: a hand that works there mostly does not touch it before it grasps it).
DRIFT = (0.05, 0.5)
#: What lies in a drawer slips by this share of the drawer's way (one sigma; chosen).
SLIP = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class _Hidden:
    """An object that is not seen any more.

    Attributes:
        last: the estimate it had.
        ride: what could take it along, that one's pose, and the object's pose seen from it, all when it was hidden.
        travel: the hand's way near it since then, m.
        slid: how far what it rides on has come, m.
    """

    last: PoseEstimate
    ride: tuple[str, Pose, Pose] | None
    travel: float = 0.0
    slid: float = 0.0


class Memory:
    """The newest estimate of every object that was ever seen."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._carriers = [
            name for name, o in inventory.items() if not o.fixed and (o.surfaces or o.interior is not None)
        ]
        self._size = {name: _radius(inventory, name) for name in inventory}
        self._hidden: dict[str, _Hidden] = {}
        self._hand: Array | None = None
        self.estimates: Mapping[str, PoseEstimate] = {}

    def copy(self) -> Memory:
        """A copy that goes its own way; estimates themselves never change."""
        other = copy.copy(self)
        other._hidden = dict(self._hidden)
        return other

    def update(self, seen: Mapping[str, PoseEstimate], hand: Array | None) -> None:
        """Take in a frame; ``hand`` is the tool point ``(3,)``, where it is known."""
        before, now = self.estimates, dict(self.estimates)
        now |= {name: e for name, e in seen.items() if name not in before or e.stamp > before[name].stamp}
        self._hidden = {name: h for name, h in self._hidden.items() if name not in seen}
        for name in before.keys() - seen.keys() - self._hidden.keys():
            self._hidden[name] = _Hidden(before[name], self._ride(before[name], before))
        step = 0.0 if hand is None or self._hand is None else float(np.linalg.norm(hand - self._hand))
        for name in sorted(self._hidden, key=self._depth):  # what carries others first
            self._hidden[name] = hidden = self._moved(self._hidden[name], now, hand, step)
            now[name] = _remembered(hidden, now)
        self._hand, self.estimates = None if hand is None else hand.copy(), now

    def put(self, estimate: PoseEstimate) -> None:
        """Replace what is remembered of one object."""
        self._hidden.pop(estimate.name, None)
        self.estimates = {**self.estimates, estimate.name: replace(estimate, visible=False)}

    def _moved(self, hidden: _Hidden, now: Mapping[str, PoseEstimate], hand: Array | None, step: float) -> _Hidden:
        """What could have happened to a hidden object since the last frame."""
        name, slid, travel = hidden.last.name, hidden.slid, hidden.travel
        if hidden.ride is not None:
            carrier = now[hidden.ride[0]]
            distance, _ = hidden.ride[1].distance(carrier.pose)
            slid = max(slid, distance if distance > 3.0 * carrier.sigma else 0.0)
        if hand is not None and np.linalg.norm(hand - now[name].pose.position) < self._size[name] + NEAR:
            travel += step
        return replace(hidden, slid=slid, travel=travel)

    def _ride(self, last: PoseEstimate, estimates: Mapping[str, PoseEstimate]) -> tuple[str, Pose, Pose] | None:
        """What could take an object along: whatever it probably lies in or on that is not fixed."""
        facts = Facts(self._inventory, estimates)
        for relation in ("in", "on"):
            for name in self._carriers:
                if name == last.name or name not in estimates:
                    continue
                if evaluate(Predicate(relation, (last.name, name)), facts).probability > 0.5:
                    at = estimates[name].pose
                    return name, at, at.inverse() @ last.pose
        return None

    def _depth(self, name: str) -> int:
        depth, hidden = 0, self._hidden.get(name)
        while hidden is not None and hidden.ride is not None and depth < len(self._hidden):
            depth, hidden = depth + 1, self._hidden.get(hidden.ride[0])
        return depth


def _remembered(hidden: _Hidden, now: Mapping[str, PoseEstimate]) -> PoseEstimate:
    """The estimate of a hidden object; the estimates of what carries it are up to date."""
    last, pose = hidden.last, hidden.last.pose
    growth = (np.repeat(DRIFT, 3) * hidden.travel) ** 2
    if hidden.ride is not None and hidden.slid:
        carrier, _, relative = hidden.ride
        pose = now[carrier].pose @ relative
        growth[:3] += (SLIP * hidden.slid) ** 2
    return replace(last, pose=pose, covariance=last.covariance + np.diag(growth), visible=False)


def _radius(inventory: Inventory, name: str) -> float:
    """Radius (m) of a ball around the object's origin that holds all of it; 0 for what has no body."""
    geoms = inventory[name].geoms
    return max((float(np.linalg.norm(g.pose.position) + np.linalg.norm(g.half_extents)) for g in geoms), default=0.0)
