# SPDX-License-Identifier: Apache-2.0
"""``robo-orch skills probe``: how well a card does a skill."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from robo_orch.cli.bench import Budget, Jobs, Out, Preset, Resume, Scenes, Seed, measure
from robo_orch.cli.options import Json


def probe(
    card: Annotated[str, typer.Argument(metavar="CARD", help="A card's id; see robo-orch skills list.")],
    skill: Annotated[str, typer.Option("--skill", help="One of its skills.", show_default="all in turn")] = "",
    episodes: Annotated[
        int | None,
        typer.Option("--episodes", metavar="N", help="How many of held-out pairs.", show_default="as the preset says"),
    ] = None,
    starts: Annotated[
        Literal["in", "terminal", "random", "swap"],
        typer.Option("--starts", help="Where its card says, where other skills ended, anywhere; or two instructions."),
    ] = "in",
    clutter: Annotated[bool, typer.Option("--clutter", help="With two to four bystanders.")] = False,
    scenes: Scenes = "test",
    seed: Seed = None,
    jobs: Jobs = 1,
    preset: Preset = "full",
    budget: Budget = None,
    resume: Resume = None,
    out: Out = None,
    as_json: Json = False,
) -> int:
    """How well a card does a skill on held-out scenes, alone, judged by the referee.

    success is SAFE success on held-out pairs of kind and colour; unseen colours and kinds stand among the strata.

    Exit codes: 0 measured, 1 ended early by --budget, 2 bad input, 130 Ctrl-C; rows are kept in any case.
    """
    from robo_orch.bench import probe as bench
    from robo_orch.policies.registry import Registry

    asked: dict[str, Any] = {"seed": seed, "jobs": jobs, "preset": preset, "budget": budget, "resume": resume}
    asked |= {"out": out, "episodes": episodes}
    made = bench.bench(card, skill, starts, clutter, scenes)
    if episodes is not None and episodes > 0:
        asked["episodes"] = bench.total(Registry.load()[card], skill, episodes)
    return measure(lambda: made, asked, as_json)
