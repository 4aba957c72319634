# SPDX-License-Identifier: Apache-2.0
"""``robo-orch run``: reach one goal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from robo_orch.bridge.names import DECLARED_START
from robo_orch.cli.options import Bridge, Json, Out, Policies, Seed, Video

Perturb = Annotated[
    list[str] | None, typer.Option("--perturb", metavar="NAME=VALUE", help="Make the scene harder; repeatable.")
]
TaskFile = Annotated[Path | None, typer.Option("--task", metavar="FILE.yaml", help="Scene, seed and goal from a file.")]
TimeLimit = Annotated[float, typer.Option("--time-limit", metavar="S", help="Robot seconds to give up after.")]


def run(
    context: typer.Context,
    goal: Annotated[
        str | None, typer.Argument(metavar="GOAL", help="What to reach, in plain English.", show_default=False)
    ] = None,
    task: TaskFile = None,
    scene: Annotated[str, typer.Option("--scene", help="A scene's name, or the path of its YAML.")] = "kitchen",
    sim: Annotated[str, typer.Option("--sim", help="The simulator.")] = "mujoco",
    seed: Seed = 0,
    planner: Annotated[str, typer.Option("--planner", help="What decomposes the goal.")] = "symbolic",
    bridge: Bridge = DECLARED_START,
    cards: Annotated[
        str, typer.Option("--cards", metavar="ID,…", help="Policies that may be used.", show_default="all")
    ] = "",
    policies: Policies = None,
    perturb: Perturb = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan only: nothing moves, nothing is written.")] = False,
    speed: Annotated[float, typer.Option("--speed", help="Share of the robot's speed limits, up to 1.")] = 1.0,
    time_limit: TimeLimit = 600.0,
    video: Video = None,
    realtime: Annotated[bool, typer.Option("--realtime", help="Pace the simulation to the wall clock.")] = False,
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Reach GOAL in a simulated scene and record how.

    For example: robo-orch run "put the red cube on the plate" --scene kitchen --seed 1

    A task file (robo-orch tasks make) brings its own goal, scene, seed and perturbation.

    Exit codes: 0 reached, 1 not reached, 2 bad input, 3 safety stop or internal error, 130 Ctrl-C.
    """
    from robo_orch.cli.running import carry_out

    options = {
        "goal": goal,
        "task": task,
        "fixed": [name for name in ("scene", "seed") if typed(context, name)],
        "scene": scene,
        "sim": sim,
        "seed": seed,
        "planner": planner,
        "bridge": bridge,
        "cards": cards,
        "policies": tuple(policies or ()),
        "perturb": perturb or [],
        "speed": speed,
        "time_limit": time_limit,
        "video": video,
        "realtime": realtime,
        "out": out,
    }
    return carry_out(options, as_json, dry_run)


def typed(context: typer.Context, name: str) -> bool:
    """Whether an option was given, not left at its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
