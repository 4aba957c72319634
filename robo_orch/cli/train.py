# SPDX-License-Identifier: Apache-2.0
"""``robo-orch train``: learn a shipped policy anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from robo_orch.cli.options import Json, Seed


def train(
    card: Annotated[str, typer.Argument(metavar="CARD", help="The id of a card that has a recipe.")],
    seed: Seed = 0,
    steps: Annotated[
        int | None, typer.Option("--steps", min=0, help="Fewer than the recipe has, to try it out.", show_default="all")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where to write.", show_default="the policy's folder")
    ] = None,
    as_json: Json = False,
) -> int:
    """Learn a policy from its recipe: weights as ONNX, learning curve, parity with torch."""
    from robo_orch.cli.output import print_json
    from robo_orch.errors import OptionError

    try:
        from robo_orch.train.run import train as run
    except ModuleNotFoundError as error:
        raise OptionError("torch and stable-baselines3", str(error), "pip install 'robo_orch[train]'") from error
    report = run(card, seed, out, steps, lambda line: print(line, file=sys.stderr, flush=True))
    if as_json:
        print_json(report)
    else:
        last = report["evaluations"][-1]
        print(f"{card}: {last['success']:.2f} safe of {last['n']} after {report['steps']} steps; {report['onnx']}")
    return 0
