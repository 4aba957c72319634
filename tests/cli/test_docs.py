# SPDX-License-Identifier: Apache-2.0
"""docs/cli.md, which `make docs` writes, tells of every command and option there is."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from robo_orch.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()


def commands(command, path=("robo-orch",)):
    """Every command with its path, groups' own commands included."""
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, (*path, name))


COMMANDS = {" ".join(path): command for path, command in commands(typer.main.get_command(app))}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name):
    title = f" `{name}`\n"
    assert title in PAGE, "run `make docs`"
    section = PAGE.split(title, 1)[1].split("\n## ", 1)[0]
    options = [p for p in COMMANDS[name].params if p.param_type_name == "option" and not p.hidden]
    missing = [p.name for p in options if not any(f"--{o.lstrip('-')}" in section for o in p.opts)]
    assert not missing, "run `make docs`"
