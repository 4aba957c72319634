# SPDX-License-Identifier: Apache-2.0
"""The policy's network: two pictures, the robot's own numbers, words and committed actions to a chunk of actions.

::

    for each camera: features of every place in the picture        (they do not depend on the words)
        the words say what counts in them: two maps tell where object and goal are, further ones where else to look
        each map gives a place in the picture, the features there, and the place on the table behind it
    from those places, features, numbers and words: the ways to object and goal (trained on the truth as a by-task)
    from all of that and the committed actions: the chunk, and how much of the errand is done

The maps of object and goal are trained on where those really appear. A network of this size does not find them from
actions alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

#: Components of the robot's numbers, of the ways that are told; actions in a chunk, components of one.
STATE, WAYS, CHUNK, ACTION = 18, 10, 10, 7
#: Maps that a camera has: object, goal, and others that are free.
MAPS = 6
#: Height (m) at which rays end: half an object; the least downward part of a ray; farthest place, m (chosen).
LEVEL, STEEP, REACH = 0.04, 0.2, 1.2
#: What those ways are divided by, m.
NEARBY = 0.2
#: By how much maps are sharpened before a place is read off: what little lies everywhere else must not pull it away.
SHARP = 2.0


@dataclass(frozen=True, slots=True)
class Sizes:
    """Widths: features of a place, of a place under the words, of the words' summary, of the hidden layers."""

    place: int = 48
    asked: int = 64
    words: int = 96
    hidden: int = 320


class Mix(nn.Linear):
    """A linear map of the features of each place: a 1 x 1 convolution, for which torch has no fast way on a CPU."""

    def forward(self, input: Tensor) -> Tensor:
        """``(B, F, h, w)`` to ``(B, G, h, w)``."""
        return super().forward(input.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Trunk(nn.Module):
    """Features of every place in a picture, at a quarter of its size."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.patch = Mix(48, width)
        self.near = nn.Conv2d(width, width, 3, 1, 1)
        self.down = nn.Conv2d(width, 64, 3, 2, 1)
        self.wide = nn.Conv2d(64, 64, 3, 1, 1)
        self.up = Mix(64, width)
        self.mix = Mix(width, width)

    def forward(self, image: Tensor) -> Tensor:
        """``(B, 3, h, w)`` in [-1, 1] to ``(B, F, h / 4, w / 4)``."""
        x = torch.relu(self.patch(nn.functional.pixel_unshuffle(image, 4)))
        x = torch.relu(self.near(x))
        y = torch.relu(self.down(x))
        y = torch.relu(y + self.wide(y))
        y = nn.functional.interpolate(self.up(y), scale_factor=2.0, mode="nearest")
        return torch.relu(self.mix(torch.relu(x + y)))


class Whitened(nn.Module):
    """Texts told by what they differ in, every such direction as long as any other.

    Args:
        mean: of texts ``(384,)``; ``axes`` ``(384, D)``: from the difference to it to numbers of spread 1.
    """

    mean: Tensor
    axes: Tensor

    def __init__(self, mean: Tensor, axes: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("axes", axes)

    def forward(self, text: Tensor) -> Tensor:
        """``(…, 384)`` to ``(…, D)``."""
        return (text - self.mean) @ self.axes


class Look(nn.Module):
    """What the words look for in one camera's features.

    The words scale and shift the features of every place (FiLM: Perez et al., "FiLM: Visual reasoning with a general
    conditioning layer", AAAI 2018), so that colour and kind must fit together before a map sees something there.
    """

    grid: Tensor

    def __init__(self, sizes: Sizes, rows: int, columns: int) -> None:
        super().__init__()
        self.key = Mix(sizes.place, sizes.asked)
        self.film = nn.Linear(sizes.words, 2 * sizes.asked)
        self.maps = nn.Linear(sizes.asked, MAPS)
        v, u = torch.meshgrid((torch.arange(rows) + 0.5) / rows, (torch.arange(columns) + 0.5) / columns, indexing="ij")
        self.register_buffer("grid", torch.stack([u.flatten(), v.flatten()], dim=1), persistent=False)
        self.bias = nn.Parameter(torch.zeros(MAPS, rows * columns))

    def forward(self, features: Tensor, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of the maps ``(B, K, M, P)``, their places ``(B, K, M, 2)`` in [0, 1], what is there ``(B, K, 2F+M)``.

        ``features`` ``(B, F, h, w)``, ``words`` ``(B, K, W)``.
        """
        keys = self.key(features).flatten(2).transpose(1, 2)[:, None]  # (B, 1, P, H)
        scale, shift = self.film(words)[:, :, None].chunk(2, dim=3)
        logits = self.maps(torch.relu(keys * (1.0 + scale) + shift)).transpose(2, 3) + self.bias
        weights = torch.softmax(SHARP * logits, dim=3)
        values = features.flatten(2).transpose(1, 2)  # (B, P, F)
        there = torch.bmm(weights[:, :, :2].flatten(1, 2), values).view(words.shape[0], words.shape[1], -1)
        peaks = torch.logsumexp(logits, dim=3) * 0.1
        return logits, weights @ self.grid, torch.cat([there, peaks], dim=2)


@dataclass(frozen=True, slots=True, eq=False)
class Eye:
    """How a camera looks: ``origin`` ``(3,)`` m and ``rays`` ``(3, 3)``, see :meth:`lens.Lens.rays`.

    Both in the tool's frame if it is ``carried``, else in the base's; ``window`` (width, height), multiples of 8.
    """

    window: tuple[int, int]
    origin: Tensor
    rays: Tensor
    carried: bool


class Ground(nn.Module):
    """The places on the table that lie behind places in one camera's picture."""

    origin: Tensor
    rays: Tensor

    def __init__(self, eye: Eye) -> None:
        super().__init__()
        self.carried = eye.carried
        self.register_buffer("origin", eye.origin)
        self.register_buffer("rays", eye.rays)

    def forward(self, places: Tensor, state: Tensor) -> Tensor:
        """The ways from the tool there, ``(B, K, M, 2)`` m in base axes, of ``places`` ``(B, K, M, 2)`` in [0, 1]."""
        ahead = torch.cat([places, torch.ones_like(places[..., :1])], dim=3) @ self.rays.T
        tool = state[:, :3]
        origin = self.origin.expand_as(tool)
        if self.carried:
            x, y = state[:, 3:6], state[:, 6:9]
            z = x[:, [1, 2, 0]] * y[:, [2, 0, 1]] - x[:, [2, 0, 1]] * y[:, [1, 2, 0]]
            turn = torch.stack([x, y, z], dim=1)  # rows: the tool's axes
            ahead = (ahead.flatten(1, 2) @ turn).view_as(ahead)
            origin = tool + (origin[:, None] @ turn)[:, 0]
        far = (origin[:, 2] - LEVEL)[:, None, None, None] / (-ahead[..., 2:]).clamp(min=STEEP)
        behind = origin[:, None, None, :2] + far * ahead[..., :2]
        return (behind - tool[:, None, None, :2]).clamp(-REACH, REACH)


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What the network says of B pictures and K instructions each.

    ``chunk`` ``(B, K, T, 7)``, ``done`` logits ``(B, K)``, ``ways`` ``(B, K, 10)``, ``maps`` ``(B, K, M, P)`` a camera.
    """

    chunk: Tensor
    done: Tensor
    ways: Tensor
    maps: Sequence[Tensor]


class Network(nn.Module):
    """See the module.

    Args:
        eyes: how each camera looks.
        text: what texts are whitened with, ``(384,)`` and ``(384, D)``, see :class:`Whitened`.
        spread: numbers the state is normalised with, ``(2, 18)``: mean and spread.
        scale: of the ways, ``(10,)``, and of a row ``(7,)``: what the network says times these is in m and rad.
    """

    spread: Tensor
    way_scale: Tensor
    row_scale: Tensor

    def __init__(
        self,
        eyes: Sequence[Eye],
        text: tuple[Tensor, Tensor],
        spread: Tensor,
        ways: Tensor,
        rows: Tensor,
        sizes: Sizes = Sizes(),
    ) -> None:
        super().__init__()
        self.register_buffer("spread", spread)
        self.register_buffer("way_scale", ways)
        self.register_buffer("row_scale", rows)
        read = nn.Linear(text[1].shape[1], 128), nn.ReLU(), nn.Linear(128, sizes.words)
        self.words = nn.Sequential(Whitened(*text), *read)
        self.trunks = nn.ModuleList(Trunk(sizes.place) for _ in eyes)
        self.looks = nn.ModuleList(Look(sizes, eye.window[1] // 4, eye.window[0] // 4) for eye in eyes)
        self.grounds = nn.ModuleList(Ground(eye) for eye in eyes)
        seen = len(eyes) * (2 * MAPS + 2 * sizes.place + MAPS)
        found = len(eyes) * 2 * MAPS
        self.see = nn.Sequential(nn.Linear(seen + STATE + sizes.words + found, sizes.hidden), nn.ReLU())
        self.ways = nn.Sequential(nn.Linear(sizes.hidden + found, 128), nn.ReLU(), nn.Linear(128, WAYS))
        self.straight = _straight(found, ways)
        ahead = sizes.hidden + WAYS + STATE + CHUNK * (ACTION + 1)
        self.head = nn.Sequential(
            nn.Linear(ahead, sizes.hidden),
            nn.ReLU(),
            nn.Linear(sizes.hidden, sizes.hidden),
            nn.ReLU(),
            nn.Linear(sizes.hidden, CHUNK * ACTION + 1),
        )

    def features(self, images: Sequence[Tensor]) -> list[Tensor]:
        """Each camera's features; ``images`` uint8 ``(B, 3, h, w)``."""
        return [trunk(image.float() * (2.0 / 255.0) - 1.0) for trunk, image in zip(self.trunks, images, strict=True)]

    def decide(self, features: Sequence[Tensor], state: Tensor, text: Tensor, prefix: Tensor, length: Tensor) -> Told:
        """From features ``(B, F, h, w)`` a camera, state ``(B, 18)`` and, of each instruction, text ``(B, K, 384)``,
        prefix ``(B, K, T, 7)`` and its length ``(B, K)``.
        """
        words = self.words(text)
        looks = [look(f, words) for look, f in zip(self.looks, features, strict=True)]
        numbers = ((state - self.spread[0]) / self.spread[1])[:, None].expand(-1, text.shape[1], -1)
        seen = [part for _, places, there in looks for part in (places.flatten(2) * 2.0 - 1.0, there)]
        parts = [g(p, state).flatten(2) for g, (_, p, _) in zip(self.grounds, looks, strict=True)]
        found = torch.cat(parts, dim=2) / NEARBY
        hidden = self.see(torch.cat([*seen, numbers, words, found], dim=2))
        ways = self.straight(found) + self.ways(torch.cat([hidden, found], dim=2))
        counts = torch.arange(CHUNK, device=length.device)[None, None] < length[..., None]  # (B, K, T)
        given = (prefix / self.row_scale) * counts[..., None]
        past = torch.cat([given, counts[..., None].to(given.dtype)], dim=3).flatten(2)
        out = self.head(torch.cat([hidden, ways, numbers, past], dim=2))
        chunk = out[..., :-1].unflatten(2, (CHUNK, ACTION))
        return Told(chunk, out[..., -1], ways, [maps for maps, _, _ in looks])


def _straight(found: int, scale: Tensor) -> nn.Linear:
    """From places on the table to ways; at first those of object and goal as the first camera sees them."""
    layer = nn.Linear(found, WAYS)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    with torch.no_grad():
        for way, place in ((0, 0), (1, 1), (3, 2), (4, 3)):
            layer.weight[way, place] = NEARBY / scale[way]
    return layer
