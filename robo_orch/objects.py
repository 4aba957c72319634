# SPDX-License-Identifier: Apache-2.0
"""Objects as the robot knows them: geometry, grasps, surfaces, articulation, tolerance.

An :class:`ObjectSpec` describes one named thing in a scene. Kinds are package data
(``robo_orch/data/objects/*.yaml``); a scene's inventory maps names to specs. Moving parts of
furniture (a drawer, a door) are objects of their own with a :class:`Joint` to their parent.

All lengths are metres in the object's own frame: origin at the centre of its geometry's bounding box
unless the kind says otherwise, z up when the object stands as made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from robo_orch.types import Array, Pose, Precision


class Shape(StrEnum):
    """Geometric primitives, with MuJoCo's size convention (half sizes)."""

    BOX = "box"  # (hx, hy, hz)
    CYLINDER = "cylinder"  # (radius, half height)
    CAPSULE = "capsule"  # (radius, half height)
    SPHERE = "sphere"  # (radius,)
    ELLIPSOID = "ellipsoid"  # (rx, ry, rz)


@dataclass(frozen=True, slots=True, eq=False)
class Geom:
    """One primitive of an object: shape, half sizes (m), pose in the object's frame, colour or material name."""

    shape: Shape
    size: tuple[float, ...]
    pose: Pose
    material: str = ""
    collides: bool = True

    @property
    def half_extents(self) -> Array:
        """Half sizes ``(3,)`` of the box around the primitive, in its own frame."""
        match self.shape:
            case Shape.BOX | Shape.ELLIPSOID:
                return np.array(self.size[:3])
            case Shape.SPHERE:
                return np.full(3, self.size[0])
            case Shape.CYLINDER:
                return np.array([self.size[0], self.size[0], self.size[1]])
            case Shape.CAPSULE:
                return np.array([self.size[0], self.size[0], self.size[1] + self.size[0]])

    def extents(self, rotation: Array) -> Array:
        """Half sizes ``(3,)`` of the axis-aligned box around the primitive turned by a matrix ``(3, 3)``; exact."""
        axis = np.abs(rotation[:, 2])
        match self.shape:
            case Shape.BOX:
                return np.abs(rotation) @ self.half_extents
            case Shape.ELLIPSOID:
                return np.sqrt(rotation**2 @ self.half_extents**2)
            case Shape.SPHERE:
                return self.half_extents
            case Shape.CYLINDER:
                return self.size[0] * np.sqrt(np.maximum(0.0, 1.0 - axis**2)) + self.size[1] * axis
            case Shape.CAPSULE:
                return self.size[0] + self.size[1] * axis


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A flat, upward-facing area on which things can stand.

    ``centre`` ``(3,)`` in the object's frame; ``half`` ``(hx, hy)``; ``round`` makes it a disc of radius ``half[0]``.
    """

    name: str
    centre: Array
    half: tuple[float, float]
    round: bool = False

    def inside(self, xy: Array) -> float:
        """Signed distance (m) of points ``(2,)`` in the object's frame to the border: positive inside."""
        offset = np.asarray(xy) - self.centre[:2]
        if self.round:
            return float(self.half[0] - np.linalg.norm(offset))
        return float(np.min(np.array(self.half) - np.abs(offset)))


@dataclass(frozen=True, slots=True, eq=False)
class Interior:
    """A box-shaped hollow into which things can be put: centre and half sizes ``(3,)`` in the object's frame."""

    centre: Array
    half: Array

    def inside(self, point: Array) -> float:
        """Signed distance (m) of a point ``(3,)`` in the object's frame to the border: positive inside."""
        return float(np.min(self.half - np.abs(np.asarray(point) - self.centre)))


@dataclass(frozen=True, slots=True, eq=False)
class Grasp:
    """Where the tool point goes to grasp the object.

    ``pose`` of the tool frame in the object's frame (tool z points out of the hand, y is the direction in
    which the fingers move); ``width``: how wide the object is between the pads there, m.
    """

    name: str
    pose: Pose
    width: float


class JointKind(StrEnum):
    """How a part moves."""

    SLIDE = "slide"
    HINGE = "hinge"


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """How a part moves relative to its parent.

    ``origin`` is the part's frame in the parent's frame at joint value 0; ``axis`` ``(3,)`` in the part's
    frame; for hinges the axis passes through ``anchor`` ``(3,)`` in the part's frame. ``limits`` in m or rad;
    0 is closed, the upper limit fully open. ``friction`` N or N m, ``damping`` N s/m or N m s.
    """

    kind: JointKind
    parent: str
    origin: Pose
    axis: Array
    limits: tuple[float, float]
    anchor: Array
    friction: float = 0.5
    damping: float = 2.0
    springback: float = 0.0

    def value(self, parent: Pose, part: Pose) -> float:
        """The joint's value (m or rad) from the poses of parent and part, both in one frame."""
        relative = (parent @ self.origin).inverse() @ part
        if self.kind is JointKind.SLIDE:
            return float(relative.position @ self.axis)
        return float(relative.rotation.as_rotvec() @ self.axis)

    def pose(self, parent: Pose, value: float) -> Pose:
        """Where the part is at a joint value, given its parent's pose."""
        if self.kind is JointKind.SLIDE:
            moved = Pose.of(value * self.axis)
        else:
            turned = Pose.of((0, 0, 0), _axis_angle(self.axis, value))
            moved = Pose.of(self.anchor) @ turned @ Pose.of(-self.anchor)
        return parent @ self.origin @ moved


def _axis_angle(axis: Array, angle: float) -> Array:
    return np.append(np.asarray(axis) * np.sin(angle / 2), np.cos(angle / 2))


class Trait(StrEnum):
    """What an object's make allows, as far as skills and goals ask for it."""

    FREE = "free"  # it may be moved about
    GRASPABLE = "graspable"  # free, and with a grasp
    FLAT = "flat"  # free, wide and low, with sides that fingers find: pushed, it slides and does not topple
    SURFACE = "surface"  # things can stand on it
    HOLLOW = "hollow"  # things can be put into it
    REGION = "region"  # a named area of something else: a surface without a body
    SLIDES = "slides"  # a drawer
    SWINGS = "swings"  # a door
    PRESSES = "presses"  # a button: it springs back
    TURNS = "turns"  # a knob: it turns about its own middle


#: A hinge through a part's middle makes a knob of it, one at its edge a door: their distance over the part's reach from
#: the axis, below which it is a knob (chosen; a door of even thickness has 0.5).
KNOB_ECCENTRICITY = 0.25


#: A flat thing is at least so many times as wide as high, and so high, m (chosen: pushed at its upper edge it tilts
#: only where friction is above 1; beside what is lower, a plate, fingers stand on the table).
FLAT, LOWEST_SIDE = 2.0, 0.025


#: A floor may lie this far (m) below the hollow that stands on it (chosen).
_FLOOR_DEPTH = 0.005


@dataclass(frozen=True, eq=False)  # no slots: what follows from the fields is reckoned once
class ObjectSpec:
    """One named object of a scene.

    Attributes:
        name: unique in its scene, for example ``red_cube``.
        kind: for example ``cube``; ``words`` are further names people use for it.
        colour: colour word, empty where the object has none worth naming.
        geoms: primitives in the object's frame.
        mass: kg. ``friction``: sliding friction coefficient.
        fixed: furniture that never moves; ``joint`` is set for moving parts of furniture.
        surfaces, interior, grasps: what can be done with it.
        tolerance: how precisely its pose must be known to grasp it or place on it, m (one sigma).
        precision: the best estimate perception can give.
    """

    name: str
    kind: str
    geoms: tuple[Geom, ...]
    colour: str = ""
    words: tuple[str, ...] = ()
    mass: float = 0.1
    friction: float = 1.0
    fixed: bool = False
    joint: Joint | None = None
    surfaces: tuple[Surface, ...] = ()
    interior: Interior | None = None
    grasps: tuple[Grasp, ...] = ()
    tolerance: float = 0.006
    precision: Precision = Precision.FIDUCIAL

    @property
    def movable(self) -> bool:
        """Whether the object can be picked up at all: free, and with a grasp."""
        return not self.fixed and self.joint is None and bool(self.grasps)

    @property
    def opens(self) -> bool:
        """Whether it is a drawer or a door."""
        return bool({Trait.SLIDES, Trait.SWINGS} & self.traits)

    @cached_property
    def floors(self) -> tuple[Surface, ...]:
        """Surfaces within its own hollow: what stands on them is in it."""
        hollow = self.interior
        if hollow is None:
            return ()
        return tuple(s for s in self.surfaces if hollow.inside(s.centre) > -_FLOOR_DEPTH)

    @cached_property
    def beds(self) -> tuple[Surface, ...]:
        """What things in its hollow stand on: its floors, else the hollow's lower end."""
        hollow = self.interior
        if hollow is None or self.floors:
            return self.floors
        lowest = hollow.centre - np.array([0.0, 0.0, hollow.half[2]])
        return (Surface("floor", lowest, (float(hollow.half[0]), float(hollow.half[1]))),)

    @cached_property
    def tops(self) -> tuple[Surface, ...]:
        """Surfaces on which things stand on it and not in it; its floors if it has no others."""
        floors = self.floors
        return tuple(s for s in self.surfaces if s not in floors) or floors

    @cached_property
    def traits(self) -> frozenset[Trait]:
        """What its make allows."""
        free = not self.fixed and self.joint is None
        found = {
            Trait.FREE: free,
            Trait.GRASPABLE: self.movable,
            Trait.FLAT: free and self._flat(),
            Trait.SURFACE: bool(self.surfaces),
            Trait.HOLLOW: self.interior is not None,
            Trait.REGION: self.fixed and not self.geoms and bool(self.surfaces),
        }
        moves = {self._motion()} if self.joint else set()
        return frozenset(trait for trait, has in found.items() if has) | moves

    def _flat(self) -> bool:
        low, high = self.bounds()
        width, depth, height = (high - low).tolist()
        return height >= LOWEST_SIDE and min(width, depth) >= FLAT * height

    def _motion(self) -> Trait:
        joint = self.joint
        if joint is None or joint.springback > 0:
            return Trait.PRESSES
        if joint.kind is JointKind.SLIDE:
            return Trait.SLIDES
        low, high = self.bounds()
        corners = np.array(np.meshgrid(*np.column_stack([low, high]))).reshape(3, -1).T
        reach = max(_off_axis(corner - joint.anchor, joint.axis) for corner in corners)
        return (
            Trait.TURNS
            if _off_axis((low + high) / 2 - joint.anchor, joint.axis) < KNOB_ECCENTRICITY * reach
            else Trait.SWINGS
        )

    def bounds(self, pose: Pose | None = None) -> tuple[Array, Array]:
        """Lower and upper corner ``(3,)`` of the axis-aligned box around the object at ``pose``.

        What has no geometry, a region, is as large as its surfaces.
        """
        return self._resting_bounds if pose is None else self._bounds(pose)

    @cached_property
    def _resting_bounds(self) -> tuple[Array, Array]:
        low, high = self._bounds(Pose.of())
        low.setflags(write=False)
        high.setflags(write=False)
        return low, high

    def _bounds(self, base: Pose) -> tuple[Array, Array]:
        lows, highs = [], []
        for surface in () if self.geoms else self.surfaces:
            half = np.abs(base.matrix) @ np.array([*surface.half, 0.0])
            lows.append(base.apply(surface.centre) - half)
            highs.append(base.apply(surface.centre) + half)
        for geom in self.geoms:
            g = base @ geom.pose
            half = geom.extents(g.matrix)
            lows.append(g.position - half)
            highs.append(g.position + half)
        return np.min(lows, axis=0), np.max(highs, axis=0)

    def height_below(self, pose: Pose) -> float:
        """Distance (m) from the object's origin down to its lowest point at ``pose``."""
        low, _ = self.bounds(pose)
        return float(pose.position[2] - low[2])


def _off_axis(point: Array, axis: Array) -> float:
    """Distance (m) of a point from the line through the origin along a unit vector."""
    return float(np.linalg.norm(point - (point @ axis) * axis))


#: The things a scene is known to contain, by name.
Inventory = Mapping[str, ObjectSpec]
