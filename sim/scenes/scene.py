# SPDX-License-Identifier: Apache-2.0
"""Scene descriptions: furniture, where movable objects may lie, cameras and lights, from one YAML a scene."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from robo_orch.catalogue import LOADER, Kind, furniture, furniture_names, kind
from robo_orch.errors import SceneError, unknown
from robo_orch.robots.spec import load_robot
from robo_orch.sim.lowlevel import low_level_hash
from robo_orch.sim.perception import ACCURACY
from robo_orch.sim.scenes.sets import Sets
from robo_orch.types import Array

SCENES = Path(__file__).parent

_Vector = tuple[float, float, float]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Placed(_Strict):
    """A piece of furniture: ``position`` of its origin in the robot's base frame, m; ``yaw`` in degrees."""

    name: str
    position: _Vector
    yaw: float = 0.0


class PoolEntry(_Strict):
    """A movable kind and the colours that this scene draws from (none: the kind's colour is left unnamed)."""

    kind: str
    colours: tuple[str, ...] = ()


class Area(_Strict):
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

    def holds(self, spots: Array) -> NDArray[np.bool_]:
        """Which of ``(n, 2 or more)`` spots, x and y in m, lie within."""
        x, y = spots[:, 0], spots[:, 1]
        far = np.hypot(x, y)
        inside = (self.x[0] <= x) & (x <= self.x[1]) & (self.y[0] <= y) & (y <= self.y[1])
        return inside & (self.reach[0] <= far) & (far <= self.reach[1])


class Bystanders(_Strict):
    """What may stand about besides: kinds of the pool, and where."""

    kinds: tuple[str, ...]
    area: Area


class Camera(_Strict):
    """A camera at ``position`` looking at ``target``, m, in the frame of ``mount`` (a robot link; base if empty).

    ``up`` is the direction that is up in the image; ``fovy`` the vertical field of view in degrees.
    """

    position: _Vector
    target: _Vector
    up: _Vector = (0.0, 0.0, 1.0)
    fovy: float = Field(45.0, gt=1, lt=170)
    mount: str = ""


class Light(_Strict):
    """A light at ``position`` shining at ``target`` (base frame, m); ``diffuse`` brightness per channel."""

    position: _Vector
    target: _Vector
    diffuse: _Vector
    specular: _Vector = (0.1, 0.1, 0.1)
    shadow: bool = False


class SceneSpec(_Strict):
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
    count: tuple[int, int]
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
    if not path.is_file():
        raise unknown(SceneError, "a scene", str(name), scene_names())
    try:
        return SceneSpec.model_validate({"name": str(name), **yaml.load(path.read_text(), Loader=LOADER)})
    except (ValidationError, yaml.YAMLError, TypeError) as error:
        raise SceneError(
            "a scene like the shipped kitchen.yaml", f"{path.name}: {_problems(error)}", "mend that file"
        ) from error


def _problems(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    return "; ".join(f"{'.'.join(map(str, e['loc'])) or 'scene'}: {e['msg']}" for e in error.errors())
