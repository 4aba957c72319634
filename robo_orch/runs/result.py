# SPDX-License-Identifier: Apache-2.0
"""What a run comes to: the object that ``run --json`` prints and ``result.json`` keeps, and the exit code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robo_orch.runs.config import RunConfig
from robo_orch.types import Code, Outcome, Stage

#: Exit codes, as in the command line's contract.
REACHED, NOT_REACHED, BAD_INPUT, STOPPED, INTERRUPTED = 0, 1, 2, 3, 130


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that has ended: its result, the exit code, and its folder where it has one."""

    result: Mapping[str, Any]
    exit_code: int
    folder: Path | None = None


def blank(config: RunConfig) -> dict[str, Any]:
    """The result of a run in which nothing has happened yet: every key that there always is."""
    return {
        "success": False,
        "done": False,
        "progress": 0.0,
        "goal": config.goal,
        "scene": config.scene,
        "sim": config.sim,
        "seed": config.seed,
        "planner": config.planner,
        "subgoals": [],
        "handoffs": [],
        "failure": None,
        "sim_seconds": 0.0,
        "wall_seconds": 0.0,
        "overhead_seconds": 0.0,
        "run_dir": None,
        "state_hash": None,
    }


def failure(outcome: Outcome | None) -> dict[str, str] | None:
    """A failure as JSON has it."""
    if outcome is None:
        return None
    return {"stage": str(outcome.stage), "code": str(outcome.code), "message": outcome.message}


def exit_code(success: bool, outcome: Outcome | None, stopped: bool) -> int:
    """The exit code of a run that was judged; ``stopped``: the failure is the run's own, not the referee's.

    A contact that the referee complains of did not stop the run, so it counts as not reached.
    """
    if success:
        return REACHED
    if outcome is not None and outcome.code is Code.INTERRUPTED:
        return INTERRUPTED
    if outcome is not None and stopped and outcome.stage in (Stage.SAFETY, Stage.INTERNAL):
        return STOPPED
    return NOT_REACHED
