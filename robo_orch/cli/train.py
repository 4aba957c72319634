# SPDX-License-Identifier: Apache-2.0
"""``robo-orch train``: learn a policy from its recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from robo_orch.cli.options import Json, Seed

Work = Annotated[
    Path,
    typer.Option("--work", metavar="DIR", help="Keeps frames and checkpoints; what is there already is used."),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Where the policy's files go.", show_default="beside its recipe"),
]


def train(
    card: Annotated[str, typer.Argument(metavar="CARD", help="The id of a card that has a recipe.")],
    seed: Seed = 0,
    work: Work = Path("runs/train"),
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Learn a policy from its recipe and write its files. What was cut off goes on where it was."""
    from robo_orch.train.vla.recipe import recipe_of

    recipe = recipe_of(card)
    from robo_orch.train.vla import run

    report = run.train(recipe, seed, work / card.replace("/", "-"), lambda line: typer.echo(line, err=True), out)
    if as_json:
        from robo_orch.cli.output import print_json

        print_json({k: report[k] for k in ("card", "steps", "seconds", "evaluations", "onnx", "parity")})
    else:
        for told in report["evaluations"]:
            typer.echo(f"{card}: after {told['step']} steps {told['success']:.0%} safe success in {told['n']} errands")
    return 0
