# SPDX-License-Identifier: Apache-2.0
"""The classifier's network: parts of pictures with margins, and numbers, to whether a subgoal is done.

::

    the numbers say what to look for
    for each camera: features of every place, changed by what is looked for
        maps of where to look; one of them is trained on where the object really appears
        each map gives its place, the features there and the margin there
    from all of that: done, progress, and by how much the object misses (which only training asks for)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from robo_orch.train.vla.model import Mix
from robo_orch.verification.question import LEVEL, NUMBERS

#: Channels of a look: red, green, blue, margin. Maps a camera has. Features of a place, wide features, what is sought.
CHANNELS, MAPS, PLACE, WIDE, SOUGHT, HIDDEN = 4, 3, 24, 40, 48, 128
#: Looks of this height and less keep every second pixel row as a place, larger ones every fourth (chosen: speed).
FINE = 48


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """Logits of done ``(B,)``, progress ``(B,)``, miss ``(B, 2)``, and maps ``(B, P)`` of the object by camera."""

    done: Tensor
    progress: Tensor
    miss: Tensor
    maps: Mapping[str, Tensor]


class Camera(nn.Module):
    """What is seen in one camera's look."""

    grid: Tensor

    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self.fold = 2 if height <= FINE else 4
        self.patch = nn.Conv2d(CHANNELS, PLACE, 2 * self.fold, self.fold, self.fold // 2)
        self.down = nn.Conv2d(PLACE, WIDE, 3, 2, 1)
        self.wide = nn.Conv2d(WIDE, WIDE, 3, 1, 1)
        self.up = Mix(WIDE, PLACE)
        self.seek = nn.Linear(SOUGHT, 4 * PLACE + 2 * WIDE)
        self.mix = Mix(PLACE, PLACE)
        self.look = Mix(PLACE, MAPS)
        rows, columns = height // self.fold, width // self.fold
        v, u = torch.meshgrid((torch.arange(rows) + 0.5) / rows, (torch.arange(columns) + 0.5) / columns, indexing="ij")
        self.register_buffer("grid", torch.stack([u.flatten(), v.flatten()], dim=1), persistent=False)

    def forward(self, look: Tensor, sought: Tensor) -> tuple[Tensor, Tensor]:
        """``(B, 4, h, w)`` in [-1, 1], ``(B, S)`` to the object's map ``(B, P)`` and what is seen ``(B, F)``."""
        scale1, shift1, scale2, shift2, wide, wide_shift = self.seek(sought)[:, :, None, None].split(
            [PLACE, PLACE, PLACE, PLACE, WIDE, WIDE], dim=1
        )
        x = torch.relu(self.patch(look) * (1.0 + scale1) + shift1)
        y = torch.relu(self.down(x) * (1.0 + wide) + wide_shift)
        y = torch.relu(y + self.wide(y))
        z = x + nn.functional.interpolate(self.up(y), scale_factor=2.0, mode="nearest")
        z = torch.relu(self.mix(torch.relu(z)) * (1.0 + scale2) + shift2)
        logits = self.look(z).flatten(2)  # (B, M, P)
        weights = torch.softmax(logits, dim=2)
        margin = nn.functional.avg_pool2d(look[:, 3:], self.fold).flatten(2)  # (B, 1, P)
        there = torch.cat([z.flatten(2), margin], dim=1).transpose(1, 2)  # (B, P, F + 1)
        found = torch.bmm(weights, there).flatten(1)
        places = (weights @ self.grid).flatten(1)
        peaks = torch.logsumexp(logits, dim=2) * 0.1
        return logits[:, 0], torch.cat([found, places, peaks, y.mean(dim=(2, 3))], dim=1)


class Network(nn.Module):
    """See the module.

    Args:
        crops: (width, height) of each camera's look.
        spread: mean and spread of the numbers, ``(2, NUMBERS)``.
    """

    spread: Tensor

    def __init__(self, crops: Mapping[str, tuple[int, int]], spread: Tensor) -> None:
        super().__init__()
        self.register_buffer("spread", spread)
        self.sought = nn.Sequential(nn.Linear(NUMBERS, 96), nn.ReLU(), nn.Linear(96, SOUGHT), nn.ReLU())
        self.cameras = nn.ModuleDict({name: Camera(*crop) for name, crop in crops.items()})
        seen = len(crops) * (MAPS * (PLACE + 1 + 2 + 1) + WIDE)
        self.head = nn.Sequential(
            nn.Linear(seen + SOUGHT + NUMBERS, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 4)
        )

    def forward(self, looks: Mapping[str, Tensor], numbers: Tensor) -> Told:
        """From looks ``(B, 4, h, w)`` in [0, 255] by camera and numbers ``(B, NUMBERS)``."""
        known = (numbers - self.spread[0]) / self.spread[1]
        sought = self.sought(known)
        maps, parts = {}, [sought, known]
        for name, camera in self.cameras.items():
            maps[name], seen = camera((looks[name].float() - LEVEL) / LEVEL, sought)
            parts.append(seen)
        out = self.head(torch.cat(parts, dim=1))
        return Told(out[:, 0], torch.sigmoid(out[:, 1]), out[:, 2:4], maps)
