# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from robo_orch.bridge.names import METHODS

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else there.")]
Seed = Annotated[int, typer.Option("--seed", help="Repeats a run on one machine.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="The run folder, new or empty.", show_default="runs/<time>-<goal>"),
]
Video = Annotated[
    bool | None,
    typer.Option(
        "--video/--no-video",
        help="Film the run, or take no pictures at all.",
        show_default="key frames only",
    ),
]
Policies = Annotated[
    list[Path] | None,
    typer.Option(
        "--policies",
        metavar="DIR",
        help="A folder with cards of your own (*.card.yaml), or such a card; repeatable. Also ROBO_ORCH_POLICIES.",
    ),
]
Bridge = Annotated[
    str,
    typer.Option("--bridge", metavar="METHOD", help=f"How the arm comes to a policy's start: {' or '.join(METHODS)}."),
]
RunDir = Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A folder that run or demo has written.")]
