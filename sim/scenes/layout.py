# SPDX-License-Identifier: Apache-2.0
"""Laying a scene out from a seed: which objects, and where each lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.catalogue import furniture
from robo_orch.errors import SceneError
from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.sim.scenes.choice import Chooser, Requirement, make
from robo_orch.sim.scenes.footprint import Footprint, swept
from robo_orch.sim.scenes.scene import Area, Camera, Light, SceneSpec
from robo_orch.sim.scenes.sets import Membership
from robo_orch.types import Array, Pose

#: Fresh starts before one object fewer is tried, the same when no more may be left out, tries for one object (chosen).
RESTARTS, LAST_RESTARTS, TRIES = 8, 100, 60
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
        member: the set and stratum that the seed belongs to.
        bystanders: how many objects were asked for that only stand about.
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
    member: Membership = field(default_factory=Membership)
    bystanders: int = 0
    spec: SceneSpec | None = None

    def again(self, seed: int) -> Layout:
        """The same scene with the same requirements, laid out from another seed."""
        if self.spec is None:
            raise SceneError("a layout made from a scene", "one made by hand", "use lay_out")
        return lay_out(self.spec, seed, self.require, self.bystanders)


def lay_out(scene: SceneSpec, seed: int, require: Sequence[Requirement] = (), bystanders: int = 0) -> Layout:
    """Choose objects and places for them; the same seed gives the same layout.

    Objects keep the area's gap from each other, room for a hand with open fingers, and lie within reach. What
    ``require`` names is always there; the other objects have colours that nothing else of their kind has, are of what
    the seed's set may show, and are fewer where there is no room for all. ``bystanders`` are added last, as many as
    there is room for, and change nothing else.

    Raises:
        SceneError: the scene has no such kind or colour, or there is no room for what is required.
    """
    rng = np.random.default_rng([seed, 0x1A70])
    inventory, poses, covered = _furniture(scene)
    chooser = Chooser(scene, seed, {o.kind for o in inventory.values()}, rng)
    chosen, needed = chooser.choose(require)
    free = make(chosen, rng)
    placed = _place(list(free.values()), needed, scene.area, covered, rng)
    free = {name: free[name] for name in placed}
    if bystanders:
        more, stand = _bystanders(scene, seed, bystanders, free, placed)
        free, placed = free | more, placed | stand
    return Layout(
        scene=scene.name,
        seed=seed,
        robot=scene.robot,
        inventory={**inventory, **free},
        poses={**poses, **placed},
        cameras=scene.cameras,
        lights=scene.lights,
        scene_hash=scene.digest(),
        require=tuple(require),
        member=scene.sets.of(seed),
        bystanders=bystanders,
        spec=scene,
    )


def _bystanders(
    scene: SceneSpec, seed: int, n: int, free: Mapping[str, ObjectSpec], placed: Mapping[str, Pose]
) -> tuple[dict[str, ObjectSpec], dict[str, Pose]]:
    """As many of ``n`` as there is room for, drawn apart from all else."""
    if scene.bystanders is None:
        raise SceneError("a scene that says who may stand about", scene.name, "give it `bystanders` as in kitchen.yaml")
    inventory, _, covered = _furniture(scene)
    rng = np.random.default_rng([seed, 0xB157])
    chooser = Chooser(scene, seed, {o.kind for o in inventory.values()}, rng)
    who = chooser.bystanders(n, scene.bystanders.kinds, [(o.kind, o.colour) for o in free.values()])
    more = make(who, rng, list(free))
    taken = Footprint.together(Footprint.of(free[name], pose) for name, pose in placed.items())
    stand = _place(list(more.values()), 0, scene.bystanders.area, covered, rng, taken)
    return {name: more[name] for name in stand}, stand


def standing(scene: SceneSpec) -> Footprint:
    """What furniture covers of the ground where objects are laid out, however far drawers and doors stand open."""
    return _furniture(scene)[2]


@lru_cache(maxsize=8)
def _furniture(scene: SceneSpec) -> tuple[Mapping[str, ObjectSpec], Mapping[str, Pose], Footprint]:
    """Furniture, where it stands, and what it covers of the ground."""
    inventory: dict[str, ObjectSpec] = {}
    poses: dict[str, Pose] = {}
    for placed in scene.furniture:
        at = Pose.from_rotation(placed.position, Rotation.from_euler("z", placed.yaw, degrees=True))
        for part in furniture(placed.name):
            inventory[part.name] = part
            poses[part.name] = part.joint.pose(poses[part.joint.parent], 0.0) if part.joint else at
    return inventory, poses, _covered(inventory, poses, scene.area)


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


def _place(
    objects: Sequence[ObjectSpec],
    needed: int,
    area: Area,
    covered: Footprint,
    rng: np.random.Generator,
    taken: Footprint | None = None,
) -> dict[str, Pose]:
    """Rejection sampling; where there is no room for all, the last object is left out unless it is needed."""
    shapes = {obj.name: Footprint.of(obj, Pose.of()) for obj in objects}
    widest = max((shape.extent for shape in shapes.values()), default=0.0)
    near = covered.pick(covered.apart(Footprint.box(area.x, area.y)) < area.furniture_gap + widest)
    for n in range(len(objects), needed - 1, -1):
        order = sorted((obj.name for obj in objects[:n]), key=lambda name: shapes[name].extent, reverse=True)
        for _ in range(RESTARTS if n > needed else LAST_RESTARTS):
            spots = _try({name: shapes[name] for name in order}, area, near, taken or Footprint.none(), rng)
            if spots is not None:
                return {obj.name: upright(obj, spots[obj.name], area.z) for obj in objects[:n]}
    raise SceneError(
        "room for every object", f"{needed} objects that do not fit", "ask for fewer objects, or widen the area"
    )


def _try(
    shapes: Mapping[str, Footprint], area: Area, standing: Footprint, taken: Footprint, rng: np.random.Generator
) -> dict[str, Array] | None:
    """Spots ``(x, y, yaw)`` by name; none if an object finds no place."""
    found: dict[str, Array] = {}
    for name, shape in shapes.items():
        spots = rng.uniform((area.x[0], area.y[0], -np.pi), (area.x[1], area.y[1], np.pi), size=(TRIES, 3))
        spots = spots[area.holds(spots)]
        covered = shape.moved(spots[:, :2], spots[:, 2])
        good = covered.apart(taken) >= area.gap
        good[good] = covered.pick(good).apart(standing) >= area.furniture_gap
        if not good.any():
            return None
        first = int(np.argmax(good))
        found[name] = spots[first]
        taken = Footprint.together([taken, covered.pick(np.array([first]))])
    return found


def upright(obj: ObjectSpec, spot: Array, height: float) -> Pose:
    """Standing as made at a spot ``(x, y, yaw)``."""
    x, y, yaw = spot
    return Pose.of((x, y, height + obj.height_below(Pose.of())), (0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)))
