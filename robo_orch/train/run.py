# SPDX-License-Identifier: Apache-2.0
"""Training by the id of a card: its recipe says how."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from robo_orch.train.recipe import recipe_of

Told = Callable[[str], None]


def train(
    card: str, seed: int, out: Path | None = None, steps: int | None = None, told: Told = lambda line: None
) -> dict[str, Any]:
    """Train a card anew and write its weights, report and card.

    Args:
        out: folder of the results, the recipe is copied into it; ``None`` for the policy's own.
        steps: fewer than the recipe has, to try it out.
        told: is given lines about progress.

    Returns:
        ``card, seed, steps, seconds, evaluations, onnx, parity``.

    Raises:
        CardError: no such card, or none that can be trained.
    """
    from robo_orch.train.rl import learn
    from robo_orch.train.ship import ship

    recipe = recipe_of(card)
    folder = recipe.folder if out is None else out
    folder.mkdir(parents=True, exist_ok=True)
    if folder != recipe.folder:
        shutil.copy(recipe.folder / "recipe.yaml", folder)
    with tempfile.TemporaryDirectory(prefix="robo_orch-train-") as checkpoints:
        learned = learn(recipe, seed, Path(checkpoints), told, steps)
    report = ship(recipe, learned, seed, folder)
    return report | {"onnx": str(folder / "runs" / f"seed-{seed}.onnx")}
