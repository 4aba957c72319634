# SPDX-License-Identifier: Apache-2.0
"""A simulation by names and numbers, as a command line gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from robo_orch.errors import OptionError, unknown
from robo_orch.robots.spec import load_robot
from robo_orch.sim.mujoco.world import MujocoWorld
from robo_orch.sim.perception import SimPerception
from robo_orch.sim.perturb import FREEZE_START, checked
from robo_orch.sim.perturb_world import Trouble
from robo_orch.sim.robot import SimRobot
from robo_orch.sim.scenes import Layout, lay_out, load_scene
from robo_orch.sim.scenes.choice import Requirement

#: Physics engines by name.
SIMULATORS = ("mujoco",)


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """A layout, the world made of it and the robot in that world."""

    layout: Layout
    world: MujocoWorld
    robot: SimRobot


def build(
    scene: str,
    sim: str,
    seed: int,
    require: Sequence[Requirement] = (),
    perturb: Mapping[str, float] | None = None,
    realtime: bool = False,
    wrap: Callable[[MujocoWorld], MujocoWorld] = lambda world: world,
) -> Simulation:
    """Lay a scene out and put the robot into it.

    Args:
        scene: a shipped scene's name, or the path of a scene's YAML.
        sim: the physics engine.
        seed: of layout and perception errors.
        require: (kind, colour) pairs that must be there.
        perturb: by name, as the table of :mod:`robo_orch.sim.perturb` says.
        realtime: pace to the wall clock.
        wrap: puts something around the world that the robot then moves, for example a recorder of all that moves it.

    Raises:
        SceneError: unknown scene, kind or colour.
        OptionError: unknown engine or perturbation, or a value out of its range.
    """
    if sim not in SIMULATORS:
        raise unknown(OptionError, "a simulator", sim, SIMULATORS)
    settings = checked(perturb or {})
    layout = lay_out(load_scene(scene), seed, require, round(settings["bystanders"]))
    return assemble(layout, settings, seed, realtime, wrap)


def assemble(
    layout: Layout,
    settings: Mapping[str, float],
    seed: int,
    realtime: bool = False,
    wrap: Callable[[MujocoWorld], MujocoWorld] = lambda world: world,
) -> Simulation:
    """Put the robot into a layout.

    Args:
        settings: of all perturbations, as :func:`~robo_orch.sim.perturb.checked` gives them.
        seed: of perception errors and of what perturbations show.
        realtime, wrap: as :func:`build` has them.
    """
    robot = load_robot(layout.robot)
    world = wrap(MujocoWorld(layout, robot, Trouble(settings, seed).alterations()))
    frozen = settings["frame_freeze"]
    perception = SimPerception(
        layout.inventory,
        seed,
        settings["pose_noise"],
        settings["pose_dropout"],
        (FREEZE_START, FREEZE_START + frozen) if frozen else None,
    )
    return Simulation(layout, world, SimRobot(world, perception, robot, layout.inventory, realtime))
