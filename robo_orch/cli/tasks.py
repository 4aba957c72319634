# SPDX-License-Identifier: Apache-2.0
"""``robo-orch tasks``: suites of tasks, and task files made from them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from robo_orch.cli.options import Json, Seed

app = typer.Typer(help="Tasks for runs and benches.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_suites(as_json: Json = False) -> int:
    """List the suites that tasks can be made of."""
    from robo_orch.sim.tasks import load_suite, suite_names

    suites = [load_suite(name) for name in suite_names()]
    keys = {"name", "about", "scene", "subgoals", "categories"}
    told = [suite.model_dump(mode="json", include=keys) for suite in suites]
    if as_json:
        from robo_orch.cli.output import print_json

        print_json({"suites": told})
    else:
        for suite in suites:
            low, high = suite.subgoals
            print(f"{suite.name}: {suite.about}\n    {low} to {high} subgoals; {', '.join(suite.categories)}")
    return 0


@app.command("make")
def make(
    suite: Annotated[str, typer.Option("--suite", metavar="NAME", help="Which; see robo-orch tasks list.")] = "kitchen",
    n: Annotated[int, typer.Option("--n", min=1, help="How many.")] = 10,
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where to.", show_default="tasks/<suite>-<seed>")
    ] = None,
    as_json: Json = False,
) -> int:
    """Write task files, each checked: its goal is understood as meant, and a plan exists.

    For example: robo-orch tasks make --suite kitchen --n 20 --seed 1, then robo-orch run --task FILE.yaml
    """
    from robo_orch.sim import gl

    gl.choose()
    from robo_orch.bench.tasks import Maker
    from robo_orch.cli.output import print_json
    from robo_orch.runs.config import RunConfig
    from robo_orch.sim.tasks import load_suite

    RunConfig("", seed=seed)
    maker = Maker(load_suite(suite), seed)
    folder = out or Path("tasks") / f"{suite}-{seed}"
    told = []
    for index in range(n):
        task = maker.task(index)
        told.append(_told(task, _written(task, folder)))
        if not as_json:
            print(f"{told[-1]['file']}: {task.goal} ({task.category}, {task.subgoals})", flush=True)
    if as_json:
        print_json({"tasks": told})
    return 0


@app.callback()
def _group() -> None:
    pass


def _written(task: Any, folder: Path) -> Path:
    from robo_orch.errors import RunError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{task.id}.yaml"
        path.write_text(task.yaml(), encoding="utf-8")
    except OSError as error:
        got = f"{folder}: {error.strerror or error}"
        raise RunError("a folder for tasks that can be written", got, "name another one with --out") from error
    return path


def _told(task: Any, path: Path) -> dict[str, Any]:
    return {
        "id": task.id,
        "file": str(path),
        "goal": task.goal,
        "predicates": list(task.predicates),
        "subgoals": task.subgoals,
        "category": task.category,
        "perturbation": task.perturbation,
        "skills": list(task.skills),
        "coarse": task.coarse,
        "seed": task.seed,
    }
