# SPDX-License-Identifier: Apache-2.0
"""What a person asks a run to be, checked before anything is started."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from robo_orch.bridge.names import DECLARED_START, METHODS
from robo_orch.errors import OptionError, unknown
from robo_orch.runs.camera import Pictures

#: Planners that can be named.
PLANNERS = ("symbolic",)
#: Robot seconds after which a run is given up (chosen: a subgoal takes about ten).
TIME_LIMIT = 600.0
#: Seeds fit into 32 bits, as every generator that is seeded with one accepts.
MAX_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class RunConfig:
    """One run.

    Attributes:
        goal: in words.
        scene, sim: names of a scene (or the path of its YAML) and of a simulator.
        seed: of everything that is drawn.
        planner: one of :data:`PLANNERS`.
        bridge: how the arm comes to a card's start, one of :data:`robo_orch.bridge.names.METHODS`.
        cards: ids of the policies that may be used, in order; empty means all.
        policies: folders with further cards.
        perturb: perturbations of the scene by name.
        speed: share of the robot's speed limits that motion may use, (0, 1].
        time_limit: robot seconds after which the run is given up.
        pictures: key frames, a film as well, or nothing.
        realtime: whether to pace the simulation to the wall clock.
        out: the run folder, ``None`` for ``runs/<time>-<goal>``.
        task: id of the task that this run does, if it does one.
        require: (kind, colour) pairs that the scene must contain, ``None`` for what the goal names.
        facts: what the goal must be understood as, as text; empty where nobody has said.
        report: whether to write ``report.html``.

    Raises:
        OptionError: a value that cannot be used.
    """

    goal: str
    scene: str = "kitchen"
    sim: str = "mujoco"
    seed: int = 0
    planner: str = "symbolic"
    bridge: str = DECLARED_START
    cards: tuple[str, ...] = ()
    policies: tuple[Path, ...] = ()
    perturb: Mapping[str, float] = field(default_factory=dict)
    speed: float = 1.0
    time_limit: float = TIME_LIMIT
    pictures: Pictures = Pictures.FRAMES
    realtime: bool = False
    out: Path | None = None
    task: str = ""
    require: tuple[tuple[str, str], ...] | None = None
    facts: tuple[str, ...] = ()
    report: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or not 0 <= self.seed <= MAX_SEED:
            raise OptionError(f"--seed from 0 to {MAX_SEED}", str(self.seed), "give a whole number in that range")
        positive("--speed", self.speed, at_most=1.0)
        positive("--time-limit", self.time_limit)
        if self.planner not in PLANNERS:
            raise unknown(OptionError, "--planner", self.planner, PLANNERS)
        if self.bridge not in METHODS:
            raise unknown(OptionError, "--bridge", self.bridge, METHODS)
        for name, value in self.perturb.items():
            if not math.isfinite(value) or value < 0.0:
                remedy = f"give a number, for example {name}=2"
                raise OptionError("--perturb with a finite value, 0 or more", f"{name}={value}", remedy)


def positive(option: str, value: float, at_most: float = math.inf) -> float:
    """``value`` again, if it is a finite number above 0 and not above ``at_most``.

    Raises:
        OptionError: it is not, NaN and booleans included.
    """
    if isinstance(value, bool) or not math.isfinite(value) or not 0.0 < value <= at_most:
        most = "" if math.isinf(at_most) else f" and at most {at_most:g}"
        raise OptionError(f"{option} as a finite number above 0{most}", str(value), f"for example {option} 1")
    return value


def parse_perturbations(texts: Iterable[str]) -> dict[str, float]:
    """``["pose_noise=2"]`` as ``{"pose_noise": 2.0}``; which names exist is the scene's business.

    Raises:
        OptionError: no ``NAME=VALUE``, no number, or one name twice.
    """
    parsed: dict[str, float] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or not equals:
            raise OptionError("--perturb NAME=VALUE", repr(text), "for example --perturb pose_noise=2")
        if name in parsed:
            raise OptionError("each --perturb name once", f"{name} twice", "keep one of them")
        try:
            parsed[name] = float(value)
        except ValueError as error:
            raise OptionError(
                "--perturb NAME=VALUE with a number", repr(text), f"for example --perturb {name}=2"
            ) from error
    return parsed


def parse_cards(text: str) -> tuple[str, ...]:
    """``"a/b-v1,c/d-v2"`` as a tuple of ids; empty text means all cards.

    Raises:
        OptionError: an empty id between commas, or one id twice.
    """
    ids = tuple(part.strip() for part in text.split(",")) if text.strip() else ()
    if len(set(ids)) < len(ids) or not all(ids):
        raise OptionError("--cards ID,ID,… with each id once", repr(text), "see robo-orch skills list")
    return ids
