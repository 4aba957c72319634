# SPDX-License-Identifier: Apache-2.0
"""Scene descriptions: furniture, where movable objects may lie, cameras and lights, from one YAML a scene."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from robo_orch.catalogue import Kind, furniture, furniture_names, kind
from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import SceneError, unknown
from robo_orch.robots.spec import load_robot
from robo_orch.sim.lowlevel import low_level_hash
from robo_orch.sim.perception import ACCURACY
from robo_orch.sim.scenes.sets import Sets
from robo_orch.types import Array

SCENES = Path(__file__).parent

_Vector = tuple[float, float, float]


class Placed(Strict):
    """A piece of furniture: ``position`` of its origin in the robot's base frame, m; ``yaw`` in degrees."""

    name: str
    position: _Vector
    yaw: float = 0.0


class PoolEntry(Strict):
    """A movable kind and the colours that this scene draws from (none: the kind's colour is left unnamed)."""

    kind: str
    colours: tuple[str, ...] = ()


class Area(Strict):
    """A rectangle in the base frame (m), at height ``z``, in which movable objects are laid out.

    ``reach``: smallest and largest horizontal distance of an object's centre from the base. ``gap`` between objects;
    ``furniture_gap`` between an object and furniture, however far drawers and doors stand open; ``tall_gap`` where that
    is higher than the hand's wrist, m. ``hand``: the parts of an open hand that comes from above, each with its length
    along the fingers' motion, its thickness, and how far above the tool point it begins, m. ``arm``: how long, towards
    the base, and how wide the room is that a forearm needs, and from which height on, m.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    z: float = 0.0
    reach: tuple[float, float]
    gap: float = Field(gt=0)
    furniture_gap: float = Field(0.05, gt=0)
    tall_gap: float = Field(0.0, ge=0)
    hand: tuple[_Vector, ...] = ()
    arm: _Vector | None = None

    def model_post_init(self, _context: Any) -> None:
        """Refuse ranges that hold nothing."""
        for name, (low, high) in {"x": self.x, "y": self.y, "reach": self.reach}.items():
            if not low < high:
                raise ValueError(f"{name} from small to large was expected, got {(low, high)}")

    def holds(self, spots: Array) -> NDArray[np.bool_]:
        """Which of ``(n, 2 or more)`` spots, x and y in m, lie within."""
        x, y = spots[:, 0], spots[:, 1]
        far = np.hypot(x, y)
        inside = (self.x[0] <= x) & (x <= self.x[1]) & (self.y[0] <= y) & (y <= self.y[1])
        return inside & (self.reach[0] <= far) & (far <= self.reach[1])


class Bystanders(Strict):
    """What may stand about besides: kinds of the pool, and where."""

    kinds: tuple[str, ...]
    area: Area


class Camera(Strict):
    """A camera at ``position`` looking at ``target``, m, in the frame of ``mount`` (a robot link; base if empty).

    ``up`` is the direction that is up in the image; ``fovy`` the vertical field of view in degrees.
    """

    position: _Vector
    target: _Vector
    up: _Vector = (0.0, 0.0, 1.0)
    fovy: float = Field(45.0, gt=1, lt=170)
    mount: str = ""

    def model_post_init(self, _context: Any) -> None:
        """Refuse a view in no direction."""
        if np.linalg.norm(np.cross(np.subtract(self.target, self.position), self.up)) < 1e-6:
            raise ValueError("a target away from the camera was expected, and not straight along its up")


class Light(Strict):
    """A light at ``position`` shining at ``target`` (base frame, m); ``diffuse`` brightness per channel."""

    position: _Vector
    target: _Vector
    diffuse: _Vector
    specular: _Vector = (0.1, 0.1, 0.1)
    shadow: bool = False


class SceneSpec(Strict):
    """A scene.

    ``version`` rises when the scene changes: policies are trained on it, and figures refer to it. ``always``: objects
    that are in every layout; ``count``: how many of ``pool`` there are besides, fewest and most; ``sets``: which seeds
    are for training, validation and test, and what is held out.
    """

    name: str
    version: int = 1
    robot: str
    furniture: tuple[Placed, ...]
    always: tuple[PoolEntry, ...] = ()
    pool: tuple[PoolEntry, ...]
    count: tuple[Annotated[int, Field(ge=0)], int]
    area: Area
    bystanders: Bystanders | None = None
    sets: Sets = Sets()
    cameras: dict[str, Camera]
    lights: tuple[Light, ...]

    def model_post_init(self, _context: Any) -> None:
        """Refuse names that do not exist, so that nothing fails later than here."""
        for entry in (*self.always, *self.pool):
            if strange := set(entry.colours) - set(kind(entry.kind).colours):
                raise ValueError(f"{entry.kind} does not come in {', '.join(sorted(strange))}")
        if self.count[0] > self.count[1]:
            raise ValueError(f"count from fewest to most was expected, got {self.count}")
        if twice := sorted({p.name for p in self.furniture if [q.name for q in self.furniture].count(p.name) > 1}):
            raise ValueError(f"furniture can be there once, {', '.join(twice)} is there twice")
        links = load_robot(self.robot).links
        if strange := {c.mount for c in self.cameras.values() if c.mount} - set(links):
            raise ValueError(f"no link {', '.join(strange)} to mount a camera on, there is {', '.join(links)}")
        if strange := {p.name for p in self.furniture} - set(furniture_names()):
            raise ValueError(f"no furniture {', '.join(sorted(strange))}, there is {', '.join(furniture_names())}")
        if strange := set(self.bystanders.kinds if self.bystanders else ()) - {e.kind for e in self.pool}:
            raise ValueError(f"bystanders of {', '.join(sorted(strange))}, which is not in the pool")

    def __hash__(self) -> int:
        """Equal scenes have equal digests."""
        return hash(self.digest())

    def digest(self) -> str:
        """SHA-256 over all that decides what happens: scene, kinds, robot, low-level path, accuracy of perception."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        robot = load_robot(self.robot)
        kinds: list[Kind] = [kind(e.kind) for e in (*self.always, *self.pool)]
        parts = [self.model_dump_json(exclude={"name"}), *(k.model_dump_json() for k in kinds)]
        parts += [_plain(part) for p in self.furniture for part in furniture(p.name)]
        body = (robot.joints, robot.gripper, robot.control_hz, robot.tool_parent, robot.tool_offset)
        parts += [robot.urdf.read_text(), _plain(body), _plain(ACCURACY), low_level_hash()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _plain(value: Any) -> str:
    """A value as JSON, which is the same in every version of Python and numpy."""
    return json.dumps(value, default=_parts, sort_keys=True)


def _parts(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return value.tolist()


def scene_names() -> list[str]:
    """Names of the shipped scenes."""
    return sorted(path.stem for path in SCENES.glob("*.yaml"))


def load_scene(name: str | Path) -> SceneSpec:
    """A shipped scene by name, or any scene from the path of its YAML.

    Raises:
        SceneError: unknown name, or a description that is incomplete, inconsistent or has unknown keys.
    """
    path = Path(name) if str(name).endswith((".yaml", ".yml")) else SCENES / f"{name}.yaml"
    expected = "a scene like the shipped kitchen.yaml"
    if path.suffix and str(name) != path.stem and not path.is_file():
        raise SceneError(expected, f"no file {path}", f"correct the path, or choose one of: {', '.join(scene_names())}")
    if not path.is_file():
        raise unknown(SceneError, "a scene", str(name), scene_names())
    return parsed(read(path, expected, SceneError), SceneSpec, expected, SceneError, path.name, {"name": str(name)})
