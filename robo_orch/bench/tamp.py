# SPDX-License-Identifier: Apache-2.0
"""``bench tamp``: tasks that the task-and-motion planner must be able to do, without pictures."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robo_orch.bench.cells import Bench, Cell, Preset, Row
from robo_orch.bench.intervals import mean, proportion
from robo_orch.errors import UserError
from robo_orch.policies.card import Family
from robo_orch.policies.registry import Registry
from robo_orch.policies.tamp.task import warm
from robo_orch.runs import session
from robo_orch.runs.camera import Pictures
from robo_orch.runs.schema import Event
from robo_orch.runs.task import run_of
from robo_orch.sim.tasks import load_suite
from robo_orch.sim.tasks.task import Task


def bench(suite: str) -> Bench:
    """The bench on a suite's tasks.

    Raises:
        SceneError: there is no such suite.
    """
    return Bench(
        name="tamp",
        work=work,
        summarise=summarise,
        arms=("tamp",),
        episodes={Preset.QUICK: 60, Preset.FULL: 200},
        given=lambda seed, n: tasks(suite, seed, n),
        options={"suite": suite},
        scene=load_suite(suite).scene,
    )


def tasks(suite: str, seed: int, n: int) -> list[dict[str, Any]]:
    """A suite's tasks as JSON."""
    from robo_orch.bench.tasks import make

    return [task.model_dump(mode="json", by_alias=True) for task in make(load_suite(suite), n, seed)]


def work(cell: Cell) -> Mapping[str, Any]:
    """Run one task; what it comes to, in figures."""
    warm()
    task = Task.model_validate(cell.given)
    clock = Clock()
    with tempfile.TemporaryDirectory(prefix="robo_orch-bench-") as folder:
        config = run_of(task, cards=planners(), pictures=Pictures.NONE, report=False, out=Path(folder) / "run")
        try:
            finished = session.execute(config, watch=clock.see)
        except UserError as error:
            return _told(task) | {"code": str(error.code), "message": str(error.outcome().message)}
        result = finished.result
        trace = Path(folder) / "run" / "traceback.txt"
        extra = {"traceback": trace.read_text()} if trace.exists() else {}
    failure = result["failure"] or {}
    return (
        _told(task)
        | extra
        | {
            "success": result["success"],
            "done": result["done"],
            "progress": result["progress"],
            "code": None if result["success"] else failure.get("code"),
            "stage": failure.get("stage"),
            "message": failure.get("message"),
            "sim_seconds": result["sim_seconds"] - clock.begun,
            "wall_seconds": result["wall_seconds"],
            "set_up_seconds": result["set_up_seconds"],
            "planning_seconds": clock.planned,
            "attempts": sum(step["attempts"] for step in result["subgoals"]),
            "state_hash": result["state_hash"],
        }
    )


def planners() -> tuple[str, ...]:
    """The cards that the bench is about: no learned policy steps in."""
    return tuple(card.id for card in Registry.load() if card.family is Family.TAMP)


class Clock:
    """Times of a run, s.

    Attributes:
        begun: the robot's clock when the goal was accepted: what was simulated before was set-up.
        planned: wall time in the policies' own code, over all attempts.
    """

    def __init__(self) -> None:
        self.begun = self.planned = 0.0

    def see(self, event: Event) -> None:
        """Take note of an event."""
        if event.type == "goal_grounded":
            self.begun = event.t
        elif event.type == "policy_ended":
            self.planned += event.data["policy_seconds"]


def summarise(rows: Sequence[Row]) -> dict[str, Any]:
    """The bench's keys.

    ``realtime_factor`` is simulated over wall seconds from the accepted goal to the end, planning included;
    ``set_up_ms`` tells what the world cost before that. ``planning_ms`` is the time in the policies' own code for each
    attempt at a subgoal.
    """
    ran = [row for row in rows if "wall_seconds" in row]
    wall, attempts = sum(row["wall_seconds"] for row in ran), sum(row["attempts"] for row in ran)
    return {
        **proportion("success", [bool(row.get("success")) for row in rows]),
        "done": proportion("done", [bool(row.get("done")) for row in rows])["done"],
        **mean("progress", [row.get("progress", 0.0) for row in rows]),
        "realtime_factor": round(sum(row["sim_seconds"] for row in ran) / wall, 2) if wall else None,
        "planning_ms": round(1e3 * sum(row["planning_seconds"] for row in ran) / attempts, 1) if attempts else None,
        "set_up_ms": round(1e3 * sum(row["set_up_seconds"] for row in ran) / len(ran), 1) if ran else None,
        "failures": failures(rows),
        "failed": [_failed(row) for row in rows if not row.get("success")],
        "categories": _by(rows, "category"),
        "subgoals": _by(rows, "subgoals"),
    }


def failures(rows: Sequence[Row]) -> dict[str, int]:
    """How often rows failed with which code, the most frequent first; a row that broke counts as ``INTERNAL``."""
    codes = [str(row.get("code") or "INTERNAL") for row in rows if not row.get("success")]
    return dict(Counter(codes).most_common())


def _failed(row: Row) -> dict[str, Any]:
    keys = ("task", "scene_seed", "code", "stage", "message", "error")
    return {"episode": row["episode"]} | {key: row[key] for key in keys if row.get(key)}


def _by(rows: Sequence[Row], key: str) -> dict[str, Any]:
    """Success by the values of a key."""
    values = sorted({row[key] for row in rows if key in row})
    return {
        str(value): proportion("success", [bool(r.get("success")) for r in rows if r.get(key) == value])
        for value in values
    }


def _told(task: Task) -> dict[str, Any]:
    return {"task": task.id, "scene_seed": task.seed, "category": task.category, "subgoals": task.subgoals}
