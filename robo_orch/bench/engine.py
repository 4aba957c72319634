# SPDX-License-Identifier: Apache-2.0
"""The one engine behind every bench: arms x episodes -> rows -> results.

::

    cells = every arm in episode 0, every arm in episode 1, …        # paired: an episode is the same for every arm
    for each cell that the folder has no row of, on J processes:
        row = work(cell);  append it to rows.jsonl, on disk           # kill -9 loses the rows in flight, no others
    results = summary of the episodes that every arm has finished
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from robo_orch.bench.about import about, revision
from robo_orch.bench.cells import Bench, Cell, Preset, Row, Settings, episode_seed
from robo_orch.bench.ledger import Ledger
from robo_orch.bench.progress import Progress
from robo_orch.bench.stored import beside
from robo_orch.bench.workers import Workers
from robo_orch.errors import OptionError, unknown


@dataclass(frozen=True, slots=True)
class Report:
    """What a bench came to: its JSON, its folder, whether every cell is done and whether Ctrl-C ended it."""

    results: Mapping[str, Any]
    folder: Path
    complete: bool
    interrupted: bool = False


def run(bench: Bench, settings: Settings, stream: TextIO | None = None) -> Report:
    """Run a bench, or go on with one; whatever ends it early, the folder holds all finished rows.

    Args:
        stream: where progress is told; stderr by default.

    Raises:
        OptionError: an arm that does not exist, or a folder to resume that holds another bench.
        RunError: a folder that cannot be written or read.
    """
    begun, made_with = time.monotonic(), about()
    ledger = _resumed(bench, settings) if settings.resume else _fresh(bench, settings)
    spec = ledger.spec
    todo = [cell for cell in _cells(spec, ledger.given()) if not ledger.done(cell.arm, cell.episode)]
    total = len(spec["arms"]) * spec["episodes"]
    interrupted = False
    progress = Progress(bench.name, total, total - len(todo), stream or sys.stderr)
    try:
        with Workers(bench.work, 1 if bench.alone else settings.jobs) as workers:
            for row in workers.rows(_in_time(todo, begun, settings.budget)):
                ledger.append(row)
                progress.step(row.get("error", ""))
    except KeyboardInterrupt:
        interrupted = True
    progress.close()
    rows = paired(ledger.rows, spec["arms"])
    complete = len(rows) == total
    made_with |= {"seconds": round(time.monotonic() - begun, 1), "jobs": settings.jobs, "preset": settings.preset}
    results = _results(bench, settings, spec, rows) | {"complete": complete, "about": made_with | _known(spec)}
    ledger.close(results)
    return Report(results, ledger.path, complete, interrupted)


def paired(rows: Sequence[Row], arms: Sequence[str]) -> list[Row]:
    """The rows of the episodes that every arm has finished: arms are compared on nothing else."""
    finished: dict[int, set[str]] = {}
    for row in rows:
        finished.setdefault(row["episode"], set()).add(row["arm"])
    return [row for row in rows if finished[row["episode"]] >= set(arms)]


def _results(bench: Bench, settings: Settings, spec: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    found = bench.summarise(rows)
    errors = [f"{row['arm']}, episode {row['episode']}: {row['error']}" for row in rows if "error" in row]
    results = {"bench": bench.name, "seed": spec["seed"], "episodes": spec["episodes"], **found}
    if errors:
        results["errors"] = errors
    if settings.preset is Preset.QUICK:
        results |= beside(bench.name, found)
    return results


def _known(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {key: spec[key] for key in ("arms", "options", "scene", "scene_hash", "commits")}


def _cells(spec: Mapping[str, Any], given: Sequence[Any]) -> Iterator[Cell]:
    """Episode by episode, so that a bench that ends early has the same episodes for every arm."""
    for episode in range(spec["episodes"]):
        about_it = given[episode] if given else None
        for arm in spec["arms"]:
            yield Cell(arm, episode, episode_seed(spec["seed"], episode), about_it, spec["options"])


def _in_time(cells: Sequence[Cell], begun: float, budget: float | None) -> Iterator[Cell]:
    for cell in cells:
        if budget is not None and time.monotonic() - begun > 60.0 * budget:
            return
        yield cell


def _fresh(bench: Bench, settings: Settings) -> Ledger:
    spec = _spec(bench, settings.seed or 0, _episodes(bench, settings), _arms(bench, settings.arms))
    return Ledger.create(settings.out, spec, _given(bench, spec))


def _resumed(bench: Bench, settings: Settings) -> Ledger:
    if settings.resume is None:
        raise ValueError("there is no folder to resume")
    ledger = Ledger.resume(settings.resume)
    was = ledger.spec
    seed = was.get("seed", 0) if settings.seed is None else settings.seed
    episodes = settings.episodes or was.get("episodes", 0)
    arms = tuple(was.get("arms", ())) if settings.arms is None else settings.arms
    spec = _spec(bench, seed, max(episodes, was.get("episodes", 0)), arms)
    for key in spec.keys() - {"episodes", "commits"}:
        if was.get(key) != spec[key]:
            got = f"{key} {spec[key]!r} where {settings.resume} has {was.get(key)!r}"
            raise OptionError("to go on with the same bench", got, "leave --resume out to begin anew")
    spec["commits"] = list(dict.fromkeys([*was["commits"], *spec["commits"]]))
    ledger.extend(spec, _given(bench, spec) if spec["episodes"] > was["episodes"] else None)
    return ledger


def _spec(bench: Bench, seed: int, episodes: int, arms: Sequence[str]) -> dict[str, Any]:
    """What is measured. A row made under one spec is never counted under another."""
    return {
        "bench": bench.name,
        "seed": seed,
        "episodes": episodes,
        "arms": list(arms),
        "options": json.loads(json.dumps(bench.options)),
        "scene": bench.scene,
        "scene_hash": _scene_hash(bench.scene),
        "commits": [revision()[0]],
    }


def _given(bench: Bench, spec: Mapping[str, Any]) -> Sequence[Any] | None:
    return bench.given(spec["seed"], spec["episodes"]) if bench.given else None


def _scene_hash(scene: str) -> str | None:
    if not scene:
        return None
    from robo_orch.sim.scenes import load_scene

    return load_scene(scene).digest()


def _episodes(bench: Bench, settings: Settings) -> int:
    return settings.episodes or bench.episodes[settings.preset]


def _arms(bench: Bench, wanted: tuple[str, ...] | None) -> tuple[str, ...]:
    for arm in wanted or ():
        if arm not in bench.arms:
            raise unknown(OptionError, f"an arm of {bench.name}", arm, bench.arms)
    return tuple(arm for arm in bench.arms if wanted is None or arm in wanted)
