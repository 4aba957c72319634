# SPDX-License-Identifier: Apache-2.0
"""What can be made harder: the table of perturbations, and a set of them as settings that are checked.

Every perturbation is a number under a name, as ``--perturb NAME=VALUE`` or a task's YAML gives it. All that is random
about one is drawn from the run's seed, all that happens in mid-run happens at a time on the robot's clock: the same
settings make the same world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from robo_orch.errors import OptionError, closest

#: When pictures and poses freeze, s on the robot's clock (chosen: after the first look, before most grasps).
FREEZE_START = 2.0
#: How long an object stays covered, s (chosen: longer than a pick).
HIDDEN_SECONDS = 12.0


@dataclass(frozen=True, slots=True)
class Perturbation:
    """One kind of trouble: its unit, the value that perturbs nothing, the smallest and largest, what it does."""

    name: str
    unit: str
    default: float
    low: float
    high: float
    effect: str


_ROWS = (
    ("camera_shift", "m", 0, 0, 0.3, "Each fixed camera stands this far from its place, in a direction of its own."),
    ("lighting", "factor", 1, 0.1, 3, "Multiplies the brightness of all lights."),
    ("light_moved", "degrees", 0, 0, 180, "Turns the lights about the vertical, shadows with them."),
    ("texture", "share", 0, 0, 1, "Mixes so much of a random colour into every surface of furniture and floor."),
    ("blur", "pixels", 0, 0, 10, "Pictures are blurred by a Gaussian of this sigma, counted at 128 pixels of width."),
    ("occluder", "share", 0, 0, 0.9, "A grey sheet before each camera covers this share of its picture."),
    ("frame_freeze", "s", 0, 0, 600, "From 2 s on, pictures and poses stand still for so long."),
    ("pose_noise", "factor", 1, 0, 20, "Multiplies every sigma of the pose estimates; they state it."),
    ("pose_dropout", "probability", 0, 0, 1, "Chance that a frame yields no pose of an object although it is seen."),
    ("friction", "factor", 1, 0.1, 2, "Multiplies the sliding friction of everything, the gripper's pads included."),
    ("payload", "kg", 0, 0, 1.5, "Every object that can be grasped weighs so much more."),
    ("handle_stiffness", "factor", 1, 0.1, 40, "Multiplies friction and damping of drawer, door, button and knob."),
    ("object_moved", "s", 0, 0, 600, "At this time somebody moves an object by 6 to 15 cm, one of the goal's if any."),
    ("object_hidden", "s", 0, 0, 600, "From this time on, for 12 s, a cover that nothing can touch hides an object."),
    ("drawer_closed_again", "s", 0, 0, 600, "At this time somebody shuts the drawers and doors that stand open."),
    ("bystanders", "objects", 0, 0, 8, "So many bottles and cans stand about besides, as far as there is room."),
)  # fmt: skip

#: All perturbations by name. A time of 0 s is never.
PERTURBATIONS: Mapping[str, Perturbation] = {row[0]: Perturbation(*row) for row in _ROWS}


def checked(perturb: Mapping[str, float]) -> Mapping[str, float]:
    """All settings by name, those not given at their defaults.

    Raises:
        OptionError: an unknown name or a value out of range, with the table.
    """
    for name, value in perturb.items():
        entry = PERTURBATIONS.get(name)
        if entry is None:
            raise OptionError("a perturbation", repr(name), _remedy(closest(name, PERTURBATIONS, 1)))
        if not entry.low <= value <= entry.high:
            raise OptionError(f"{name} from {entry.low:g} to {entry.high:g} {entry.unit}", f"{value:g}", _remedy())
        if entry.unit == "objects" and value != round(value):
            raise OptionError(f"{name} as a whole number", f"{value:g}", f"for example {name}={round(value)}")
    return {name: float(perturb.get(name, entry.default)) for name, entry in PERTURBATIONS.items()}


def _remedy(near: Sequence[str] = ()) -> str:
    table = ", ".join(f"{e.name} {e.low:g}..{e.high:g} {e.unit}" for e in PERTURBATIONS.values())
    return f"{f'did you mean {near[0]}? ' if near else ''}there are {table}"


def markdown() -> str:
    """The table for the documentation."""
    head = ["| name | unit | default | range | what it does |", "|---|---|---|---|---|"]
    rows = [
        f"| `{e.name}` | {e.unit} | {e.default:g} | {e.low:g} to {e.high:g} | {e.effect} |"
        for e in PERTURBATIONS.values()
    ]
    return "\n".join(head + rows) + "\n"
