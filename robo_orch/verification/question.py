# SPDX-License-Identifier: Apache-2.0
"""A fact about two objects as the visual classifier is asked: where to look, what would be true there, what is known.

::

    bed    = what the object would stand on, from the target's pose estimate and shape
    anchor = the point of the bed that is nearest to where the object is believed to be
    for each camera: the picture around the anchor, and for every pixel the margin that the fact would have
                     were the object's middle seen there: distance to the bed's border, positive inside
    numbers = what both look like and how large they are, what is believed of their poses, where the hand is

The classifier need not know what a tray is: that the object is seen where the margin is positive says enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robo_orch.catalogue import rgba
from robo_orch.descriptions import Strict
from robo_orch.objects import Interior, Inventory, ObjectSpec, Surface, Trait
from robo_orch.robots.lens import Lens
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Array, Observation, Pose, PoseEstimate, Precision, Predicate

Vector = tuple[float, float, float]
Images = Mapping[str, NDArray[np.uint8]]

#: Facts that one thing is on or in another.
RELATIONS = ("on", "stacked", "in", "at")
#: Largest margin (m) that a pixel tells (chosen: half a plate), and what stands for a margin of 0.
SPAN, LEVEL = 0.08, 128
#: How many numbers there are beside the pictures.
NUMBERS = 40
#: What the numbers are divided by: sizes, ways, sigma, m (chosen: about 1 then).
SIZE, WAY, SIGMA, HAND = 0.1, 0.1, 0.05, 0.3
#: Ways are told up to so many times that (chosen: beyond, it is elsewhere).
FAR = 3.0


class Eye(Strict):
    """A camera as the classifier knows it.

    Attributes:
        position, target, up, fovy: as :class:`robo_orch.robots.lens.Camera` has them, in the frame of ``mount``, a link
            of the robot that carries the tool; the base if empty.
        size: (width, height) of its pictures; ``crop``: of the part around the anchor, the whole where they are equal.
    """

    position: Vector
    target: Vector
    up: Vector = (0.0, 0.0, 1.0)
    fovy: float
    mount: str = ""
    size: tuple[int, int]
    crop: tuple[int, int]

    def lens(self) -> Lens:
        """Its lens."""
        return Lens(self, self.size)

    def at(self, tool: Pose, robot: RobotSpec) -> Pose:
        """Where what carries it is, for a hand at ``tool``."""
        return tool @ robot.tool_offset.inverse() if self.mount else Pose.of()

    def window(self, anchor: Array, at: Pose) -> tuple[int, int, int, int]:
        """Left, top, width and height (pixels) of the part that is looked at; it may reach beyond the picture."""
        if self.crop == self.size:
            return (0, 0, *self.size)
        column, row, _ = self.lens().project(anchor[None], at)[0]
        return round(column) - self.crop[0] // 2, round(row) - self.crop[1] // 2, *self.crop


@dataclass(frozen=True, slots=True, eq=False)
class Bed:
    """What the object would be on or in: ``border`` in the frame of ``at``; ``height`` (m) of its middle there."""

    at: Pose
    border: Surface | Interior
    height: float

    def margins(self, local: Array) -> Array:
        """Distances (m) of points ``(n, 2)`` in the bed's frame to the border, ``(n,)``: positive inside."""
        offset, border = local - self.border.centre[:2], self.border
        if isinstance(border, Surface) and border.round:
            return border.half[0] - np.sqrt((offset * offset).sum(axis=1))
        return np.min(np.array(border.half[:2]) - np.abs(offset), axis=1)

    def nearest(self, point: Array) -> Array:
        """The point at the height of the object's middle over the bed that is nearest to ``(3,)``, base frame."""
        centre, half = self.border.centre[:2], np.array(self.border.half[:2])
        offset = np.clip(self.at.inverse().apply(point)[:2] - centre, -half, half)
        return self.at.apply(np.array([*(centre + offset), self.height]))

    def seen(self, origin: Array, ways: Array) -> Array:
        """Margins ``(n,)`` where rays from ``(3,)`` along ``(n, 3)`` (base frame) come to the height of the middle."""
        turn = self.at.matrix
        begin, ways = (origin - self.at.position) @ turn, ways @ turn
        down = np.where(np.abs(ways[:, 2]) > 1e-6, ways[:, 2], 1e-6)
        far = (self.height - begin[2]) / down
        return np.where(far > 0.0, self.margins(begin[:2] + far[:, None] * ways[:, :2]), -SPAN)


@dataclass(frozen=True, eq=False)  # no slots: what follows from the fields is reckoned once
class Question:
    """Whether ``thing`` is on or in ``target``; see the module.

    Args:
        relation: one of :data:`RELATIONS`.
    """

    relation: str
    thing: ObjectSpec
    target: ObjectSpec
    seen: Observation
    robot: RobotSpec

    @classmethod
    def of(cls, fact: Predicate, inventory: Inventory, seen: Observation, robot: RobotSpec) -> Question:
        """A fact about two objects, of which the second must have been perceived, as the question."""
        thing, target = fact.args
        return cls(fact.name, inventory[thing], inventory[target], seen, robot)

    @property
    def belief(self) -> PoseEstimate | None:
        """Where the object is believed to be."""
        return self.seen.objects.get(self.thing.name)

    @cached_property
    def bed(self) -> Bed:
        """The bed; of several the one at the height at which the object is believed to be."""
        at = self.seen.objects[self.target.name].pose
        foot = self.thing.height_below(Pose.of())
        hollow = self.target.interior
        if self.relation == "in" and hollow is not None:
            floor = min(float(s.centre[2]) for s in self.target.beds)
            return Bed(at, hollow, floor + foot)
        beds = [Bed(at, s, float(s.centre[2]) + foot) for s in self.target.tops]
        if self.belief is None:
            return beds[0]
        local = at.inverse().apply(self.belief.pose.position)
        return min(beds, key=lambda bed: abs(bed.height - local[2]))

    @cached_property
    def anchor(self) -> Array:
        """Where to look, ``(3,)`` m in the base frame."""
        bed = self.bed
        return bed.nearest(self.belief.pose.position if self.belief else bed.at.apply(bed.border.centre))

    def inputs(self, eyes: Mapping[str, Eye], images: Images) -> dict[str, NDArray[Any]]:
        """A row of the classifier's inputs: a part of each picture by camera, uint8 ``(4, h, w)``, and ``numbers``."""
        looks: dict[str, NDArray[Any]] = {name: self.look(eye, images[name]) for name, eye in eyes.items()}
        return {**looks, "numbers": self.numbers()}

    def look(self, eye: Eye, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Red, green, blue and margin around the anchor, uint8 ``(4, h, w)``; black beyond the picture."""
        at = eye.at(self.seen.state.tool, self.robot)
        left, top, width, height = window = eye.window(self.anchor, at)
        made = np.zeros((4, height, width), np.uint8)
        columns, rows = slice(max(left, 0), left + width), slice(max(top, 0), top + height)
        part = image[rows, columns] if left + width > 0 and top + height > 0 else image[:0, :0]
        y, x = max(-top, 0), max(-left, 0)
        made[:3, y : y + part.shape[0], x : x + part.shape[1]] = part.transpose(2, 0, 1)
        origin, rays = eye.lens().rays(window)
        places = np.ones((height, width, 3))
        places[..., 0], places[..., 1] = _shares(width)[None], _shares(height)[:, None]
        ways = places.reshape(-1, 3) @ (at.matrix @ rays).T
        margins = np.clip(self.bed.seen(at.apply(origin), ways) / SPAN, -1.0, 1.0)
        made[3] = np.round(LEVEL + 127 * margins).reshape(height, width)
        return made

    def numbers(self) -> NDArray[np.float32]:
        """What is known beside the pictures, ``(NUMBERS,)``."""
        state, bed = self.seen.state, self.bed
        at = self.seen.objects[self.target.name]
        believed = [0.0] * 8
        if self.belief is not None:
            way = self.belief.pose.position - self.anchor
            margin = bed.margins(bed.at.inverse().apply(self.belief.pose.position)[None, :2])[0]
            told = np.clip([*way / WAY, margin / WAY, np.linalg.norm(way[:2]) / WAY], -FAR, FAR)
            believed = [1.0, float(self.belief.visible), self.belief.sigma / SIGMA, *told]
        hand = np.clip((state.tool.position - self.anchor) / HAND, -FAR, FAR)
        held = [float(state.holding == self.thing.name), float(state.holding is not None), float(state.grasping)]
        asked = [float(self.relation == "in"), float(self.target.fixed), float(Trait.REGION in self.target.traits)]
        parts = [*_looks(self.thing), *_looks(self.target), *believed, at.sigma / SIGMA, float(at.visible)]
        return np.array([*parts, *hand, state.gripper / SIZE, *held, *asked], np.float32)


def asked(fact: Predicate, inventory: Inventory) -> bool:
    """Whether a fact is one for the classifier: on or in, and one of both has only a coarse pose."""
    if fact.name not in RELATIONS or fact.negated or any(name not in inventory for name in fact.args):
        return False
    thing, target = (inventory[name] for name in fact.args)
    fits = thing.movable and bool(target.interior if fact.name == "in" else target.tops)
    return fits and Precision.COARSE in (thing.precision, target.precision)


def stacked(rows: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Several rows as one batch."""
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def _looks(spec: ObjectSpec) -> list[float]:
    """Its colours from the side and from above, half its sizes, whether it is hollow, ``(10,)``."""
    side = rgba(spec.colour or (spec.geoms[0].material if spec.geoms else ""))
    above = rgba(_uppermost(spec)) if spec.geoms else side
    low, high = spec.bounds()
    sizes = np.minimum((high - low) / 2 / SIZE, FAR)
    return [*side[:3], *above[:3], *sizes.tolist(), float(spec.interior is not None)]


def _uppermost(spec: ObjectSpec) -> str:
    """The material that is seen from above: of the primitive that reaches highest."""
    return max(spec.geoms, key=lambda g: float(g.pose.position[2] + g.extents(g.pose.matrix)[2])).material


def _shares(n: int) -> Array:
    return (np.arange(n) + 0.5) / n
