# SPDX-License-Identifier: Apache-2.0
"""Small kitchens built by hand: furniture, a plate, cubes that stand where a test says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from robo_orch.objects import Geom, Interior, Joint, JointKind, ObjectSpec, Shape, Surface
from robo_orch.predicates import Facts
from robo_orch.types import Pose, PoseEstimate
from tests.scenes import PLATE, TABLE, cube, estimate

ALL_SKILLS = ("pick_place", "stack", "place_in", "open_drawer", "close_drawer")
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


def facts(
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
