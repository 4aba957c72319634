# SPDX-License-Identifier: Apache-2.0
"""Laying a scene out from a seed: which objects, and where each lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, product

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.catalogue import furniture
from robo_orch.errors import SceneError
from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.sim.scenes.choice import Chooser, Requirement, make
from robo_orch.sim.scenes.footprint import Footprint, overlap
from robo_orch.sim.scenes.room import Item, Standing, hand_has_room
from robo_orch.sim.scenes.scene import Area, Camera, Light, SceneSpec
from robo_orch.sim.scenes.sets import Membership
from robo_orch.types import Array, Pose

#: Fresh starts before one object fewer is tried, the same when no more may be left out, tries for one object,
#: and how many of the spots found are looked at more closely (chosen).
RESTARTS, LAST_RESTARTS, TRIES, CANDIDATES = 3, 60, 60, 6


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


def standing(scene: SceneSpec) -> Standing:
    """What furniture covers of the ground where objects are laid out, however far drawers and doors stand open."""
    return _furniture(scene)[2]


@lru_cache(maxsize=8)
def _furniture(scene: SceneSpec) -> tuple[Mapping[str, ObjectSpec], Mapping[str, Pose], Standing]:
    """Furniture, where it stands, and what it covers of the ground."""
    inventory: dict[str, ObjectSpec] = {}
    poses: dict[str, Pose] = {}
    for placed in scene.furniture:
        at = Pose.from_rotation(placed.position, Rotation.from_euler("z", placed.yaw, degrees=True))
        for part in furniture(placed.name):
            inventory[part.name] = part
            poses[part.name] = part.joint.pose(poses[part.joint.parent], 0.0) if part.joint else at
    _check_apart(scene, inventory, poses)
    return inventory, poses, Standing.of(inventory, poses, scene.area.z)


def _check_apart(scene: SceneSpec, inventory: Mapping[str, ObjectSpec], poses: Mapping[str, Pose]) -> None:
    pieces = {placed.name: [part.name for part in furniture(placed.name)] for placed in scene.furniture}
    for (first, parts), (second, others) in combinations(pieces.items(), 2):
        for a, b in product(parts, others):
            if overlap(inventory[a], poses[a], inventory[b], poses[b]):
                got = f"{first} and {second}, which stand in each other ({a}, {b})"
                raise SceneError(f"furniture of {scene.name} that stands apart", got, "move one of them")


def _place(
    objects: Sequence[ObjectSpec],
    needed: int,
    area: Area,
    covered: Standing,
    rng: np.random.Generator,
    taken: Footprint | None = None,
) -> dict[str, Pose]:
    """Rejection sampling; where there is no room for all, the last object is left out unless it is needed."""
    items = {obj.name: Item.of(obj, area) for obj in objects}
    widest = max((item.figure.extent for item in items.values()), default=0.0)
    near = covered.near(area, max(area.furniture_gap, area.tall_gap) + widest)
    for n in range(len(objects), needed - 1, -1):
        some = {obj.name: items[obj.name] for obj in objects[:n]}
        for _ in range(RESTARTS if n > needed else LAST_RESTARTS):
            spots = _try(some, area, near, taken or Footprint.none(), rng)
            if spots is not None:
                return {name: upright(item.obj, spots[name], area.z) for name, item in some.items()}
    raise SceneError(
        "room for every object", f"{needed} objects that do not fit", "ask for fewer objects, or widen the area"
    )


def _try(
    items: Mapping[str, Item], area: Area, covered: Standing, taken: Footprint, rng: np.random.Generator
) -> dict[str, Array] | None:
    """Spots ``(x, y, yaw)`` by name, the widest object first; none if one finds no place."""
    found: dict[str, Array] = {}
    for name in sorted(items, key=lambda n: items[n].figure.extent, reverse=True):
        spots = rng.uniform((area.x[0], area.y[0], -np.pi), (area.x[1], area.y[1], np.pi), size=(TRIES, 3))
        spots = spots[area.holds(spots)]
        figures = items[name].figure.moved(spots[:, :2], spots[:, 2])
        good = figures.apart(taken) >= area.gap
        good[good] = covered.leaves(figures.pick(good), area)
        for index in np.flatnonzero(good)[:CANDIDATES]:
            found[name] = spots[index]
            if hand_has_room(items, found, covered, area):
                taken = Footprint.together([taken, figures.pick(np.array([index]))])
                break
        else:
            return None
    return found


def upright(obj: ObjectSpec, spot: Array, height: float) -> Pose:
    """Standing as made at a spot ``(x, y, yaw)``."""
    x, y, yaw = spot
    return Pose.of((x, y, height + obj.height_below(Pose.of())), (0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)))
