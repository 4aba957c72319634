# SPDX-License-Identifier: Apache-2.0
"""What a run of a recipe leaves in the policy's folder: weights, report, and the card of the best run.

::

    policies/rl/<name>/
      recipe.yaml      how it is learned; the card's body
      <name>.card.yaml written here: the recipe's body, the range that training saw
      model.onnx       of the run that did best on the validation set
      golden.npz       what that run said to a real observation before it was exported
      runs/seed-0.onnx …, runs/seed-0.npz (golden), runs/seed-0.json: curve, steps, seconds, command, parity
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from robo_orch.train.export import export, parity, write_golden
from robo_orch.train.recipe import Recipe
from robo_orch.train.rl import Learned
from robo_orch.types import Array

#: Digits of the range in a card.
DIGITS = 4


class Acting(torch.nn.Module):
    """A learned actor that gives rows of the card's action space."""

    def __init__(self, actor: torch.nn.Module, recipe: Recipe) -> None:
        super().__init__()
        self.actor = actor
        self.register_buffer("offset", torch.tensor(recipe.offset))
        self.register_buffer("scale", torch.tensor(recipe.scale))

    def forward(self, state: torch.Tensor) -> torch.Tensor:
        """``(B, k)`` raw numbers to ``(B, A)`` actions."""
        return self.offset + self.scale * self.actor(state)


def ship(recipe: Recipe, learned: Learned, seed: int, folder: Path) -> dict[str, Any]:
    """Write a run's weights and report, and make the best run so far the card's; returns the report."""
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    module, name = Acting(learned.actor, recipe).eval(), next(iter(recipe.policy.observation))
    seen = _some(learned.seen)
    path = runs / f"seed-{seed}.onnx"
    export(module, {name: seen}, ["action"], path)
    write_golden(module, {name: seen}, ["action"], path.with_suffix(".npz"))
    low, high = learned.range
    report = {
        "card": recipe.card["id"],
        "seed": seed,
        "command": f"robo-orch train {recipe.card['id']} --seed {seed}",
        "steps": learned.steps,
        "seconds": round(learned.seconds, 1),
        "best": learned.best,
        "score": learned.score,
        "evaluations": learned.curve,
        "parity": parity(module, path, {name: seen}, ["action"]),
        "low": np.round(low, DIGITS).tolist(),
        "high": np.round(high, DIGITS).tolist(),
    }
    (runs / f"seed-{seed}.json").write_text(json.dumps(report, indent=1) + "\n")
    choose(recipe, folder)
    return report


def choose(recipe: Recipe, folder: Path) -> None:
    """Make the run that did best on the validation set the one that the card loads."""
    reports = [json.loads(path.read_text()) for path in sorted((folder / "runs").glob("seed-*.json"))]
    best = max(reports, key=lambda report: report["score"])
    run = folder / "runs" / f"seed-{best['seed']}"
    shutil.copy(run.with_suffix(".onnx"), folder / "model.onnx")
    shutil.copy(run.with_suffix(".npz"), folder / "golden.npz")
    body = json.loads(json.dumps(recipe.card)) | {"golden": "golden.npz"}
    (told,) = body["observation"].values()
    told["low"], told["high"] = best["low"], best["high"]
    text = yaml.safe_dump(body, sort_keys=False, width=118, default_flow_style=None)
    head = f"# Written by `{best['command']}` from recipe.yaml.\n"
    (folder / f"{folder.name}.card.yaml").write_text(head + text)


def _some(seen: Array) -> Array:
    """A hundred of what was seen, evenly over the run."""
    return seen[np.linspace(0, len(seen) - 1, 100).astype(int)].astype(np.float32)
