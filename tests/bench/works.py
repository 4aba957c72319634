# SPDX-License-Identifier: Apache-2.0
"""Work for benches under test; at module level, so that spawned processes find it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np

from robo_orch.bench.cells import Bench, Preset
from robo_orch.bench.intervals import proportion


def draw(cell):
    """A number that depends on the episode's seed alone, and a success that depends on the arm too."""
    value = float(np.random.default_rng(cell.seed).random())
    return {"value": value, "success": value < cell.options.get(cell.arm, 0.5), "given": cell.given}


def threads(cell):
    return {"threads": os.environ["OMP_NUM_THREADS"], "pid": os.getpid()}


def break_sometimes(cell):
    if cell.episode == 1:
        raise ValueError("no such luck\nat all")
    if cell.episode == 2 and "died" not in os.environ:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"success": True}


def wait_at(cell):
    """Blocks in the episode that ``options`` names until a file appears."""
    if cell.episode == cell.options["block"]:
        fifo = Path(cell.options["fifo"])
        fifo.read_text()
    return {"success": True}


def summarise(rows):
    return {
        "arms": {
            arm: proportion("success", [r.get("success", False) for r in rows if r["arm"] == arm])
            for arm in dict.fromkeys(r["arm"] for r in rows)
        }
    }


def bench(work=draw, **changes) -> Bench:
    usual = {
        "name": "toss",
        "work": work,
        "summarise": summarise,
        "arms": ("low", "high"),
        "options": {"low": 0.3, "high": 0.9},
        "episodes": {Preset.QUICK: 3, Preset.FULL: 6},
    }
    return Bench(**usual | changes)
