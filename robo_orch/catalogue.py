# SPDX-License-Identifier: Apache-2.0
"""The kinds of objects that exist, read from package data, and how to make a named object of one.

``data/objects/<kind>.yaml`` describes a movable kind at scale 1, ``data/objects/furniture/<name>.yaml`` the parts of
a piece of furniture, ``data/materials.yaml`` what colours and materials look like. Lengths in metres, angles in
degrees, masses in kilograms. A new kind is a new file; no code knows a kind by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

import numpy as np
from pydantic import Field, TypeAdapter
from scipy.spatial.transform import Rotation

from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import SceneError, unknown
from robo_orch.objects import Geom, Grasp, Interior, Joint, JointKind, ObjectSpec, Shape, Surface
from robo_orch.types import Pose, Precision

#: In a kind's geoms: the material that stands for the object's own colour.
OWN_COLOUR = "colour"

_Vector = tuple[float, float, float]
_Positive = Annotated[float, Field(gt=0)]
_ORIGIN: _Vector = (0.0, 0.0, 0.0)
_SIZES = {Shape.BOX: 3, Shape.ELLIPSOID: 3, Shape.CYLINDER: 2, Shape.CAPSULE: 2, Shape.SPHERE: 1}


class _Geom(Strict):
    shape: Shape
    size: tuple[float, ...]
    position: _Vector = _ORIGIN
    rotation: _Vector = _ORIGIN  # roll, pitch, yaw in degrees
    material: str = OWN_COLOUR
    collides: bool = True

    def model_post_init(self, _context: Any) -> None:
        if len(self.size) != _SIZES[self.shape] or min(self.size) <= 0:
            raise ValueError(f"a {self.shape} has {_SIZES[self.shape]} positive half sizes, got {self.size}")


class _Surface(Strict):
    name: str
    centre: _Vector
    half: tuple[_Positive, _Positive]
    round: bool = False


class _Interior(Strict):
    centre: _Vector
    half: tuple[_Positive, _Positive, _Positive]


class _Grasp(Strict):
    """``approach``: where the hand points; ``fingers``: the way they move; ``turns``: alike about z, so many."""

    name: str
    position: _Vector
    approach: _Vector
    fingers: _Vector
    width: float = Field(gt=0)
    turns: int = Field(1, ge=1)

    def model_post_init(self, _context: Any) -> None:
        cosine = float(np.dot(_unit(self.approach, "approach"), _unit(self.fingers, "fingers")))
        if abs(cosine) > 1e-3:
            raise ValueError("the fingers move across the approach: the two directions must be at right angles")


class _Joint(Strict):
    kind: JointKind
    parent: str
    position: _Vector = _ORIGIN
    axis: _Vector
    limits: tuple[float, float]
    anchor: _Vector = _ORIGIN
    friction: float = Field(0.5, ge=0)
    damping: float = Field(2.0, ge=0)
    springback: float = Field(0.0, ge=0)

    def model_post_init(self, _context: Any) -> None:
        _unit(self.axis, "axis")
        if not self.limits[0] < self.limits[1]:
            raise ValueError(f"limits from low to high were expected, got {self.limits}")


class Kind(Strict):
    """A kind of object as its YAML describes it, at scale 1."""

    kind: str
    words: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    scales: tuple[_Positive, _Positive] = (1.0, 1.0)
    mass: float = Field(0.0, ge=0)
    friction: float = Field(0.8, ge=0)
    fixed: bool = False
    geoms: tuple[_Geom, ...] = ()
    surfaces: tuple[_Surface, ...] = ()
    interior: _Interior | None = None
    grasps: tuple[_Grasp, ...] = ()
    joint: _Joint | None = None
    tolerance: float = Field(0.006, gt=0)
    precision: Precision = Precision.FIDUCIAL

    def model_post_init(self, _context: Any) -> None:
        """Refuse colours and materials that do not exist, bodies without mass, and things that are nowhere."""
        words = {g.material for g in self.geoms} - {OWN_COLOUR} | set(self.colours)
        if strange := sorted(words - set(_palette())):
            raise ValueError(f"{', '.join(strange)}: not among the colours and materials of data/materials.yaml")
        if self.scales[0] > self.scales[1]:
            raise ValueError(f"scales from small to large were expected, got {self.scales}")
        if self.geoms and not self.mass:
            raise ValueError("a body needs a mass above 0 kg")
        if not self.geoms and not (self.fixed and self.surfaces):
            raise ValueError("what has no geoms is a region: fixed, with a surface")


class _Palette(Strict):
    colours: dict[str, tuple[float, float, float, float]]
    materials: dict[str, tuple[float, float, float, float]]


def kinds() -> list[str]:
    """Names of the movable kinds."""
    return sorted(_stem(p.name) for p in _data("objects").iterdir() if p.name.endswith(".yaml"))


def furniture_names() -> list[str]:
    """Names of the pieces of furniture."""
    return sorted(_stem(p.name) for p in _data("objects").joinpath("furniture").iterdir() if p.name.endswith(".yaml"))


@cache
def kind(name: str) -> Kind:
    """One movable kind.

    Raises:
        SceneError: there is no such kind, or its file is broken.
    """
    if name not in kinds():
        raise unknown(SceneError, "a kind of object", name, kinds())
    return parse_kind(_text(_data("objects").joinpath(f"{name}.yaml"), name), name)


def parse_kind(text: str, name: str) -> Kind:
    """Read a kind from YAML text.

    Raises:
        SceneError: with the place of the mistake.
    """
    return _parse(Kind, text, name, {"kind": name})


def make_object(kind_name: str, name: str, colour: str = "", scale: float = 1.0) -> ObjectSpec:
    """A movable object of a kind; lengths grow with ``scale``, mass with its cube.

    Raises:
        SceneError: unknown kind, or a colour or scale that the kind does not come in.
    """
    model = kind(kind_name)
    if colour and colour not in model.colours:
        raise unknown(SceneError, f"a colour of {kind_name}", colour, model.colours)
    low, high = model.scales
    if not low <= scale <= high:
        raise SceneError(f"a scale of {kind_name} in [{low}, {high}]", f"{scale:g}", "choose one in that range")
    return _spec(model, name, colour, scale)


def furniture(name: str) -> list[ObjectSpec]:
    """The parts of a piece of furniture, parents before children.

    Raises:
        SceneError: there is no such furniture, or its file is broken.
    """
    return list(_furniture(name))


@cache
def _furniture(name: str) -> tuple[ObjectSpec, ...]:
    if name not in furniture_names():
        raise unknown(SceneError, "a piece of furniture", name, furniture_names())
    text = _text(_data("objects").joinpath("furniture", f"{name}.yaml"), name)
    parts = _parse(TypeAdapter(dict[str, Kind]), text, name)
    return tuple(_spec(model, part, "", 1.0) for part, model in parts.items())


def colours() -> dict[str, tuple[float, float, float, float]]:
    """Colour words and their rgba."""
    return dict(_palette_file().colours)


def rgba(material: str) -> tuple[float, float, float, float]:
    """What a colour or material looks like, rgba in [0, 1]; grey for the empty name.

    Raises:
        SceneError: there is no such colour or material.
    """
    if not material:
        return _palette()["grey"]
    if material not in _palette():
        raise unknown(SceneError, "a colour or material", material, _palette())
    return _palette()[material]


def _data(folder: str):
    return files("robo_orch").joinpath("data", folder)


def _stem(name: str) -> str:
    return name.removesuffix(".yaml")


@cache
def _palette_file() -> _Palette:
    text = files("robo_orch").joinpath("data", "materials.yaml").read_text()
    return _parse(_Palette, text, "materials")


def _palette() -> Mapping[str, tuple[float, float, float, float]]:
    return {**_palette_file().colours, **_palette_file().materials}


def _text(path: Any, name: str) -> str:
    return read(path, f"a description of {name} in YAML", SceneError, f"mend {name}.yaml")


def _parse(model: Any, text: str, name: str, given: Mapping[str, Any] | None = None) -> Any:
    return parsed(text, model, f"a description of {name} like those in data/objects", SceneError, f"{name}.yaml", given)


def _spec(model: Kind, name: str, colour: str, scale: float) -> ObjectSpec:
    return ObjectSpec(
        name=name,
        kind=model.kind,
        geoms=tuple(_geom(g, colour, scale) for g in model.geoms),
        colour=colour,
        words=model.words,
        mass=model.mass * scale**3,
        friction=model.friction,
        fixed=model.fixed,
        joint=None if model.joint is None else _joint(model.joint),
        surfaces=tuple(
            Surface(s.name, scale * np.array(s.centre), (scale * s.half[0], scale * s.half[1]), s.round)
            for s in model.surfaces
        ),
        interior=None
        if model.interior is None
        else Interior(scale * np.array(model.interior.centre), scale * np.array(model.interior.half)),
        grasps=tuple(grasp for g in model.grasps for grasp in _grasps(g, scale)),
        tolerance=model.tolerance,
        precision=model.precision,
    )


def _unit(vector: Sequence[float], what: str) -> np.ndarray:
    """The vector at length 1.

    Raises:
        ValueError: it has none.
    """
    length = float(np.linalg.norm(vector))
    if length < 1e-6:
        raise ValueError(f"{what} is a direction and cannot be {tuple(vector)}")
    return np.array(vector) / length


def _geom(geom: _Geom, colour: str, scale: float) -> Geom:
    pose = Pose.from_rotation(scale * np.array(geom.position), Rotation.from_euler("xyz", geom.rotation, degrees=True))
    material = colour if geom.material == OWN_COLOUR else geom.material
    return Geom(geom.shape, tuple(scale * s for s in geom.size), pose, material, geom.collides)


def _joint(joint: _Joint) -> Joint:
    return Joint(
        joint.kind,
        joint.parent,
        Pose.of(joint.position),
        _unit(joint.axis, "axis"),
        joint.limits,
        np.array(joint.anchor),
        joint.friction,
        joint.damping,
        joint.springback,
    )


def _grasps(grasp: _Grasp, scale: float) -> Sequence[Grasp]:
    return [Grasp(g.name, Pose(scale * g.pose.position, g.pose.quaternion), scale * g.width) for g in _turned(grasp)]


@cache
def _turned(grasp: _Grasp) -> Sequence[Grasp]:
    """All turns of a grasp, at scale 1."""
    z, y = _unit(grasp.approach, "approach"), _unit(grasp.fingers, "fingers")
    first = Rotation.from_matrix(np.column_stack([np.cross(y, z), y, z]))
    found = []
    for turn in range(grasp.turns):
        angle = 360.0 * turn / grasp.turns
        about = Rotation.from_euler("z", angle, degrees=True)
        name = f"{grasp.name}_{angle:.0f}" if grasp.turns > 1 else grasp.name
        found.append(Grasp(name, Pose.from_rotation(about.apply(grasp.position), about * first), grasp.width))
    return found
