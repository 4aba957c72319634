# SPDX-License-Identifier: Apache-2.0
"""Small worlds for tests of what decides on estimates.

A table with a plate and three cubes; a *kitchen* with a drawer and cubes that stand where a test says, both built by
hand; and a *house*: the shipped furniture with objects of the catalogue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from robo_orch.catalogue import furniture, make_object
from robo_orch.objects import Geom, Grasp, Interior, Joint, JointKind, ObjectSpec, Shape, Surface
from robo_orch.predicates import Facts
from robo_orch.skills import skills
from robo_orch.types import Observation, Pose, PoseEstimate, Precision, RobotState

DOWN = (1.0, 0.0, 0.0, 0.0)


def cube(name: str, half: float = 0.02, **changes) -> ObjectSpec:
    colour, kind = name.split("_")[:2]
    options = {
        "geoms": (Geom(Shape.BOX, (half,) * 3, Pose.of()),),
        "surfaces": (Surface("top", np.array([0.0, 0.0, half]), (half, half)),),
        "grasps": (Grasp("top", Pose.of((0, 0, 0), DOWN), 2 * half),),
    }
    return ObjectSpec(name, kind, colour=colour, **options | changes)


TABLE = ObjectSpec(
    "table",
    "table",
    (Geom(Shape.BOX, (0.5, 0.5, 0.02), Pose.of((0, 0, -0.02))),),
    fixed=True,
    surfaces=(Surface("top", np.zeros(3), (0.5, 0.5)),),
)
PLATE = ObjectSpec(
    "plate",
    "plate",
    (Geom(Shape.CYLINDER, (0.09, 0.006), Pose.of()),),
    surfaces=(Surface("top", np.array([0.0, 0.0, 0.006]), (0.08, 0.08), round=True),),
)
INVENTORY = {o.name: o for o in (TABLE, PLATE, cube("red_cube"), cube("green_cube"), cube("blue_cube"))}
PLACES = {
    "table": (0.5, 0.0, 0.0),
    "plate": (0.6, 0.2, 0.006),
    "red_cube": (0.4, -0.2, 0.02),
    "green_cube": (0.5, -0.2, 0.02),
    "blue_cube": (0.6, -0.2, 0.02),
}


def estimate(name: str, at, sigma: float = 0.001, stamp: float = 0.0, precision=Precision.FIDUCIAL) -> PoseEstimate:
    pose = at if isinstance(at, Pose) else Pose.of(at)
    return PoseEstimate(name, pose, np.eye(6) * sigma**2, stamp, "test", precision)


def facts(holding: str | None = None, sigma: float = 0.001, missing=(), **moved) -> Facts:
    places = {name: at for name, at in (PLACES | moved).items() if name not in missing}
    return Facts(INVENTORY, {name: estimate(name, at, sigma) for name, at in places.items()}, holding)


def observation(stamp: float, holding: str | None = None, sigma: float = 0.001, missing=(), **moved) -> Observation:
    places = {name: at for name, at in (PLACES | moved).items() if name not in missing}
    state = RobotState(stamp, (), np.zeros(0), np.zeros(0), np.zeros(0), Pose.of(), 0.08, holding=holding)
    return Observation(stamp, state, {name: estimate(name, at, sigma, stamp) for name, at in places.items()})


ON_PLATE = (0.6, 0.2, 0.032)

ALL_SKILLS = tuple(skills())
COLOURS = ("red", "green", "blue", "yellow", "orange", "light_blue")
CABINET = ObjectSpec(
    "cabinet",
    "cabinet",
    (Geom(Shape.BOX, (0.15, 0.14, 0.07), Pose.of()),),
    words=("cupboard",),
    fixed=True,
    surfaces=(Surface("top", np.array([0.0, 0.0, 0.07]), (0.145, 0.134)),),
)
DRAWER = ObjectSpec(
    "drawer",
    "drawer",
    (Geom(Shape.BOX, (0.13, 0.12, 0.004), Pose.of((0, 0, -0.05))),),
    joint=Joint(JointKind.SLIDE, "cabinet", Pose.of(), np.array([-1.0, 0.0, 0.0]), (0.0, 0.2), np.zeros(3)),
    surfaces=(Surface("floor", np.array([0.0, 0.0, -0.046]), (0.12, 0.11)),),
    interior=Interior(np.array([0.0, 0.0, -0.02]), np.array([0.125, 0.112, 0.03])),
)
CABINET_AT = (0.7, -0.35, 0.07)


def block(name: str, half: float = 0.02, **changes) -> ObjectSpec:
    """A cube that is also called a block; ``light_blue_cube`` and ``red_cube_2`` are fine names."""
    colour = name[: name.index("cube")].rstrip("_")
    like = cube("red_cube", half)
    options = {"geoms": like.geoms, "surfaces": like.surfaces, "grasps": like.grasps, "words": ("block",)}
    return ObjectSpec(name, "cube", colour=colour, **options | changes)


def kitchen(*names: str) -> dict[str, ObjectSpec]:
    """Table, cabinet with drawer, plate and the named cubes."""
    fixed = {o.name: o for o in (TABLE, CABINET, DRAWER, replace(PLATE, words=("dish",)))}
    return fixed | {name: block(name) for name in names}


def place(inventory: Mapping[str, ObjectSpec], at: Mapping[str, str], opened: bool = False) -> dict[str, Pose]:
    """Poses: each movable object on (or, for the drawer, in) what ``at`` names, on the table where it names nothing."""
    poses = {"table": Pose.of((0.5, 0.0, 0.0)), "plate": Pose.of((0.6, 0.2, 0.006)), "cabinet": Pose.of(CABINET_AT)}
    poses["drawer"] = DRAWER.joint.pose(poses["cabinet"], 0.2 if opened else 0.0)
    pending = [name for name, spec in inventory.items() if spec.movable]
    used: dict[str, int] = {}
    while pending:
        name = next(n for n in pending if at.get(n, "table") in poses)
        pending.remove(name)
        support = at.get(name, "table")
        n = used[support] = used.get(support, -1) + 1
        poses[name] = Pose.of(poses[support].apply(_spot(inventory, name, support, n)))
    return poses


def _spot(inventory: Mapping[str, ObjectSpec], name: str, support: str, n: int) -> np.ndarray:
    surface = inventory[support].surfaces[0]
    half = inventory[name].height_below(Pose.of())
    grids = {
        "table": (-0.35, -0.05, 6),
        "plate": (-0.04, -0.04, 2),
        "cabinet": (-0.09, -0.09, 3),
        "drawer": (-0.09, -0.08, 3),
    }
    x, y, columns = grids.get(support, (0.0, 0.0, 1))
    offset = (x + 0.08 * (n % columns), y + 0.08 * (n // columns), half)
    return surface.centre + np.array(offset)


def kitchen_facts(
    inventory: Mapping[str, ObjectSpec],
    at: Mapping[str, str] | None = None,
    opened: bool = False,
    holding: str | None = None,
    sigma: float = 0.001,
    missing: Iterable[str] = (),
) -> Facts:
    """What a robot would perceive."""
    poses = place(inventory, at or {}, opened)
    seen: dict[str, PoseEstimate] = {n: estimate(n, p, sigma) for n, p in poses.items() if n not in missing}
    return Facts(inventory, seen, holding)


#: Where the shipped furniture stands in a house, as far as goals can tell.
HOUSE = {
    "table": (0.2, 0.0, 0.0),
    "cabinet": (0.6, 0.6, 0.07),
    "controls": (0.3, -0.08, 0.0),
    "rack": (0.15, -0.6, 0.0),
    "bin": (-0.2, -0.43, 0.0),
    "tray": (0.65, 0.2, 0.0),
    "regions": (0.55, -0.21, 0.0),
}
#: On the table, but in none of its regions.
ASIDE = np.array([-0.15, 0.45, 0.0])


def house(*names: str, **scales: float) -> dict[str, ObjectSpec]:
    """The shipped furniture, a plate, and movable things named ``<colour>_<kind>`` (``_2`` after a twin's)."""
    found = {spec.name: spec for piece in HOUSE for spec in furniture(piece)}
    found["plate"] = make_object("plate", "plate")
    for name in names:
        colour, kind = name.split("_")[:2]
        found[name] = make_object(kind, name, colour, scales.get(name, 1.0))
    return found


def house_poses(
    inventory: Mapping[str, ObjectSpec], at: Mapping[str, tuple[str, str]], opened: Iterable[str] = ()
) -> dict[str, Pose]:
    """Poses: each thing ``("on" | "in", place)`` as ``at`` says, else on the table; parts in ``opened`` wide open."""
    pieces = {spec.name: Pose.of(stand) for piece, stand in HOUSE.items() for spec in furniture(piece)}
    poses = {name: pose for name, pose in pieces.items() if inventory[name].joint is None}
    for name in pieces.keys() - poses.keys():
        joint = inventory[name].joint
        poses[name] = joint.pose(poses[joint.parent], joint.limits[1] if name in opened else 0.0)
    poses["plate"] = Pose.of((0.25, 0.45, 0.006))
    used: dict[tuple[str, str], int] = {}
    pending = [name for name in inventory if name not in poses]
    while pending:
        name = next(n for n in pending if at.get(n, ("on", "table"))[1] in poses)
        pending.remove(name)
        spot = at.get(name, ("on", "table"))
        used[spot] = used.get(spot, -1) + 1
        poses[name] = poses[spot[1]] @ Pose.of(_slot(inventory, name, spot, used[spot]))
    return poses


def _slot(inventory: Mapping[str, ObjectSpec], name: str, spot: tuple[str, str], n: int) -> np.ndarray:
    """Things stand in a row along the longer side of what they are on."""
    relation, place = spot
    spec = inventory[place]
    surface = (spec.floors if relation == "in" else spec.tops)[0]
    centre = surface.centre + (ASIDE if place == "table" else 0.0)
    step = 0.16 if place == "table" else max(surface.half) / 2.6
    along = np.eye(3)[int(np.argmax(surface.half))] * step * ((n + 1) // 2) * (-1) ** n
    return centre + along + np.array([0.0, 0.0, inventory[name].height_below(Pose.of())])


def house_facts(
    inventory: Mapping[str, ObjectSpec],
    at: Mapping[str, tuple[str, str]] | None = None,
    opened: Iterable[str] = (),
    holding: str | None = None,
    sigma: float = 0.001,
) -> Facts:
    """What a robot would perceive in a house."""
    poses = house_poses(inventory, at or {}, opened)
    return Facts(inventory, {name: estimate(name, pose, sigma) for name, pose in poses.items()}, holding)
