# SPDX-License-Identifier: Apache-2.0
"""``robo-orch train``: learn a policy from its recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from robo_orch.cli.options import Json, Seed

Steps = Annotated[
    int | None,
    typer.Option("--steps", min=0, help="Fewer than the recipe has, to try it out.", show_default="all"),
]
Work = Annotated[
    Path,
    typer.Option(
        "--work", metavar="DIR", help="Keeps frames and checkpoints; what is there already is used (vla, verifier)."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Where the policy's files go.", show_default="beside its recipe"),
]


def train(
    card: Annotated[str, typer.Argument(metavar="CARD", help="The id of a card that has a recipe, or verifier.")],
    seed: Seed = 0,
    steps: Steps = None,
    work: Work = Path("runs/train"),
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Learn a policy from its recipe and write its files: weights as ONNX, learning curve, parity with torch."""
    from robo_orch.errors import OptionError

    try:
        from robo_orch.train.run import train as run

        report = run(card, seed, work, out, steps, lambda line: typer.echo(line, err=True))
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("robo_orch"):
            raise
        raise OptionError("what training needs", str(error), "pip install 'robo_orch[train]'") from error
    if as_json:
        from robo_orch.cli.output import print_json

        print_json({k: report[k] for k in ("card", "steps", "seconds", "evaluations", "onnx", "parity")})
    else:
        for told in report["evaluations"]:
            what = "judged rightly" if card == "verifier" else "safe success"
            typer.echo(f"{card}: after {told['step']} steps {told['success']:.0%} {what} of {told['n']}")
    return 0
