# SPDX-License-Identifier: Apache-2.0
"""Laying a scene out from a seed: which objects, and where each lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.catalogue import furniture, kind, make_object
from robo_orch.errors import SceneError, unknown
from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.sim.scenes.footprint import Footprint, swept
from robo_orch.sim.scenes.scene import Area, Camera, Light, SceneSpec
from robo_orch.types import Pose

#: What a goal needs to be in the scene: (kind, colour), colour empty for any.
Requirement = tuple[str, str]

#: Fresh starts, and tries to place one object, before a scene counts as overfull (chosen).
RESTARTS, TRIES = 200, 60
#: At how many openings of a drawer or door nothing may be in its way, from shut to fully open (chosen).
OPENINGS = 9
#: What rises less than this above the area's ground is ground, m.
GROUND = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A scene with everything in its place.

    Attributes:
        scene: name or path of the scene; ``seed`` it was laid out from; ``require`` what had to be in it.
        robot: name of the robot.
        inventory: every object by name, parents of moving parts first.
        poses: where each object is, in the robot's base frame; parts of furniture are closed.
        cameras, lights: by which the scene is seen.
        scene_hash: digest of all that decides what happens in this scene, whatever the seed.
    """

    scene: str
    seed: int
    robot: str
    inventory: Inventory
    poses: Mapping[str, Pose]
    cameras: Mapping[str, Camera]
    lights: Sequence[Light]
    scene_hash: str
    require: tuple[Requirement, ...] = field(default=())


def lay_out(scene: SceneSpec, seed: int, require: Sequence[Requirement] = ()) -> Layout:
    """Choose objects and places for them; the same seed gives the same layout.

    Objects keep the area's gap from each other, room for a hand with open fingers, and lie within reach. What
    ``require`` names is always there; the other objects have colours that nothing else of their kind has.

    Raises:
        SceneError: the scene has no such kind or colour, or there is no room for so many objects.
    """
    rng = np.random.default_rng([seed, 0x1A70])
    inventory, poses = _furniture(scene)
    chosen = _choose(scene, require, {o.kind for o in inventory.values()}, rng)
    movable = _make(chosen, rng)
    poses |= _place(list(movable.values()), scene.area, _covered(inventory, poses, scene.area), rng)
    return Layout(
        scene=scene.name,
        seed=seed,
        robot=scene.robot,
        inventory={**inventory, **movable},
        poses=poses,
        cameras=scene.cameras,
        lights=scene.lights,
        scene_hash=scene.digest(),
        require=tuple(require),
    )


def _furniture(scene: SceneSpec) -> tuple[dict[str, ObjectSpec], dict[str, Pose]]:
    inventory: dict[str, ObjectSpec] = {}
    poses: dict[str, Pose] = {}
    for placed in scene.furniture:
        at = Pose.from_rotation(placed.position, Rotation.from_euler("z", placed.yaw, degrees=True))
        for part in furniture(placed.name):
            inventory[part.name] = part
            poses[part.name] = part.joint.pose(poses[part.joint.parent], 0.0) if part.joint else at
    return inventory, poses


def _choose(
    scene: SceneSpec, require: Sequence[Requirement], standing: set[str], rng: np.random.Generator
) -> list[Requirement]:
    """Kinds and colours: what is always there, what is required, then others until the count is reached."""
    offers = {e.kind: e.colours for e in (*scene.always, *scene.pool)}
    for name, colour in require:
        _check_offered(name, colour, offers, standing)
    chosen = [(e.kind, str(rng.choice(e.colours)) if e.colours else "") for e in scene.always]
    fixed = len(chosen)
    wanted = Counter((name, colour) for name, colour in require if name not in standing)
    for (name, colour), n in wanted.items():
        if colour:
            chosen += [(name, colour)] * (n - chosen.count((name, colour)))
    for name in sorted({name for name, _ in wanted}):
        missing = sum(n for (k, _), n in wanted.items() if k == name) - sum(k == name for k, _ in chosen)
        for _ in range(missing):
            chosen.append(_another(name, offers, chosen, rng))
    total = fixed + int(rng.integers(scene.count[0], scene.count[1] + 1))
    pool = [e.kind for e in scene.pool]
    while len(chosen) < total and (free := [k for k in pool if _unused(k, offers, chosen)]):
        chosen.append(_another(str(rng.choice(free)), offers, chosen, rng))
    return chosen


def _check_offered(name: str, colour: str, offers: Mapping[str, Sequence[str]], standing: set[str]) -> None:
    if name not in offers and name not in standing:
        raise unknown(SceneError, "a kind in this scene", name, {*offers, *standing})
    if colour and colour not in offers.get(name, ()):
        raise unknown(SceneError, f"a colour of {name} in this scene", colour, offers.get(name, ()))


def _unused(name: str, offers: Mapping[str, Sequence[str]], chosen: Sequence[Requirement]) -> list[str]:
    return [c for c in offers[name] or ("",) if (name, c) not in chosen]


def _another(
    name: str, offers: Mapping[str, Sequence[str]], chosen: Sequence[Requirement], rng: np.random.Generator
) -> Requirement:
    return name, str(rng.choice(_unused(name, offers, chosen) or offers[name] or ("",)))


def _make(chosen: Sequence[Requirement], rng: np.random.Generator) -> dict[str, ObjectSpec]:
    made: dict[str, ObjectSpec] = {}
    for name, colour in chosen:
        low, high = kind(name).scales
        base = f"{colour}_{name}" if colour else name
        n = sum(o.kind == name and o.colour == colour for o in made.values()) + 1
        unique = base if n == 1 else f"{base}_{n}"
        made[unique] = make_object(name, unique, colour, float(rng.uniform(low, high)))
    return made


def _place(
    objects: Sequence[ObjectSpec], area: Area, standing: Footprint, rng: np.random.Generator
) -> dict[str, Pose]:
    """Rejection sampling, the widest objects first; starts again when it has painted itself into a corner."""
    order = sorted(objects, key=_width, reverse=True)
    for _ in range(RESTARTS):
        poses = _try(order, area, standing, rng)
        if poses is not None:
            return {o.name: poses[o.name] for o in objects}
    raise SceneError(
        "room for every object", f"{len(objects)} objects that do not fit", "ask for fewer objects, or widen the area"
    )


def _try(
    order: Sequence[ObjectSpec], area: Area, standing: Footprint, rng: np.random.Generator
) -> dict[str, Pose] | None:
    poses: dict[str, Pose] = {}
    taken = Footprint.none()
    for obj in order:
        for _ in range(TRIES):
            pose = _somewhere(obj, area, rng)
            if not area.reach[0] <= np.hypot(*pose.position[:2]) <= area.reach[1]:
                continue
            covered = Footprint.of(obj, pose)
            if covered.apart(taken) >= area.gap and covered.apart(standing) >= area.furniture_gap:
                poses[obj.name] = pose
                taken = Footprint.together([taken, covered])
                break
        else:
            return None
    return poses


def _somewhere(obj: ObjectSpec, area: Area, rng: np.random.Generator) -> Pose:
    """Upright with its origin anywhere in the area, at any heading."""
    x, y, yaw = rng.uniform((area.x[0], area.y[0], -np.pi), (area.x[1], area.y[1], np.pi))
    turned = Pose.from_rotation((x, y, 0.0), Rotation.from_euler("z", yaw))
    return Pose.of((x, y, area.z + obj.height_below(turned)), turned.quaternion)


def _width(obj: ObjectSpec) -> float:
    low, high = obj.bounds()
    return float(np.max(high[:2] - low[:2]))


def _covered(inventory: Inventory, poses: Mapping[str, Pose], area: Area) -> Footprint:
    """What furniture covers at the area's height and above, drawers and doors at every opening."""
    found = []
    for name, obj in inventory.items():
        if obj.joint is None:
            at = [poses[name]]
        else:
            at = [obj.joint.pose(poses[obj.joint.parent], v) for v in np.linspace(*obj.joint.limits, OPENINGS)]
        found.append(swept(obj, at, area.z + GROUND))
    return Footprint.together(found)
