# SPDX-License-Identifier: Apache-2.0
"""From a trained network to the classifier's folder: calibrated, thresholds drawn, exported, described."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from numpy.typing import NDArray
from torch import Tensor, nn

from robo_orch.sim.scenes import load_scene
from robo_orch.train.export import export, parity
from robo_orch.train.verifier.learn import Columns, answers
from robo_orch.train.verifier.model import Network
from robo_orch.train.verifier.recipe import Recipe
from robo_orch.train.vla.trust import platt
from robo_orch.verification.classifier import DESCRIPTION, OUTPUTS

#: The classifier's name, and rows that parity is measured on.
ID, COMPARED = "placed-v1", 100
#: Of the successes, the share that may be called failures and not merely unknown (chosen).
FALSE_FAILED = 0.01
#: Thresholds stay within these (chosen: a handful of rows must not draw a line at certainty).
LOWEST, HIGHEST = 0.05, 0.98


class Shipped(nn.Module):
    """The network with its calibration: looks and numbers in, probability and completion out.

    Args:
        scale, offset: Platt's; the probability's logit is ``scale`` times the network's plus ``offset``.
    """

    def __init__(self, network: Network, scale: float, offset: float) -> None:
        super().__init__()
        self.network = network.eval()
        self.scale, self.offset = scale, offset

    def forward(self, side: Tensor, front: Tensor, wrist: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """``probability`` and ``completion``, ``(B,)`` each; looks are uint8 ``(B, 4, h, w)``."""
        told = self.network({"side": side, "front": front, "wrist": wrist}, numbers)
        return torch.sigmoid(self.scale * told.done + self.offset), told.progress


def lines(probability: NDArray[np.float64], done: NDArray[np.bool_], false_done: float) -> tuple[float, float]:
    """From which probability on it is done, and below which it failed.

    The first is the lowest at which at most ``false_done`` of the failures are above it; the second the highest below
    which at most :data:`FALSE_FAILED` of the successes are.
    """
    failures, successes = np.sort(probability[~done]), np.sort(probability[done])
    above = failures[max(0, len(failures) - int(false_done * len(failures)) - 1)] if len(failures) else 0.5
    below = successes[int(FALSE_FAILED * len(successes))] if len(successes) else 0.5
    above = float(np.clip(above + 1e-3, 0.5, HIGHEST))
    return above, float(np.clip(below - 1e-3, LOWEST, above))


def ship(
    recipe: Recipe, network: Network, rows: Columns, held_out: Columns, report: dict[str, Any], folder: Path
) -> dict[str, Any]:
    """Write ``model.onnx``, ``verifier.yaml`` and ``report.json``; returns the report.

    Args:
        rows: real ones, for parity; ``held_out``: of the validation set, as they were perceived.

    Raises:
        ModelError: the file's answers are not those of the network.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cameras, done = list(recipe.views), held_out["done"] > 0.5
    logits, progress = answers(network, held_out, cameras)
    scale, offset = platt(logits.astype(float), done.astype(float))
    module = Shipped(network, scale, offset).eval()
    real = {name: rows[name][:COMPARED] for name in (*cameras, "numbers")}
    path = folder / "model.onnx"
    export(module, real, OUTPUTS, path)
    probability = 1.0 / (1.0 + np.exp(-(scale * logits.astype(float) + offset)))
    above, below = lines(probability, done, recipe.false_done)
    report = {**report, "onnx": path.name, "parity": parity(module, path, real, OUTPUTS)}
    report["validation"] = {
        "n_failures": int((~done).sum()),
        "n_successes": int(done.sum()),
        "false_done": round(float((probability[~done] >= above).mean()), 4) if (~done).any() else None,
        "false_fail": round(float((probability[done] < above).mean()), 4) if done.any() else None,
        "brier": round(float(((probability - done) ** 2).mean()), 4),
        "completion_rank_correlation": rank_correlation(progress, held_out["progress"]),
    }
    scene = load_scene(recipe.scene)
    about = {
        "id": ID,
        "scene": recipe.scene,
        "scene_hash": scene.digest(),
        "robot": scene.robot,
        "eyes": {name: eye.model_dump(mode="json") for name, eye in recipe.eyes().items()},
        "done_above": round(above, 4),
        "failed_below": round(below, 4),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    head = f"# Written by `{report['command']}` from recipe.yaml.\n"
    (folder / DESCRIPTION).write_text(head + yaml.safe_dump(about, sort_keys=False, width=118, default_flow_style=None))
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    return report


def rank_correlation(said: NDArray[np.floating], true: NDArray[np.floating]) -> float | None:
    """Spearman's; nothing where either is all the same."""
    from scipy.stats import spearmanr

    if len(said) < 3 or np.ptp(said) == 0.0 or np.ptp(true) == 0.0:
        return None
    return round(float(spearmanr(said, true).statistic), 4)
