# SPDX-License-Identifier: Apache-2.0
"""Where an object could be set down on another: candidate poses, best first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.objects import ObjectSpec, Surface
from robo_orch.types import Array, Pose

#: Headings tried for a square or round thing: it looks the same after a quarter turn (chosen).
HEADINGS = np.deg2rad([0, 90, 180, 270, 45, 135, 225, 315])
#: Random spots tried on a surface beyond its centre (chosen).
SPOTS = 24


def placements(thing: ObjectSpec, target: ObjectSpec, at: Pose, now: Pose, rng: np.random.Generator) -> Iterator[Pose]:
    """Poses (base frame) at which ``thing``, upright, would stand on ``target``: the centre first, then random spots.

    Args:
        at: where ``target`` is, base frame.
        now: where ``thing`` is; headings close to its own come first.
        rng: draws the spots; the same generator state gives the same poses.
    """
    for surface in target.surfaces:
        for spot in _spots(thing, surface, rng):
            poses = [_standing(thing, at, spot, heading) for heading in HEADINGS]
            yield from sorted(poses, key=lambda pose: pose.distance(now)[1])


def _spots(thing: ObjectSpec, surface: Surface, rng: np.random.Generator) -> Iterator[Array]:
    low, high = thing.bounds()
    reach = float(np.max(np.abs(np.concatenate([low[:2], high[:2]]))))
    room = np.array(surface.half) - reach
    if min(surface.half) < 2 * reach:  # a small support: only its centre is stable
        yield surface.centre
        return
    if surface.round:
        yield surface.centre
        for radius, angle in zip(room[0] * np.sqrt(rng.random(SPOTS)), 2 * np.pi * rng.random(SPOTS), strict=True):
            yield surface.centre + radius * np.array([np.cos(angle), np.sin(angle), 0.0])
    else:
        for share in rng.uniform(-1.0, 1.0, size=(SPOTS, 2)):
            yield surface.centre + np.append(share * room, 0.0)


def _standing(thing: ObjectSpec, at: Pose, spot: Array, heading: float) -> Pose:
    tilt_free = Rotation.from_euler("z", heading + at.rotation.as_euler("zyx")[0])
    pose = Pose.from_rotation(at.apply(spot), tilt_free)
    return Pose(pose.position + np.array([0.0, 0.0, thing.height_below(pose)]), pose.quaternion)
