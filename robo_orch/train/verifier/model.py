# SPDX-License-Identifier: Apache-2.0
"""The classifier's network: parts of pictures with margins, and numbers, to whether a subgoal is done.

::

    for each camera, without anything learned (:func:`summary`):
        how like the object's colours and the target's every pixel is
        of each of these: how much, where it is, at which margin, how far spread
        a small picture of all that: likeness, colours, margin, and where within each place the object's colours are
    the numbers say what to look for
    for each camera: features of every place of the small picture, changed by what is looked for
        learned maps of where to look, of which one is trained on where the object really appears
    from all of that: done, progress, and by how much the object misses (which only training asks for)

What is not learned need not be: with it a thousand situations are enough.
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
#: Places of the small picture across and down.
PLACES = 12
#: Maps of likeness of which statistics are taken: three colours, and the object's two together.
KINDS = len(COLOURS) + 1
#: Channels of the small picture; statistics of one camera.
CHANNELS, STATISTICS = 4 + KINDS + 4, 7 * KINDS
#: Learned maps a camera has; features of a place, wide features, what is sought, hidden.
MAPS, PLACE, WIDE, SOUGHT, HIDDEN = 3, 32, 48, 48, 160


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

    def __init__(self) -> None:
        super().__init__()
        self.near = nn.Conv2d(CHANNELS, PLACE, 3, 1, 1)
        self.down = nn.Conv2d(PLACE, WIDE, 3, 2, 1)
        self.wide = nn.Conv2d(WIDE, WIDE, 3, 1, 1)
        self.up = Mix(WIDE, PLACE)
        self.seek = nn.Linear(SOUGHT, 4 * PLACE)
        self.mix = Mix(PLACE, PLACE)
        self.look = Mix(PLACE, MAPS)
        self.register_buffer("grid", _grid(PLACES), persistent=False)

    def forward(self, small: Tensor, sought: Tensor) -> tuple[Tensor, Tensor]:
        """``(B, C, h, w)``, ``(B, S)`` to the object's map ``(B, P)`` and what is seen ``(B, F)``."""
        scale1, shift1, scale2, shift2 = self.seek(sought)[:, :, None, None].chunk(4, dim=1)
        x = torch.relu(self.near(small) * (1.0 + scale1) + shift1)
        y = torch.relu(self.down(x))
        y = torch.relu(y + self.wide(y))
        z = x + nn.functional.interpolate(self.up(y), scale_factor=2.0, mode="nearest")
        z = torch.relu(self.mix(torch.relu(z)) * (1.0 + scale2) + shift2)
        logits = self.look(z).flatten(2)  # (B, M, P)
        weights = torch.softmax(logits, dim=2)
        there = torch.cat([z.flatten(2), small[:, 3:4].flatten(2)], dim=1).transpose(1, 2)  # (B, P, F + 1)
        found = torch.bmm(weights, there).flatten(1)
        places = (weights @ self.grid).flatten(1)
        peaks = torch.logsumexp(logits, dim=2) * 0.1
        return logits[:, 0], torch.cat([found, places, peaks, y.mean(dim=(2, 3))], dim=1)


class Network(nn.Module):
    """See the module.

    Args:
        cameras: their names.
        spread: mean and spread of the numbers, ``(2, NUMBERS)``; ``scales`` of each camera's statistics, ``(c, 2, S)``.
    """

    spread: Tensor
    scales: Tensor

    def __init__(self, cameras: list[str], spread: Tensor, scales: Tensor) -> None:
        super().__init__()
        self.register_buffer("spread", spread)
        self.register_buffer("scales", scales)
        self.sought = nn.Sequential(nn.Linear(NUMBERS, 96), nn.ReLU(), nn.Linear(96, SOUGHT), nn.ReLU())
        self.cameras = nn.ModuleDict({name: Camera() for name in cameras})
        seen = len(cameras) * (MAPS * (PLACE + 1 + 2 + 1) + WIDE + STATISTICS)
        self.head = nn.Sequential(
            nn.Linear(seen + SOUGHT + NUMBERS, HIDDEN),
            nn.ReLU(),
            nn.Linear(HIDDEN, HIDDEN),
            nn.ReLU(),
            nn.Linear(HIDDEN, 4),
        )

    def forward(self, looks: Mapping[str, Tensor], numbers: Tensor) -> Told:
        """From looks ``(B, 4, h, w)`` in [0, 255] by camera and numbers ``(B, NUMBERS)``."""
        return self.decide({name: summary(looks[name], numbers) for name in self.cameras}, numbers)

    def decide(self, seen: Mapping[str, tuple[Tensor, Tensor]], numbers: Tensor) -> Told:
        """The same from each camera's :func:`summary`."""
        known = (numbers - self.spread[0]) / self.spread[1]
        sought = self.sought(known)
        maps, parts = {}, [sought, known]
        for (name, camera), (mean, spread) in zip(self.cameras.items(), self.scales, strict=True):
            small, statistics = seen[name]
            maps[name], found = camera(small, sought)
            parts += [found, (statistics - mean) / spread]
        out = self.head(torch.cat(parts, dim=1))
        return Told(out[:, 0], torch.sigmoid(out[:, 1]), out[:, 2:4], maps)


def summary(look: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor]:
    """A small picture ``(B, CHANNELS, 12, 12)`` and statistics ``(B, STATISTICS)`` of looks ``(B, 4, h, w)``."""
    look = (look.float() - LEVEL) / LEVEL
    image, margin = look[:, :3] * 0.5 + 0.5, look[:, 3:]
    alike = likeness(image, torch.stack([numbers[:, i : i + 3] for i in COLOURS], dim=1))
    alike = torch.cat([alike, torch.maximum(alike[:, :1], alike[:, 1:2])], dim=1)  # (B, KINDS, h, w)
    both = alike[:, -1:]
    side = look.shape[-1]
    within = (torch.arange(side) % (side // PLACES) + 0.5) / (side // PLACES) - 0.5
    moments = [both * within, both * within[:, None], both * margin, margin.abs()]
    small = nn.functional.avg_pool2d(torch.cat([look, alike, *moments], dim=1), side // PLACES)
    weights = (alike**2).flatten(2)  # (B, KINDS, P)
    mass = weights.sum(dim=2, keepdim=True)
    weights = weights / (mass + 1.0)
    grid = _grid(side)
    values = torch.cat([margin.flatten(2).transpose(1, 2), grid.expand(look.shape[0], -1, -1)], dim=2)  # (B, P, 3)
    mean = weights @ values
    apart = (weights @ values**2 - mean**2).clamp(min=1e-6).sqrt()
    shares = torch.log1p(mass)[..., 0]
    return small, torch.cat([shares, mean.flatten(1), apart.flatten(1)], dim=1)


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


def _grid(side: int) -> Tensor:
    """Columns and rows of the places of a square picture as shares, ``(P, 2)``."""
    v, u = torch.meshgrid((torch.arange(side) + 0.5) / side, (torch.arange(side) + 0.5) / side, indexing="ij")
    return torch.stack([u.flatten(), v.flatten()], dim=1)
