# SPDX-License-Identifier: Apache-2.0
"""Training the network on frames, one thread, for a given time of computing; what is cut off goes on where it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from robo_orch.train.course import Course
from robo_orch.train.vla.data import Batch, Frames, committed, varied
from robo_orch.train.vla.model import Eye, Network, Told
from robo_orch.train.vla.shards import INSTRUCTIONS

#: What a row and the ways are divided by: m and rad, the gripper apart.
ROWS = (0.02, 0.02, 0.02, 0.1, 0.1, 0.1, 0.08)
WAYS = (0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.5, 0.5, 1.0, 1.0)
#: Weights of the losses (chosen). Without "choice" objects are confused for hours: a map is first of all about what is
#: background.
WEIGHTS = {"chunk": 1.0, "gripper": 0.5, "done": 0.3, "maps": 0.5, "choice": 1.0, "ways": 1.0}
#: Numbers that a text is whitened to, and how near (share of a window) two points are that are one object's.
AXES, SAME = 64, 1e-4
#: Spread of what a map should be, in places (chosen), and weight of each action of a chunk: what is executed counts.
SPREAD, EARLY = 0.8, (1.0,) * 5 + (0.5,) * 5
#: Frames of the first shard that evaluations are on, and seconds between saves (chosen).
EVALUATED, SAVE_SECONDS = 192, 20.0
#: Least spread that a number of the state is divided by.
LEAST = 0.02


@dataclass(frozen=True, slots=True)
class How:
    """``seconds`` of computing, so that a shared machine only makes it later; ``batch`` frames a step.

    ``rate`` of AdamW at its highest, cosine by that time; ``decay`` of weights.
    """

    seconds: float = 3000.0
    batch: int = 32
    rate: float = 1.5e-3
    decay: float = 1e-4


class Training(Course[Network]):
    """One run on frames; see :class:`Course`."""

    def __init__(self, frames: Frames, eyes: Sequence[Eye], seed: int, folder: Path, how: How) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.frames, self.how = frames, how
        self._rng, self._random = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
        states = torch.from_numpy(frames.states())
        spread = torch.stack([states.mean(dim=0), states.std(dim=0).clamp(min=LEAST)])
        network = Network(eyes, frames.directions(AXES), spread, torch.tensor(WAYS), torch.tensor(ROWS))
        network = cast("Network", nn.Module.to(network, memory_format=torch.channels_last))  # type: ignore[call-overload]
        super().__init__(network, folder, how.seconds, how.rate, how.decay, WEIGHTS, SAVE_SECONDS)

    def _losses(self) -> dict[str, Tensor]:
        batch = self.frames.batch(self.how.batch, self._rng, slice(1, None) if len(self.frames) > 600 else slice(None))
        told, aim = forward(self.network, batch, self._random)
        return losses(told, *aim)

    def _measured(self) -> dict[str, Any]:
        seen = {"frames": len(self.frames), "samples": self.step * self.how.batch * INSTRUCTIONS}
        return seen | evaluate(self.average, self.frames)

    def _line(self, row: dict[str, Any]) -> str:
        return f"objects found {row['map0']:.2f}, grasps off {row['grasp_mm']:.0f} mm"


def forward(network: Network, batch: Batch, random: torch.Generator | None) -> tuple[Told, tuple[Tensor, ...]]:
    """What the network says of a batch, each instruction by itself, and what it should say; varied if ``random``."""
    images = [image if random is None else varied(image, random) for image in batch.images]
    images = [image.float().contiguous(memory_format=torch.channels_last) for image in images]
    chunk, k = batch.chunk, batch.text.shape[1]
    flat = chunk.flatten(0, 1)
    none = torch.zeros_like(flat), torch.zeros(len(flat), dtype=torch.long)
    prefix, length = none if random is None else committed(flat, random)
    prefix, length = prefix.unflatten(0, (-1, k)), length.unflatten(0, (-1, k))
    told = network.decide(network.features(images), batch.state, batch.text, prefix, length)
    maps = [m.flatten(0, 1) for m in told.maps]
    flatter = Told(told.chunk.flatten(0, 1), told.done.flatten(), told.ways.flatten(0, 1), maps)
    points, where, done = batch.points.flatten(0, 1), batch.where.flatten(0, 1), batch.done.flatten()
    return flatter, (flat, length.flatten(), points, where, done)


def losses(told: Told, chunk: Tensor, length: Tensor, points: Tensor, where: Tensor, done: Tensor) -> dict[str, Tensor]:
    """Each part of the loss, unweighted."""
    open_ = torch.arange(chunk.shape[1])[None] >= length[:, None]
    weight = open_ * torch.tensor(EARLY)
    error = (told.chunk[..., :6] - chunk[..., :6] / torch.tensor(ROWS[:6])).abs().sum(dim=2)
    grip = nn.functional.binary_cross_entropy_with_logits(
        told.chunk[..., 6], (chunk[..., 6] > 0.04).float(), reduction="none"
    )
    scale = torch.tensor(WAYS)
    near = 0.25 + 0.6 * (where / scale).abs()
    ways = ((told.ways - where / scale).abs() / near).mean()
    heat = [_heat(maps[:, :2], points[:, i]) for i, maps in enumerate(told.maps)]
    return {
        "chunk": (error * weight).sum() / weight.sum() / 6,
        "gripper": (grip * weight).sum() / weight.sum(),
        "done": nn.functional.binary_cross_entropy_with_logits(told.done, done),
        "maps": torch.stack(heat).mean(),
        "choice": torch.stack([_choice(maps[:, 0], points[:, i, 0]) for i, maps in enumerate(told.maps)]).mean(),
        "ways": ways,
    }


def _heat(logits: Tensor, points: Tensor) -> Tensor:
    """Cross entropy of two maps ``(B, 2, P)`` to bumps about points ``(B, 2, 3)``, where those are seen."""
    rows, columns = SHAPES[logits.shape[2]]
    u = (torch.arange(columns) + 0.5)[None, None] - points[..., :1] * columns  # (B, 2, w)
    v = (torch.arange(rows) + 0.5)[None, None] - points[..., 1:2] * rows  # (B, 2, h)
    bump = torch.exp(-0.5 * (v[..., :, None] ** 2 + u[..., None, :] ** 2) / SPREAD**2).flatten(2)
    bump = bump / bump.sum(dim=2, keepdim=True).clamp(min=1e-6)
    loss = -(bump * torch.log_softmax(logits, dim=2)).sum(dim=2)
    seen = points[..., 2]
    return (loss * seen).sum() / seen.sum().clamp(min=1.0)


def _choice(logits: Tensor, points: Tensor) -> Tensor:
    """Cross entropy of which object of a picture an instruction means, by a map ``(B*K, P)`` at the objects of all.

    ``points`` ``(B*K, 3)``: where the instructions' objects are, and 1 where they are seen.
    """
    rows, columns = SHAPES[logits.shape[1]]
    places = points.unflatten(0, (-1, INSTRUCTIONS))  # (B, K, 3)
    u, v = (places[..., 0] * columns).long().clamp(0, columns - 1), (places[..., 1] * rows).long().clamp(0, rows - 1)
    at = (v * columns + u)[:, None].expand(-1, INSTRUCTIONS, -1)
    found = logits.unflatten(0, (-1, INSTRUCTIONS)).gather(2, at)  # (B, K asked, K objects)
    seen = places[..., 2] > 0.5
    found = found.masked_fill(~seen[:, None], NEVER)
    same = (places[:, :, None, :2] - places[:, None, :, :2]).abs().amax(dim=3) < SAME
    loss = torch.logsumexp(found, dim=2) - torch.logsumexp(found.masked_fill(~same, NEVER), dim=2)
    return (loss * seen).sum() / seen.sum().clamp(min=1)


#: A logit of what cannot be.
NEVER = -1e9
#: Rows and columns of a map by its number of places.
SHAPES = {22 * 20: (22, 20), 24 * 24: (24, 24)}


@torch.no_grad()
def evaluate(network: Network, frames: Frames) -> dict[str, float]:
    """On frames that are not trained on: errors of the ways (mm, medians), of the first actions (mm), gripper, maps."""
    batch = frames.batch(EVALUATED, np.random.default_rng(0), slice(0, 1), often=1.0)
    told, (chunk, _, points, where, _) = forward(network, batch, None)
    scale = torch.tensor(WAYS)
    ways = (told.ways * scale - where).abs()
    grasp, goal = ways[:, :3].norm(dim=1), ways[:, 3:6].norm(dim=1)
    free = where[:, 8] < 0.5
    moves = (told.chunk[:, :3, :3] * torch.tensor(ROWS[:3]) - chunk[:, :3, :3]).norm(dim=2)
    grip = ((told.chunk[:, :3, 6] > 0) == (chunk[:, :3, 6] > 0.04)).float().mean()
    found = {"grasp_mm": grasp[free].median() * 1000, "grasp_right": (grasp[free] < 0.03).float().mean()}
    found |= {"goal_mm": goal.median() * 1000, "move_mm": moves.mean() * 1000, "grip": grip}
    for i, maps in enumerate(told.maps):
        rows, columns = SHAPES[maps.shape[2]]
        peak = maps[:, 0].argmax(dim=1)
        at = torch.stack([(peak % columns + 0.5) / columns, (peak // columns + 0.5) / rows], dim=1)
        seen = points[:, i, 0, 2] > 0.5
        found[f"map{i}"] = ((at - points[:, i, 0, :2]).norm(dim=1) < 0.08)[seen].float().mean()
    return {name: round(float(value), 4) for name, value in found.items()}
