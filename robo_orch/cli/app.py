# SPDX-License-Identifier: Apache-2.0
"""The command tree: one file per group."""

from __future__ import annotations

from typing import Annotated

import typer

from robo_orch.cli import bench, demo, doctor, replay, run, skills, tasks, train, watch

app = typer.Typer(
    name="robo-orch",
    help="Lets robot policies that were built apart do one long job together.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # drawing panels would double the time that --help takes
    pretty_exceptions_enable=False,
)
app.command("run")(run.run)
app.command("demo")(demo.demo)
app.command("replay")(replay.replay)
app.command("watch")(watch.watch)
app.command("train")(train.train)
app.command("doctor")(doctor.doctor)
app.command("train")(train.train)
app.add_typer(skills.app, name="skills")
app.add_typer(tasks.app, name="tasks")
app.add_typer(bench.app, name="bench")


def _version(wanted: bool) -> None:
    if wanted:
        from robo_orch import __version__

        typer.echo(f"robo-orch {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which.")] = False,
) -> None:
    pass
