# SPDX-License-Identifier: Apache-2.0
"""``robo-orch skills``: which policies there are, what their cards say, whether they keep to it."""

from __future__ import annotations

from typing import Annotated

import typer

from robo_orch.cli import probe
from robo_orch.cli.options import Json, Policies

app = typer.Typer(help="The policies there are, and what they can do.", no_args_is_help=True, rich_markup_mode=None)

Scene = Annotated[str, typer.Option("--scene", help="A scene's name, or the path of its YAML.")]


@app.command("list")
def list_cards(policies: Policies = None, as_json: Json = False) -> int:
    """List every policy card: id, family, skills and how it is loaded."""
    from robo_orch.policies.loaders import version
    from robo_orch.policies.registry import Registry

    cards = [
        {"id": card.id, "family": str(card.family), "version": version(card), "skills": list(card.skills)}
        | {"description": " ".join(card.description.split()), "loader": card.loader, "rate_hz": card.rate_hz}
        for card in Registry.load(policies or ())
    ]
    if as_json:
        from robo_orch.cli.output import print_json

        print_json({"cards": cards})
    else:
        _show(cards)
    return 0


@app.command("show")
def show(
    card: Annotated[str, typer.Argument(metavar="CARD", help="A card's id; see robo-orch skills list.")],
    policies: Policies = None,
    as_json: Json = False,
) -> int:
    """Show all that a card says, and what was measured of it."""
    from robo_orch.cli import cards
    from robo_orch.cli.output import print_json
    from robo_orch.policies.registry import Registry

    (found,) = Registry.load(policies or (), only=[card])
    if as_json:
        print_json(cards.told(found))
    else:
        cards.show(found)
    return 0


@app.command("check")
def check(
    card: Annotated[
        str | None, typer.Argument(metavar="CARD", help="A card's id; or --all.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Check all cards.")] = False,
    policies: Policies = None,
    scene: Scene = "kitchen",
    looks: Annotated[int, typer.Option("--looks", min=50, help="How often each policy is asked, at least.")] = 60,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Which of the held-out layouts.")] = 0,
    as_json: Json = False,
) -> int:
    """Load a policy and try it on real observations: does it keep to its card?

    Checks the contract between card, robot, cameras and model; then what it does on layouts that no policy was made on:
    NaN, clipped actions, inputs out of distribution, numbers that never change, the golden vector, the gripper's
    direction, whether words matter to it, latency.

    Exit codes: 0 all ok, 1 a problem, 2 bad input.
    """
    from robo_orch.cli import checking
    from robo_orch.errors import OptionError
    from robo_orch.policies.registry import Registry

    if every == (card is not None):
        got = f"both, {card} and --all" if every else "neither"
        raise OptionError("a CARD or --all", got, "robo-orch skills list names the cards")
    chosen = Registry.load(policies or (), only=[card] if card is not None else ())
    return checking.carry_out(chosen, scene, looks, seed, as_json)


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
