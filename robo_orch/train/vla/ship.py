# SPDX-License-Identifier: Apache-2.0
"""From a trained network to the policy's folder: one ONNX file with everything in it, its parity, the card."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from numpy.typing import NDArray
from torch import Tensor, nn

from robo_orch.train.export import export, parity, write_golden
from robo_orch.train.vla.model import Network
from robo_orch.train.vla.recipe import Recipe
from robo_orch.train.vla.shards import View

OUTPUTS = ("action", "confidence", "completion")
#: The gripper opens to this, m.
OPENED = 0.08
#: Digits of the range in a card; real observations that parity is measured on.
DIGITS, COMPARED = 4, 100


class Shipped(nn.Module):
    """The network as a policy: whole pictures in, actions in the card's space out.

    Args:
        trust: weights of :meth:`evidence` and a constant, ``(4,)``: the logit of the policy's own success.
    """

    trust: Tensor

    def __init__(self, network: Network, views: Sequence[View], trust: Tensor) -> None:
        super().__init__()
        self.network, self.views = network.eval(), list(views)
        self.register_buffer("trust", trust)

    def forward(
        self, side: Tensor, wrist: Tensor, state: Tensor, text: Tensor, prefix: Tensor, prefix_length: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """``action`` ``(B, T, 7)``, ``confidence`` ``(B,)``, ``completion`` ``(B,)``.

        Args:
            side, wrist: the two cameras' pictures ``(B, 3, H, W)``, uint8.
            state, text: ``(B, 18)``, ``(B, 384)``.
            prefix, prefix_length: actions ``(B, T, 7)`` of which the first ``(B,)`` count.
        """
        images = [_cut(image, view) for image, view in zip((side, wrist), self.views, strict=True)]
        features = self.network.features(images)
        length = prefix_length[:, None]
        told = self.network.decide(features, state, text[:, None], prefix[:, None], length)
        chunk = told.chunk[:, 0]
        wide = torch.where(chunk[..., 6:] > 0.0, OPENED, 0.0)
        action = torch.cat([chunk[..., :6] * self.network.row_scale[:6], wide], dim=2)
        kept = (torch.arange(action.shape[1])[None] < length)[..., None]
        action = torch.where(kept, prefix, action)
        return action, torch.sigmoid(evidence(told.maps) @ self.trust), torch.sigmoid(told.done[:, 0])


def evidence(maps: Sequence[Tensor]) -> Tensor:
    """How clearly the object is seen in the first two cameras and the goal in the first, and 1, ``(B, 4)``."""
    peaks = [torch.softmax(m[:, 0], dim=2).amax(dim=2) for m in maps]  # (B, M) each
    first, last = peaks[0], peaks[-1]
    return torch.stack([first[:, 0], last[:, 0], first[:, 1], torch.ones_like(first[:, 0])], dim=1)


def ship(
    recipe: Recipe, network: Network, trust: Tensor, real: dict[str, NDArray], report: dict[str, Any], folder: Path
) -> dict[str, Any]:
    """Write ``model.onnx``, ``golden.npz``, ``report.json`` and the card; returns the report with its parity.

    Args:
        real: observations by input, ``(n, …)``, n >= 100.

    Raises:
        ModelError: the file's answers are not those of the network.
    """
    folder.mkdir(parents=True, exist_ok=True)
    module, path = Shipped(network, recipe.views, trust).eval(), folder / "model.onnx"
    export(module, real, OUTPUTS, path)
    report = {**report, "onnx": path.name, "parity": parity(module, path, real, OUTPUTS)}
    write_golden(module, real, OUTPUTS, folder / "golden.npz")
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    body = json.loads(json.dumps(recipe.card)) | {"golden": "golden.npz"}
    low, high = np.quantile(real["state"], [0.0, 1.0], axis=0)
    body["observation"]["state"] |= {"low": np.round(low, DIGITS).tolist(), "high": np.round(high, DIGITS).tolist()}
    text = yaml.safe_dump(body, sort_keys=False, width=118, default_flow_style=None)
    head = f"# Written by `{report['command']}` from vla.yaml.\n"
    (folder / f"{folder.name}.card.yaml").write_text(head + text)
    return report


def _cut(image: Tensor, view: View) -> Tensor:
    left, top, width, height = view.window
    return image[:, :, top : top + height, left : left + width]
