# SPDX-License-Identifier: Apache-2.0
"""Whether a flat thing can be slid into a region at all without anything else being moved, by the true geometry.

The thing's centre and heading on a grid; what stands about is kept free of. It says nothing of a hand.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from robo_orch.objects import Trait
from robo_orch.sim.scenes import Layout
from robo_orch.sim.scenes.footprint import Footprint
from robo_orch.types import Array

#: Cells (m), and headings in half a turn, that are tried (chosen: between them a box's corners move 25 mm at most).
CELL, HEADINGS = 0.015, 12
#: Where its centre may be (base frame, m), and how far from the base (chosen: an arm of 0.85 m, a hand beside it).
X, Y, REACH = (0.24, 0.80), (-0.66, 0.40), (0.28, 0.78)
#: Room that is kept to everything else, m (chosen: what only just fits no hand can push there).
ROOM = 0.008


def slides(layout: Layout, name: str, region: str) -> bool:
    """Whether free ground leads from where a flat thing lies into a region."""
    free, xy, yaw = _ground(layout, name)
    pose = layout.poses[name]
    facing = np.arctan2(pose.matrix[1, 0], pose.matrix[0, 0])
    start = np.argmin(np.linalg.norm(xy - pose.position[:2], axis=-1))
    i, j = np.unravel_index(start, xy.shape[:2])
    k = int(np.argmin(np.abs(np.angle(np.exp(2j * (yaw - facing))))))
    free[k, i, j] = True
    around, _ = label(np.concatenate([free, free]))  # twice: half a turn on, the thing lies as before
    here = {around[k, i, j], around[k + HEADINGS, i, j]}
    surface = layout.inventory[region].surfaces[0]
    local = np.concatenate([xy, np.zeros((*xy.shape[:2], 1))], axis=-1)
    local = layout.poses[region].inverse().apply(local) - surface.centre
    inside = np.all(np.abs(local[..., :2]) <= surface.half, axis=-1)
    return bool(np.isin(around[:, inside], list(here)).any())


def _ground(layout: Layout, name: str) -> tuple[NDArray[np.bool_], Array, Array]:
    """Where a thing touches nothing ``(k, nx, ny)``, and the grid: centres ``(nx, ny, 2)``, headings ``(k,)``."""
    low, high = layout.inventory[name].bounds()
    half = (high - low)[:2] / 2
    mine = Footprint.box((-half[0], half[0]), (-half[1], half[1]))
    others = Footprint.together(_standing(layout, name, float(high[2] - low[2])))
    xy = np.stack(np.meshgrid(np.arange(*X, CELL), np.arange(*Y, CELL), indexing="ij"), axis=-1)
    yaw = np.pi * np.arange(HEADINGS) / HEADINGS
    far = np.linalg.norm(xy, axis=-1)
    reached = (far > REACH[0]) & (far < REACH[1])
    free = np.repeat(reached[None], HEADINGS, axis=0)
    for j in range(len(others.radius)):
        other = others.pick(np.array([j]))
        reach = np.hypot(*half) + np.hypot(*other.half[0]) + other.radius[0] + ROOM
        near = np.linalg.norm(xy - other.centre[0], axis=-1) < reach
        for k, turn in enumerate(yaw):
            spots = near & free[k]
            free[k, spots] = mine.moved(xy[spots], np.full(int(spots.sum()), turn)).apart(other) > ROOM
    return free, xy, yaw


def _standing(layout: Layout, name: str, height: float) -> Iterator[Footprint]:
    """What has something lower than ``height`` (m) over the table, and is not the table."""
    for other, spec in layout.inventory.items():
        if other == name or spec.kind == "table" or Trait.REGION in spec.traits:
            continue
        pose = layout.poses[other]
        if Trait.FREE in spec.traits:
            yield Footprint.of(spec, pose)
            continue
        for i, geom in enumerate(g for g in spec.geoms if g.collides):
            at = pose @ geom.pose
            if at.position[2] - geom.extents(at.matrix)[2] < height:
                yield Footprint.parts(spec, pose).pick(np.array([i]))
