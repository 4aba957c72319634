# SPDX-License-Identifier: Apache-2.0
"""``bench inference``: what our session adds to a bare ``InferenceSession.run`` of the same bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import robo_orch
from robo_orch.bench.cells import Bench, Cell, Preset, Row
from robo_orch.bench.intervals import mean
from robo_orch.kernels.tensors import TensorSpec

PACKAGE = Path(robo_orch.__file__).parent
#: Where models lie: two that are made for this bench, and those of the shipped policies.
FOLDERS = ("kernels/data", "policies")
REFERENCE = "onnxruntime"
#: An episode: ours and the reference take turns this often, for this many seconds each (chosen: short enough that a
#: neighbour's load falls on both, long enough that what the other left in the caches is a small part).
TURNS, TURN_S = 20, 0.02
#: Runs in a turn at most and at least; a large model runs longer than :data:`TURN_S`.
MOST, LEAST = 200, 2
#: What may be added: µs for any model, or that share for models from :data:`LARGE_MS` on (DESIGN, section 10).
MAY_ADD_US, MAY_ADD_SHARE, LARGE_MS = 10.0, 0.10, 0.5

Run = Callable[[], Any]


def models() -> dict[str, Path]:
    """Every model that is shipped, by its path in the package without suffix; this bench's own by their names."""
    own, others = (sorted((PACKAGE / folder).glob("**/*.onnx")) for folder in FOLDERS)
    return {path.stem: path for path in own} | {
        path.relative_to(PACKAGE).with_suffix("").as_posix(): path for path in others
    }


def bench(require_gpu: bool = False) -> Bench:
    """The bench on every shipped model; ``require_gpu`` refuses to measure on a CPU."""
    return Bench(
        name="inference",
        work=work,
        summarise=summarise,
        arms=tuple(models()),
        episodes={Preset.QUICK: 10, Preset.FULL: 40},
        options={"require_gpu": require_gpu},
        alone=True,
    )


def work(cell: Cell) -> Mapping[str, Any]:
    """Ours and the bare runtime on a model and random inputs, turn by turn; times in ms.

    Raises:
        ModelError: a model that cannot be loaded, or no GPU where one is required.
    """
    pair = _pair(cell.arm, bool(cell.options["require_gpu"]))
    inputs = draw(pair.inputs, cell.seed)
    runs: dict[str, Run] = {"ours": lambda: pair.ours.run(inputs), REFERENCE: lambda: pair.bare.run(None, inputs)}
    counts = {who: _count(run) for who, run in runs.items()}
    times: dict[str, list[float]] = {who: [] for who in runs}
    for turn in range(TURNS):
        for who in sorted(runs, reverse=bool(turn % 2)):
            times[who] += clock(runs[who], min(counts.values()))
    return {"provider": pair.ours.provider, "ours_ms": times["ours"], "bare_ms": times[REFERENCE]}


def draw(specs: Mapping[str, TensorSpec], seed: int) -> dict[str, np.ndarray]:
    """Inputs that a model takes, batch 1: normal numbers, pictures of noise, ones for whole numbers and flags."""
    rng, inputs = np.random.default_rng(seed), {}
    for name, spec in specs.items():
        zeros = spec.zeros()
        if zeros.dtype.kind == "f":
            inputs[name] = rng.normal(size=zeros.shape).astype(zeros.dtype)
        elif zeros.dtype == np.uint8:
            inputs[name] = rng.integers(0, 256, zeros.shape, np.uint8)
        else:
            inputs[name] = np.ones_like(zeros)
    return inputs


def clock(run: Run, n: int) -> list[float]:
    """Wall times of ``n`` calls in a row, ms."""
    times = []
    for _ in range(n):
        begun = time.perf_counter()
        run()
        times.append(round(1e3 * (time.perf_counter() - begun), 5))
    return times


def summarise(rows: Sequence[Row]) -> dict[str, Any]:
    """The bench's keys: two rows a model; what ours adds, as the mean over episodes of the difference of medians."""
    found: dict[str, list[Row]] = {}
    good = [row for row in rows if "error" not in row]
    for row in good:
        found.setdefault(row["arm"], []).append(row)
    added = {name: _added(episodes) for name, episodes in found.items()}
    table = [line for name, episodes in found.items() for line in _lines(name, episodes)]
    holds = bool(good) and len(good) == len(rows) and all(one["holds"] for one in added.values())
    return {"added_us": added, "holds": holds, "rows": table}


def _added(episodes: Sequence[Row]) -> dict[str, Any]:
    ours, bare = (np.array([np.median(row[key]) for row in episodes]) for key in ("ours_ms", "bare_ms"))
    told = mean("added_us", (1e3 * (ours - bare)).round(3).tolist())
    usual = float(np.median(bare))
    may_add = max(MAY_ADD_US, 1e3 * MAY_ADD_SHARE * usual) if usual >= LARGE_MS else MAY_ADD_US
    return told | {"n": len(episodes), "may_add_us": round(may_add, 1), "holds": told["added_us"] <= may_add}


def _lines(name: str, episodes: Sequence[Row]) -> list[dict[str, Any]]:
    ours, bare = (np.concatenate([row[key] for row in episodes]) for key in ("ours_ms", "bare_ms"))
    reference, provider = f"{REFERENCE} {name}", episodes[0]["provider"]
    usual = float(np.median(bare))
    return [_line(who, times, reference, usual, provider) for who, times in ((f"ours {name}", ours), (reference, bare))]


def _line(name: str, times: np.ndarray, reference: str, usual: float, provider: str) -> dict[str, Any]:
    p50, p95, p99 = np.percentile(times, [50, 95, 99]).round(4).tolist()
    return {
        "name": name,
        "p50_ms": p50,
        "p95_ms": p95,
        "p99_ms": p99,
        "n": len(times),
        "ratio_to": reference,
        "ratio": round(float(np.median(times)) / usual, 3),
        "provider": provider,
    }


@dataclass(frozen=True, slots=True)
class _Both:
    """One model twice: our session, and the runtime's with the same options on the provider that ours got."""

    ours: Any
    bare: Any
    inputs: Mapping[str, TensorSpec]


@cache
def _pair(name: str, require_gpu: bool) -> _Both:
    from robo_orch.kernels.runtime import bare
    from robo_orch.kernels.session import Session

    content = models()[name].read_bytes()
    ours = Session.load(content, require_gpu=require_gpu)
    ours.warm_up()
    return _Both(ours, bare(content, [ours.provider]), ours.inputs)


def _count(run: Run) -> int:
    """Runs that fill a turn; those that find it out warm the model up and are not counted."""
    one = float(np.median(clock(run, 5))) / 1e3
    return int(np.clip(TURN_S / max(one, 1e-9), LEAST, MOST))
