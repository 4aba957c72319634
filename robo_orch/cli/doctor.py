# SPDX-License-Identifier: Apache-2.0
"""``robo-orch doctor``: is everything here that is needed, and what to do where it is not."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from robo_orch.cli.options import Json


def doctor(
    as_json: Json = False,
    pictures: Annotated[bool, typer.Option(help="Render a frame to see whether OpenGL works.")] = True,
) -> int:
    """Check whether all that is needed is here.

    That is Python, libraries, inference and disk, and what is optional: OpenGL, ffmpeg, ROS, a GPU.

    Exit codes: 0 all that is needed is there, 1 something is missing. What is marked optional never counts as missing.
    """
    from robo_orch.cli.checks import examine

    items = examine(pictures)
    ok = all(item.ok or item.optional for item in items)
    told = [item.told() for item in items]
    if as_json:
        from robo_orch.cli.output import print_json

        print_json({"ok": ok, "items": told})
    else:
        _show(told, ok)
    return 0 if ok else 1


def _show(items: list[dict[str, Any]], ok: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    for item in items:
        mark = Text("✓", "green") if item["ok"] else Text("–", "yellow") if item["optional"] else Text("✗", "bold red")
        optional = " (optional)" if item["optional"] else ""
        table.add_row(mark, Text(item["name"] + optional), Text(item["found"]), Text(item["remedy"], "yellow"))
    console = Console()
    console.print(table)
    console.print(
        Text("All that is needed is there." if ok else "Something is missing.", "green" if ok else "bold red")
    )
