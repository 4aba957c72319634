# SPDX-License-Identifier: Apache-2.0
"""``robo-orch watch``: a run as it happens, from its folder."""

from __future__ import annotations

from typing import Annotated

import typer

from robo_orch.cli.options import RunDir


def watch(
    run_dir: RunDir,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="One event a line, as JSON.")] = False,
) -> int:
    """Follow a run from another terminal until it has ended."""
    import json

    from robo_orch.cli.live import lines_of
    from robo_orch.cli.output import refuse
    from robo_orch.errors import UserError
    from robo_orch.runs.follow import follow

    try:
        for event in follow(run_dir):
            for line in [json.dumps(event.line(), ensure_ascii=False)] if jsonl else lines_of(event):
                print(line, flush=True)
    except UserError as error:
        return refuse(error, as_json=False)
    return 0
