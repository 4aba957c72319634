# SPDX-License-Identifier: Apache-2.0
"""How high things stand: on what is below them, where an estimate leaves that open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from robo_orch.objects import Inventory
from robo_orch.policies.tamp.looks import OUTLIER, upright
from robo_orch.types import Array, Pose, PoseEstimate

#: What is known worse than this is left where it is seen: it may be beside what it seems to be over, m (chosen).
KNOWN = 0.010
#: How often heights are handed on from what is below to what is above (chosen: towers of three on furniture).
LEVELS = 3
#: Cosine of the lean up to which something counts as upright (chosen: what stands was made upright before).
UPRIGHT = 1.0 - 1e-6


class Heights:
    """The surfaces that things may stand on, by inventory."""

    def __init__(self, inventory: Inventory) -> None:
        owned = [(name, surface) for name, spec in inventory.items() for surface in spec.surfaces]
        self._owners = np.array([name for name, _ in owned])
        self._centres = np.array([s.centre for _, s in owned]).reshape(-1, 3)
        self._halves = np.array([s.half for _, s in owned]).reshape(-1, 2)
        self._round = np.array([s.round for _, s in owned], dtype=bool)
        self._foot = {name: spec.height_below(Pose.of()) for name, spec in inventory.items() if spec.movable}
        self._bases = [name for name, spec in inventory.items() if spec.surfaces and not spec.movable]
        self._upright: dict[str, tuple[PoseEstimate | None, PoseEstimate]] = {}
        self._given: list[PoseEstimate] = []  # what the latest answer was for
        self._found: dict[str, PoseEstimate] = {}

    def stood(self, objects: Mapping[str, PoseEstimate], held: str | None = None) -> dict[str, PoseEstimate]:
        """The movable things but the held one, upright and on what is below them as far as their errors allow that."""
        made = {name: self._made_upright(objects[name]) for name in self._foot if name in objects and name != held}
        given = [*made.values(), *(objects[owner] for owner in self._bases if owner in objects)]
        if len(given) != len(self._given) or any(a is not b for a, b in zip(given, self._given, strict=True)):
            self._given, self._found = given, {**made, **self.grounded({**objects, **made}, held)}
        return self._found

    def grounded(self, objects: Mapping[str, PoseEstimate], held: str | None = None) -> dict[str, PoseEstimate]:
        """The upright movable things that may, within the errors of their poses, stand on what is below them: there.

        What is let go stands on something, and furniture is known better than what it bears. Of several surfaces below
        a thing's middle it stands on the highest, for it cannot be in what is below that.
        """
        things = [n for n in self._foot if n in objects and n != held and _stands(objects[n])]
        there = [i for i, owner in enumerate(self._owners) if owner in objects and owner != held]
        if not things or not there:
            return {}
        at = np.array([objects[name].pose.position for name in things])  # (k, 3)
        foot = np.array([self._foot[name] for name in things])
        within, level = self._below(objects, there, at)
        own = np.array(things)[:, None] == self._owners[there][None]
        sigma = [[objects[n].sigma for n in names] for names in (things, self._owners[there])]
        reach = OUTLIER * np.hypot(np.array(sigma[0])[:, None], np.array(sigma[1])[None])
        heights = at[:, 2].copy()
        for _ in range(LEVELS):
            rise = {name: heights[i] - at[i, 2] for i, name in enumerate(things)}
            levels = level + np.array([rise.get(owner, 0.0) for owner in self._owners[there]])[None]
            fits = within & ~own & (np.abs(at[:, 2:] - foot[:, None] - level) <= reach)
            best = np.where(fits, levels, -np.inf).max(axis=1)
            heights = np.where(np.isfinite(best), best + foot, at[:, 2])
        return {
            name: replace(objects[name], pose=Pose(np.append(at[i, :2], heights[i]), objects[name].pose.quaternion))
            for i, name in enumerate(things)
        }

    def _made_upright(self, estimate: PoseEstimate) -> PoseEstimate:
        """:func:`upright`, reckoned once for each estimate: frames come more seldom than observations."""
        given, stood = self._upright.get(estimate.name, (None, estimate))
        if given is not estimate:
            stood = upright(estimate)
            self._upright[estimate.name] = (estimate, stood)
        return stood

    def _below(self, objects: Mapping[str, PoseEstimate], there: list[int], at: Array) -> tuple[Array, Array]:
        """Whether points ``(k, 3)`` are over surfaces, and how high these are there (m), both ``(k, m)``."""
        poses = [objects[owner].pose for owner in self._owners[there]]
        turns = np.array([pose.matrix for pose in poses])  # (m, 3, 3)
        origins = np.array([pose.position for pose in poses])
        local = np.einsum("mji,kmj->kmi", turns, at[:, None] - origins[None]) - self._centres[there][None]
        aside = np.abs(local[:, :, :2])
        halves = self._halves[there]
        square = np.all(aside < halves[None], axis=2)
        disc = np.linalg.norm(aside, axis=2) < halves[None, :, 0]
        return np.where(self._round[there][None], disc, square), at[:, 2:] - local[:, :, 2]


def _stands(estimate: PoseEstimate) -> bool:
    x, y = estimate.pose.quaternion[:2]
    return estimate.sigma <= KNOWN and 1.0 - 2.0 * (x * x + y * y) > UPRIGHT
