#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the first goal on many seeds: how often it is reached, and how much faster than real time.

Prints one line per seed on stderr and one JSON object on stdout. Exit 1 if a bound of the README is missed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from scipy.stats import binomtest

GOAL = "put the red cube on the plate and stack the green cube on the blue cube"
REACHED = 0.95  # share of the seeds
REAL_TIME_FACTOR = 10.0  # without cameras, planning included
COMMAND = Path(sys.executable).with_name("robo-orch")


def run(seed: int, out: Path) -> dict:
    """One run's JSON."""
    options = ["--scene", "kitchen", "--sim", "mujoco", "--seed", str(seed), "--out", str(out), "--no-video", "--json"]
    done = subprocess.run([COMMAND, "run", GOAL, *options], capture_output=True, text=True)
    if not done.stdout.strip():
        sys.exit(f"seed {seed} printed no JSON, exit code {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def summary(runs: list[dict]) -> dict:
    """Success with its 95 % Wilson interval, and simulated seconds per second of computing."""
    reached = sum(r["success"] for r in runs)
    interval = binomtest(reached, len(runs)).proportion_ci(method="wilson")
    return {
        "goal": GOAL,
        "n": len(runs),
        "success": reached / len(runs),
        "success_ci95": [round(interval.low, 3), round(interval.high, 3)],
        "realtime_factor": round(sum(r["sim_seconds"] for r in runs) / sum(r["wall_seconds"] for r in runs), 1),
        "failed_seeds": [r["seed"] for r in runs if not r["success"]],
    }


def line(result: dict) -> str:
    """One seed in words."""
    failure = result["failure"] or {}
    words = "reached" if result["success"] else f"failed: {failure.get('code')} {failure.get('message', '')}"
    return f"seed {result['seed']:3d}  {result['sim_seconds']:5.1f} s in {result['wall_seconds']:5.2f} s  {words}"


def main() -> int:
    """Run all seeds, one after the other so that the times mean something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=20)
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(parser.parse_args().episodes):
            runs.append(run(seed, Path(folder) / str(seed)))
            print(line(runs[-1]), file=sys.stderr, flush=True)
    result = summary(runs)
    print(json.dumps(result))
    return result["success"] < REACHED or result["realtime_factor"] < REAL_TIME_FACTOR


if __name__ == "__main__":
    sys.exit(main())
