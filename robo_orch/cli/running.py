# SPDX-License-Identifier: Apache-2.0
"""What ``run`` and ``demo`` share: from options to a run, a view of it, and the exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robo_orch.cli.output import print_json, refuse, say
from robo_orch.errors import OptionError, UserError
from robo_orch.runs import result, session
from robo_orch.runs.camera import Pictures
from robo_orch.runs.config import RunConfig, parse_cards, parse_perturbations
from robo_orch.runs.result import Finished


def carry_out(options: Mapping[str, Any], as_json: bool, dry_run: bool = False) -> int:
    """Do the run that ``options`` describe (as typed) and show it; returns the exit code."""
    try:
        config = configure(options)
        if dry_run:
            return _planned(session.preview(config), as_json)
        finished = session.execute(config, notify=say) if as_json else _watched(config)
    except UserError as error:
        return refuse(error, as_json, _blank(options))
    if as_json:
        print_json(finished.result)
    return finished.exit_code


def configure(options: Mapping[str, Any]) -> RunConfig:
    """The run that options ask for.

    Raises:
        OptionError: a value that cannot be used.
    """
    given = dict(options)
    given["pictures"] = {None: Pictures.FRAMES, True: Pictures.FILM, False: Pictures.NONE}[given.pop("video")]
    if "cards" in given:
        given["cards"] = parse_cards(given["cards"])
    if "perturb" in given:
        given["perturb"] = parse_perturbations(given["perturb"])
    task, fixed = given.pop("task", None), given.pop("fixed", ())
    if (task is None) == (given["goal"] is None):
        got = "neither" if task is None else f"both, the goal {given['goal']!r}"
        raise OptionError("a goal or --task FILE.yaml", got, "give one of them")
    return RunConfig(**given) if task is None else _of_task(task, fixed, given)


def _of_task(path: Path, fixed: Sequence[str], given: dict[str, Any]) -> RunConfig:
    from robo_orch.runs.task import run_of
    from robo_orch.sim.tasks import load_task

    if fixed:
        options = ", ".join(f"--{name}" for name in fixed)
        raise OptionError("the scene and seed that the task names", options, "leave it out, or change the file")
    return run_of(load_task(path), **given | {"goal": ""})


def _watched(config: RunConfig) -> Finished:
    from robo_orch.cli.live import ending, view

    with view() as watching:
        finished = session.execute(config, watch=watching.see, notify=watching.say)
    ending(finished)
    return finished


def _planned(finished: Finished, as_json: bool) -> int:
    if as_json:
        print_json(finished.result)
    else:
        from robo_orch.cli.live import planned

        planned(finished)
    return finished.exit_code


def _blank(options: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a result, with what was asked for, also where the options are no valid run."""
    blank = result.blank(RunConfig(options["goal"] or ""))
    return blank | {key: options[key] for key in ("scene", "sim", "seed", "planner") if key in options}
