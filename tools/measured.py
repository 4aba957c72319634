#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Put what `robo-orch skills probe` found beside the cards it is about: results/probe/*/results.json -> measured.json.

Usage: tools/measured.py [FOLDER …], by default all of results/probe. `robo-orch skills show CARD` prints it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from robo_orch.policies.registry import Registry

KEPT = ("success", "success_ci95", "n", "done", "failures")


def main(folders: list[str]) -> None:
    """Write measured.json beside every card that was probed."""
    cards = {card.id: card for card in Registry.load()}
    for folder in map(Path, folders or sorted(map(str, Path("results/probe").iterdir()))):
        found = json.loads((folder / "results.json").read_text())
        path = cards[found["card"]].folder / "measured.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        name = f"starts {found['starts']}{', clutter' if found['clutter'] else ''}"
        told = {key: found[key] for key in KEPT} | {"commit": found["about"]["commit"]}
        known.setdefault(found["card"], {})[name] = told
        path.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
