# SPDX-License-Identifier: Apache-2.0
"""How perturbations change a world: its description before it is compiled, and what somebody does to it in mid-run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from robo_orch.objects import ObjectSpec
from robo_orch.predicates import CLOSED_BELOW
from robo_orch.robots.mjcf import owner
from robo_orch.sim.mujoco.world import Alterations, MujocoWorld
from robo_orch.sim.perturb import HIDDEN_SECONDS
from robo_orch.sim.perturb_image import Pictures
from robo_orch.sim.scenes import Layout
from robo_orch.sim.scenes.footprint import Footprint
from robo_orch.sim.scenes.layout import standing, upright
from robo_orch.types import Array, Pose

#: Somebody never reaches in closer to the tool point than this, m (chosen: more than half the hand's width).
HAND_ROOM = 0.15
#: By how much an object is moved, m, and the room that it then has around it, m (chosen).
MOVED_BY, MOVED_GAP = (0.06, 0.15), 0.02
#: Spots that are tried for a moved object (chosen).
SPOTS = 100
#: Wall of the cover over a hidden object, m, and where it waits.
COVER_WALL, COVER_AWAY = 0.01, (0.0, 0.0, -5.0)
COVER, COVER_SHADE = "cover", (0.45, 0.45, 0.47, 1.0)

Event = tuple[float, Callable[[MujocoWorld], None]]


@dataclass(frozen=True, slots=True, eq=False)
class Trouble:
    """Perturbations: checked settings by name, and the seed of what a picture shows of them.

    All else that is random about them comes from the seed of the layout that they act on.
    """

    settings: Mapping[str, float]
    seed: int

    def alterations(self) -> Alterations:
        """What is different in the world, now and later."""
        return Alterations(self._describe, self._events(), self._pictures())

    def _pictures(self) -> Pictures | None:
        pictures = Pictures(self.settings["blur"], self.settings["occluder"], self.settings["frame_freeze"], self.seed)
        return pictures if pictures.change_anything else None

    def _describe(self, spec: mujoco.MjSpec, layout: Layout) -> None:
        self._cameras(spec, layout)
        self._lights(spec)
        self._colours(spec, layout)
        for geom in spec.geoms:
            geom.friction[0] *= self.settings["friction"]
        self._masses(spec, layout)
        for name, obj in layout.inventory.items():
            if obj.joint is not None:
                joint = spec.joint(name)
                joint.frictionloss *= self.settings["handle_stiffness"]
                joint.damping = self.settings["handle_stiffness"] * np.asarray(joint.damping)
        if self.settings["object_hidden"]:
            _cover(spec, layout)

    def _cameras(self, spec: mujoco.MjSpec, layout: Layout) -> None:
        rng = _rng(layout, 1)
        for name, camera in layout.cameras.items():
            direction = rng.normal(size=3)
            if not camera.mount:
                spec.camera(name).pos += self.settings["camera_shift"] * direction / np.linalg.norm(direction)

    def _lights(self, spec: mujoco.MjSpec) -> None:
        bright, angle = self.settings["lighting"], np.radians(self.settings["light_moved"])
        turn = Pose.of((0, 0, 0), (0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2)))
        for light in spec.lights:
            light.pos, light.dir = turn.apply(light.pos), turn.apply(light.dir)
            light.diffuse, light.specular = bright * light.diffuse, bright * light.specular
        head = spec.visual.headlight
        head.ambient, head.diffuse = bright * np.asarray(head.ambient), bright * np.asarray(head.diffuse)

    def _colours(self, spec: mujoco.MjSpec, layout: Layout) -> None:
        share, rng = self.settings["texture"], _rng(layout, 2)
        palette: dict[tuple[float, ...], Array] = {}
        for geom in spec.geoms if share else ():
            obj = layout.inventory.get(owner(geom.name))
            if geom.name == "floor" or (obj is not None and (obj.fixed or obj.joint is not None)):
                worn = tuple(geom.rgba)
                new = palette.setdefault(worn, rng.uniform(0.1, 0.9, size=3))
                geom.rgba = [*((1 - share) * np.array(worn[:3]) + share * new), worn[3]]

    def _masses(self, spec: mujoco.MjSpec, layout: Layout) -> None:
        for name, obj in layout.inventory.items():
            if obj.movable:
                for geom in spec.body(name).geoms:
                    geom.mass *= (obj.mass + self.settings["payload"]) / obj.mass

    def _events(self) -> Sequence[Event]:
        at = self.settings
        events: list[Event] = [
            (at["object_moved"], move_one),
            (at["object_hidden"], cover),
            (at["drawer_closed_again"], shut_all),
        ]
        if at["object_hidden"]:
            events.append((at["object_hidden"] + HIDDEN_SECONDS, uncover))
        return sorted((event for event in events if event[0] > 0), key=lambda event: event[0])


def move_one(world: MujocoWorld) -> None:
    """Put an object that is not near the hand a little elsewhere on the table, if there is room."""
    poses, tool = world.referee.poses(), world.body().tool.position
    for obj in _victims(world.layout):
        if np.linalg.norm(poses[obj.name].position - tool) > HAND_ROOM:
            pose = _elsewhere(obj, poses, tool, world.layout)
            if pose is not None:
                world.place(obj.name, pose)
                return


def cover(world: MujocoWorld) -> None:
    """Hide an object."""
    for obj in _victims(world.layout)[:1]:
        low, high = obj.bounds()
        pose = world.referee.poses()[obj.name]
        world.move_prop(COVER, Pose.of(pose.apply(0.5 * (low + high)), pose.quaternion))


def uncover(world: MujocoWorld) -> None:
    """Take the cover away."""
    world.move_prop(COVER, Pose.of(COVER_AWAY))


def shut_all(world: MujocoWorld) -> None:
    """Shut every drawer and door that stands open and has no hand near it; what lies in it comes along."""
    inventory, tool = world.layout.inventory, world.body().tool.position
    for part in (obj for obj in inventory.values() if obj.opens):
        poses = world.referee.poses()
        joint = part.joint
        if joint is None or joint.value(poses[joint.parent], poses[part.name]) < CLOSED_BELOW * joint.limits[1]:
            continue
        low, high = part.bounds(poses[part.name])
        if np.linalg.norm(np.maximum(0.0, np.maximum(low - tool, tool - high))) < HAND_ROOM:
            continue
        inside = _contents(part, poses, inventory)
        old, new = poses[part.name], joint.pose(poses[joint.parent], 0.0)
        world.move_part(part.name, 0.0)
        for name in inside:
            world.place(name, new @ old.inverse() @ poses[name])


def _contents(part: ObjectSpec, poses: Mapping[str, Pose], inventory: Mapping[str, ObjectSpec]) -> list[str]:
    if part.interior is None:
        return []
    local = poses[part.name].inverse()
    free = [o.name for o in inventory.values() if not o.fixed and o.joint is None]
    return [name for name in free if part.interior.inside(local.apply(poses[name].position)) > 0]


def _rng(layout: Layout, stream: int) -> np.random.Generator:
    return np.random.default_rng([layout.seed, 0x9E27, stream])


def _cover(spec: mujoco.MjSpec, layout: Layout) -> None:
    body = spec.worldbody.add_body(name=COVER, mocap=True, pos=COVER_AWAY)
    for obj in _victims(layout)[:1]:
        low, high = obj.bounds()
        size = 0.5 * (high - low) + COVER_WALL
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=size, rgba=COVER_SHADE, contype=0, conaffinity=0)


def _victims(layout: Layout) -> list[ObjectSpec]:
    """Objects that can be grasped, in random order, those that the goal needs first."""
    named = set(layout.require)
    graspable = [obj for obj in layout.inventory.values() if obj.movable]
    mixed = [graspable[i] for i in _rng(layout, 3).permutation(len(graspable))]
    return sorted(mixed, key=lambda o: (o.kind, o.colour) not in named and (o.kind, "") not in named)


def _elsewhere(obj: ObjectSpec, poses: Mapping[str, Pose], tool: Array, layout: Layout) -> Pose | None:
    """A free spot on the table a little away, the object upright on it; none if there is none."""
    if layout.spec is None:
        return None
    area, rng, now = layout.spec.area, _rng(layout, 4), poses[obj.name]
    bearing, far = rng.uniform(-np.pi, np.pi, SPOTS), rng.uniform(*MOVED_BY, SPOTS)
    spots = now.position[:2] + far[:, None] * np.column_stack([np.cos(bearing), np.sin(bearing)])
    yaw = np.full(SPOTS, np.arctan2(now.matrix[1, 0], now.matrix[0, 0]))
    covered = Footprint.of(obj, Pose.of()).moved(spots, yaw)
    others = [o for o in layout.inventory.values() if not o.fixed and o.joint is None and o.name != obj.name]
    taken = Footprint.together(Footprint.of(o, poses[o.name]) for o in others)
    good = area.holds(spots) & (np.linalg.norm(spots - tool[:2], axis=1) > HAND_ROOM)
    good &= (covered.apart(taken) >= MOVED_GAP) & (covered.apart(standing(layout.spec).all) >= MOVED_GAP)
    return upright(obj, np.append(spots[np.argmax(good)], yaw[0]), area.z) if good.any() else None
