# SPDX-License-Identifier: Apache-2.0
"""The classifier's network: parts of pictures with margins, and numbers, to whether a subgoal is done.

::

    the numbers say what to look for
    for each camera: how like the object's colours and the target's every pixel is
        features of every place, changed by what is looked for
        maps of where to look: where the colours are, and learned ones, of which one is trained on where the object appears
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

#: How far colours of the same thing are apart in shares of red, green and blue and in brightness (chosen: of light).
HUE, LIGHT = 0.06, 0.35
#: Where the object's colours from the side and above and the target's stand among the numbers.
COLOURS = (0, 3, 10)
#: How sharply a map of colour is looked at (chosen).
SHARP = 6.0
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
        self.patch = nn.Conv2d(CHANNELS + len(COLOURS), PLACE, 2 * self.fold, self.fold, self.fold // 2)
        self.down = nn.Conv2d(PLACE, WIDE, 3, 2, 1)
        self.wide = nn.Conv2d(WIDE, WIDE, 3, 1, 1)
        self.up = Mix(WIDE, PLACE)
        self.seek = nn.Linear(SOUGHT, 4 * PLACE + 2 * WIDE)
        self.mix = Mix(PLACE, PLACE)
        self.look = Mix(PLACE, MAPS)
        rows, columns = height // self.fold, width // self.fold
        v, u = torch.meshgrid((torch.arange(rows) + 0.5) / rows, (torch.arange(columns) + 0.5) / columns, indexing="ij")
        self.register_buffer("grid", torch.stack([u.flatten(), v.flatten()], dim=1), persistent=False)

    def forward(self, look: Tensor, colours: Tensor, sought: Tensor) -> tuple[Tensor, Tensor]:
        """To the object's map ``(B, P)`` and what is seen ``(B, F)``.

        Args:
            look: ``(B, 4, h, w)`` in [-1, 1]; ``colours`` ``(B, K, 3)`` in [0, 1]; ``sought`` ``(B, S)``.
        """
        alike = likeness(look[:, :3] * 0.5 + 0.5, colours)
        scale1, shift1, scale2, shift2, wide, wide_shift = self.seek(sought)[:, :, None, None].split(
            [PLACE, PLACE, PLACE, PLACE, WIDE, WIDE], dim=1
        )
        x = torch.relu(self.patch(torch.cat([look, alike], dim=1)) * (1.0 + scale1) + shift1)
        y = torch.relu(self.down(x) * (1.0 + wide) + wide_shift)
        y = torch.relu(y + self.wide(y))
        z = x + nn.functional.interpolate(self.up(y), scale_factor=2.0, mode="nearest")
        z = torch.relu(self.mix(torch.relu(z)) * (1.0 + scale2) + shift2)
        logits = self.look(z).flatten(2)  # (B, M, P)
        plain = nn.functional.avg_pool2d(torch.cat([look[:, 3:], alike], dim=1), self.fold).flatten(2)  # (B, 1 + K, P)
        every = torch.cat([logits, SHARP * plain[:, 1:]], dim=1)
        weights = torch.softmax(every, dim=2)
        there = torch.cat([z.flatten(2), plain[:, :1]], dim=1).transpose(1, 2)  # (B, P, F + 1)
        found = torch.bmm(weights, there).flatten(1)
        places = (weights @ self.grid).flatten(1)
        peaks = torch.logsumexp(every, dim=2) * 0.1
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
        seen = len(crops) * ((MAPS + len(COLOURS)) * (PLACE + 1 + 2 + 1) + WIDE)
        self.head = nn.Sequential(
            nn.Linear(seen + SOUGHT + NUMBERS, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 4)
        )

    def forward(self, looks: Mapping[str, Tensor], numbers: Tensor) -> Told:
        """From looks ``(B, 4, h, w)`` in [0, 255] by camera and numbers ``(B, NUMBERS)``."""
        known = (numbers - self.spread[0]) / self.spread[1]
        sought = self.sought(known)
        colours = torch.stack([numbers[:, i : i + 3] for i in COLOURS], dim=1)
        maps, parts = {}, [sought, known]
        for name, camera in self.cameras.items():
            maps[name], seen = camera((looks[name].float() - LEVEL) / LEVEL, colours, sought)
            parts.append(seen)
        out = self.head(torch.cat(parts, dim=1))
        return Told(out[:, 0], torch.sigmoid(out[:, 1]), out[:, 2:4], maps)


def likeness(image: Tensor, colours: Tensor) -> Tensor:
    """How like some colours ``(B, K, 3)`` each pixel of pictures ``(B, 3, h, w)`` in [0, 1] is, ``(B, K, h, w)``.

    Mostly by the shares of red, green and blue, which light changes less than brightness.
    """
    sums, theirs = image.sum(dim=1, keepdim=True), colours.sum(dim=2, keepdim=True)
    shares, wanted = image / (sums + 0.05), colours / (theirs + 0.05)
    # |a - b|^2 = |a|^2 - 2 a b + |b|^2, which needs no array of (B, K, 3, h, w)
    mixed = torch.bmm(wanted, shares.flatten(2)).unflatten(2, shares.shape[2:])
    apart = (shares**2).sum(dim=1, keepdim=True) - 2.0 * mixed + (wanted**2).sum(dim=2)[:, :, None, None]
    lit = (sums - theirs[..., None]) / 3.0
    return torch.exp(-0.5 * (apart.clamp(min=0.0) / HUE**2 + lit**2 / LIGHT**2))
