# SPDX-License-Identifier: Apache-2.0
"""Training the classifier on rows, one thread, for a given time of computing; what is cut off goes on where it was."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from robo_orch.train.course import Course
from robo_orch.train.verifier.model import Network, Told, summary
from robo_orch.train.verifier.recipe import Recipe

#: Weights of the losses: done, progress, map, miss (chosen).
WEIGHTS = {"done": 1.0, "progress": 2.0, "map": 0.2, "miss": 1.0}
#: Share of rows in a batch that are done; how much oftener a failure is drawn that is within reach of done (chosen).
DONE, NEAR_OFTENER, NEAR = 0.4, 4.0, 0.7
#: Spread of what a map should be, in places; decay of weights (chosen).
SPREAD, DECAY = 0.7, 1e-3
#: Least spread that a number is divided by; seconds between saves.
LEAST, SAVE_SECONDS = 0.05, 12.0

#: Share of the rows far from done that are learned from: there are more than it takes (chosen).
FAR = 0.25
#: Columns of rows that are no looks.
ANSWERS = ("numbers", "done", "progress", "miss", "points")

Columns = Mapping[str, NDArray[Any]]
Say = Callable[[str], None]


def read(folder: Path, far: float = 1.0) -> dict[str, NDArray[Any]]:
    """The rows of a folder, by column; of those that are far from done a share only, always the same ones."""
    rng = np.random.default_rng(0)
    paths = [p for p in sorted(folder.glob("rows-*.npz")) if not p.name.endswith(".part.npz")]
    parts = []
    for path in paths:
        with np.load(path) as found:
            kept = (found["progress"] > NEAR) | (rng.random(len(found["done"])) < far)
            parts.append({name: found[name][kept] for name in found.files})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}


class Training(Course[Network]):
    """One run on rows; see :class:`Course`."""

    def __init__(
        self, rows: Columns, held_out: Columns, recipe: Recipe, seed: int, folder: Path, told: Say = print
    ) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.rows, self.held_out, self.recipe = rows, held_out, recipe
        self._rng = np.random.default_rng(seed)
        self._pools = _pools(rows)
        self.cameras = list(recipe.views)
        told(f"{len(rows['done'])} rows, {len(self._pools[0])} of them done")
        folder.mkdir(parents=True, exist_ok=True)
        self._seen = _kept(folder / "seen.pt", rows, self.cameras)
        numbers = torch.from_numpy(rows["numbers"])
        scales = torch.stack([_spread(self._seen[name][1].float()) for name in self.cameras])
        network = Network(self.cameras, _spread(numbers), scales)
        super().__init__(network, folder, recipe.seconds, recipe.rate, DECAY, WEIGHTS, SAVE_SECONDS)

    def _losses(self) -> dict[str, Tensor]:
        picks = self._drawn(self.recipe.batch)
        batch = {name: torch.from_numpy(self.rows[name][picks]) for name in ANSWERS}
        seen = {name: (small[picks].float(), told[picks].float()) for name, (small, told) in self._seen.items()}
        return losses(self.network.decide(seen, batch["numbers"]), batch, self.cameras)

    def _drawn(self, n: int) -> NDArray[np.intp]:
        good, near, rest = self._pools
        counts = self._rng.multinomial(n, _shares(len(good), len(near), len(rest)))
        picks = [self._rng.choice(pool, k) for pool, k in zip(self._pools, counts, strict=True) if k]
        return np.concatenate(picks)

    def _measured(self) -> dict[str, Any]:
        found: dict[str, Any] = {"rows": len(self.rows["done"])}
        if self.held_out:
            logits, _ = answers(self.average, self.held_out, self.cameras)
            done = self.held_out["done"] > 0.5
            wrong = (logits > 0.0) != done
            shares = {"false_done": wrong[~done], "false_fail": wrong[done]}
            found |= {name: round(float(share.mean()), 4) for name, share in shares.items()}
        return found

    def _line(self, row: dict[str, Any]) -> str:
        shares = [f"{name} {row[name]:.3f}" for name in ("false_done", "false_fail") if name in row]
        return ", ".join(shares) or f"{row['rows']} rows"


@torch.no_grad()
def summaries(rows: Columns, cameras: list[str]) -> dict[str, tuple[Tensor, Tensor]]:
    """What is seen in all rows by camera, in half precision.

    Nothing of it is learned, so that once is enough.
    """
    found: dict[str, tuple[Tensor, Tensor]] = {}
    for name in cameras:
        parts = []
        for first in range(0, len(rows[name]), 256):
            look = torch.from_numpy(rows[name][first : first + 256])
            parts.append(summary(look, torch.from_numpy(rows["numbers"][first : first + 256])))
        small, told = zip(*parts, strict=True)
        found[name] = torch.cat(small).half(), torch.cat(told).half()
    return found


def losses(told: Told, batch: Mapping[str, Tensor], cameras: list[str]) -> dict[str, Tensor]:
    """Each part of the loss, unweighted."""
    heat = [_heat(told.maps[name], batch["points"][:, i]) for i, name in enumerate(cameras)]
    return {
        "done": nn.functional.binary_cross_entropy_with_logits(told.done, batch["done"]),
        "progress": nn.functional.mse_loss(told.progress, batch["progress"]),
        "map": torch.stack(heat).mean(),
        "miss": nn.functional.smooth_l1_loss(told.miss, batch["miss"], beta=0.1),
    }


@torch.no_grad()
def answers(network: Network, rows: Columns, cameras: list[str]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Logits of done and progress of all rows."""
    found = []
    for first in range(0, len(rows["done"]), 256):
        part = {name: torch.from_numpy(rows[name][first : first + 256]) for name in (*cameras, "numbers")}
        told = network({name: part[name] for name in cameras}, part["numbers"])
        found.append((told.done.numpy(), told.progress.numpy()))
    logits, progress = zip(*found, strict=True)
    return np.concatenate(logits), np.concatenate(progress)


def _kept(path: Path, rows: Columns, cameras: list[str]) -> dict[str, tuple[Tensor, Tensor]]:
    """The rows' summaries, read where they have been made before."""
    if path.is_file():
        found = torch.load(path, weights_only=True)
        if all(len(found[name][0]) == len(rows["done"]) for name in cameras):
            return found
    found = summaries(rows, cameras)
    torch.save(found, path)
    return found


def _pools(rows: Columns) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Rows that are done, that all but are, and the others."""
    done, near = rows["done"] > 0.5, rows["progress"] > NEAR
    return np.flatnonzero(done), np.flatnonzero(near & ~done), np.flatnonzero(~near & ~done)


def _spread(values: Tensor) -> Tensor:
    """Mean and spread of columns, ``(2, k)``."""
    return torch.stack([values.mean(dim=0), values.std(dim=0).clamp(min=LEAST)])


def _shares(good: int, near: int, rest: int) -> list[float]:
    """Of each pool in a batch."""
    weights = [0.0, NEAR_OFTENER * near, float(rest)]
    failed = sum(weights)
    done = (DONE if failed else 1.0) if good else 0.0
    return [done, *((1.0 - done) * w / failed if failed else 0.0 for w in weights[1:])]


def _heat(logits: Tensor, points: Tensor) -> Tensor:
    """Cross entropy of maps ``(B, P)`` of square looks to bumps about points ``(B, 3)``, where those are seen."""
    side = math.isqrt(logits.shape[1])
    places = torch.arange(side) + 0.5
    u, v = places[None] - points[:, :1] * side, places[None] - points[:, 1:2] * side  # (B, side) each
    bump = torch.exp(-0.5 * (v[:, :, None] ** 2 + u[:, None, :] ** 2) / SPREAD**2).flatten(1)
    bump = bump / bump.sum(dim=1, keepdim=True).clamp(min=1e-6)
    loss = -(bump * torch.log_softmax(logits, dim=1)).sum(dim=1)
    return (loss * points[:, 2]).sum() / points[:, 2].sum().clamp(min=1.0)
