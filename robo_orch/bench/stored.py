# SPDX-License-Identifier: Apache-2.0
"""A run beside the stored one: does a quick run say what the full run, whose figures are stated, has said?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from robo_orch.bench.intervals import Interval, rounded, unpaired_difference
from robo_orch.bench.ledger import RESULTS

_CI = "_ci95"


def beside(bench: str, found: Mapping[str, Any], folder: Path = RESULTS) -> dict[str, Any]:
    """``stored`` and ``within`` for what a run has found; nothing where no full run is stored.

    ``stored`` lists each figure that has an interval in both: the two values, the stored interval, whether the new
    value lies ``within`` it, and ``agrees``: for proportions, whether the difference's own interval has 0 in it, which
    takes the size of both runs into account. ``within`` on top is true where all are.
    """
    path = folder / bench / "results.json"
    if not path.is_file():
        return {}
    known = json.loads(path.read_text())
    ours = dict(_figures(found))
    figures = {name: _compare(ours[name], there) for name, there in _figures(known) if name in ours}
    commit = known.get("about", {}).get("commit", "")
    within = all(figure["within"] for figure in figures.values())
    return {"stored": {"commit": commit, "figures": figures}, "within": within}


def _figures(tree: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every figure with an interval in a tree of results, by its place, with the ``n`` beside it."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            place = f"{path}.{key}" if path else str(key)
            if f"{key}{_CI}" in tree and value is not None and tree[f"{key}{_CI}"] is not None:
                yield place, {"value": value, "ci95": tree[f"{key}{_CI}"], "n": tree.get("n")}
            elif key not in ("about", "stored"):
                yield from _figures(value, place)


def _compare(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    low, high = theirs["ci95"]
    told = {"value": ours["value"], "stored": theirs["value"], "stored_ci95": [low, high]}
    told["within"] = low <= ours["value"] <= high
    if ours["n"] and theirs["n"] and 0 <= ours["value"] <= 1 and 0 <= theirs["value"] <= 1:
        interval = _difference(ours, theirs)
        told |= {"difference_ci95": interval, "agrees": interval[0] <= 0.0 <= interval[1]}
    return told


def _difference(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Interval:
    n1, n2 = ours["n"], theirs["n"]
    return rounded(unpaired_difference(round(ours["value"] * n1), n1, round(theirs["value"] * n2), n2))
