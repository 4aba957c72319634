# SPDX-License-Identifier: Apache-2.0
"""Where the arm stands when an episode begins: at home with its card, somewhere, or where another skill has ended.

All draws are continuous, and one that touches anything is drawn again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.bridge.start import Starts
from robo_orch.errors import OptionError, SceneError
from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.kinematics import Kinematics
from robo_orch.policies.card import PolicyCard
from robo_orch.robots.spec import RobotSpec
from robo_orch.sim.build import Simulation
from robo_orch.types import Array, Pose

#: Draws of a start before the episode is given up (chosen: furniture takes less than half of the room).
TRIES = 100
#: The box (base frame, m) in which the tool may be anywhere, how far it may be tilted from straight down, rad (chosen:
#: the table, and what stands on it).
LOW, HIGH, TILT = (0.25, -0.5, 0.06), (0.7, 0.5, 0.55), 0.6
#: Noise on where other skills ended, rad and m, one sigma (chosen: a few centimetres at the tool).
JOINT_NOISE, WIDTH_NOISE = 0.03, 0.005
#: Where the end postures are kept that ship with the package.
TERMINAL = "data/terminal.json"

Draw = Callable[[np.random.Generator], tuple[Array, float]]


class Where(StrEnum):
    """From where an episode starts; ``swap`` starts as ``in`` and is said two instructions."""

    IN = "in"
    TERMINAL = "terminal"
    RANDOM = "random"
    SWAP = "swap"


@dataclass(frozen=True, slots=True)
class Posture:
    """How a skill ended: joints ``(n,)`` rad and the gripper's opening, m."""

    skill: str
    q: tuple[float, ...]
    width: float


def starting(where: Where, card: PolicyCard, skill: str, robot: RobotSpec, postures: Sequence[Posture] = ()) -> Draw:
    """What draws joints ``(n,)`` rad and an opening (m) to start from.

    Args:
        skill: the one that is to be done: postures of others only are drawn from.
        postures: where skills have ended.

    Raises:
        OptionError: no other skill has ended anywhere.
    """
    if where is Where.RANDOM:
        return anywhere(robot)
    if where is not Where.TERMINAL:
        return Starts(card.start, robot) if card.start else lambda rng: (robot.home, robot.gripper.max_width)
    others = [posture for posture in postures if posture.skill != skill]
    if not others:
        raise OptionError("postures at which other skills have ended", "none", "record some: robo-orch bench bank")
    limits = robot.limits

    def draw(rng: np.random.Generator) -> tuple[Array, float]:
        posture = others[int(rng.integers(len(others)))]
        q = np.clip(posture.q + rng.normal(0.0, JOINT_NOISE, len(posture.q)), limits.lower, limits.upper)
        return q, float(np.clip(posture.width + rng.normal(0.0, WIDTH_NOISE), 0.0, robot.gripper.max_width))

    return draw


def anywhere(robot: RobotSpec) -> Draw:
    """Draws the tool evenly from the box, at any heading, tilted up to :data:`TILT`."""
    kinematics = Kinematics(robot)

    def draw(rng: np.random.Generator) -> tuple[Array, float]:
        while True:
            heading, lean = rng.uniform(-np.pi, np.pi, 2)
            tilt = Rotation.from_rotvec(rng.uniform(0.0, TILT) * np.array([np.cos(lean), np.sin(lean), 0.0]))
            down = tilt * Rotation.from_euler("z", heading) * Rotation.from_euler("x", np.pi)
            pose = Pose.of(rng.uniform(LOW, HIGH), down.as_quat())
            try:
                q = kinematics.inverse(pose, robot.home, rng, restarts=4)
            except MotionFailure:
                continue
            return q, float(rng.uniform(0.0, robot.gripper.max_width))

    return draw


def put(simulation: Simulation, draw: Draw, rng: np.random.Generator) -> tuple[Array, float]:
    """Put the arm where ``draw`` says and it touches nothing; returns joints and opening.

    Raises:
        SceneError: everything that was drawn touches something.
    """
    for _ in range(TRIES):
        q, width = draw(rng)
        simulation.robot.put(q, width, int(rng.integers(2**31)))
        if not simulation.world.arm_touches():
            return q, width
    raise SceneError("a start at which the arm touches nothing", f"none in {TRIES} draws", "choose other starts")


def shipped() -> Path:
    """The file with the end postures that ship with the package."""
    return Path(str(files("robo_orch").joinpath(TERMINAL)))


@cache
def recorded(path: Path) -> tuple[Posture, ...]:
    """The end postures in a file that ``robo-orch bench bank`` has written.

    Raises:
        OptionError: it cannot be read.
    """
    try:
        body: dict[str, Any] = json.loads(path.read_text())
        return tuple(Posture(p["skill"], tuple(p["q"]), float(p["width"])) for p in body["postures"])
    except (OSError, ValueError, KeyError) as error:
        got = f"{path}: {error}"
        raise OptionError("a file of end postures", got, "record one: robo-orch bench bank --postures FILE") from error
