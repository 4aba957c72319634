# SPDX-License-Identifier: Apache-2.0
"""``robo-orch skills``: which policies there are."""

from __future__ import annotations

import typer

from robo_orch.cli import probe
from robo_orch.cli.options import Json

app = typer.Typer(help="The policies there are, and what they can do.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_cards(as_json: Json = False) -> int:
    """List every policy card: id, family, skills and how it is loaded."""
    from robo_orch.policies.loaders import version
    from robo_orch.policies.registry import Registry

    cards = [
        {"id": card.id, "family": str(card.family), "version": version(card), "skills": list(card.skills)}
        | {"description": " ".join(card.description.split()), "loader": card.loader, "rate_hz": card.rate_hz}
        for card in Registry.load()
    ]
    if as_json:
        from robo_orch.cli.output import print_json

        print_json({"cards": cards})
    else:
        _show(cards)
    return 0


app.command("probe")(probe.probe)


@app.callback()
def _group() -> None:
    pass


def _show(cards: list[dict]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("card", "family", "skills", "what it does", box=None, pad_edge=False)
    for card in cards:
        table.add_row(card["id"], card["family"], ", ".join(card["skills"]), card["description"])
    Console().print(table)
