# SPDX-License-Identifier: Apache-2.0
"""Frames in memory, as batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

#: How much brightness and contrast vary from picture to picture (chosen).
BRIGHT, CONTRAST = 18.0, 0.12
#: Share of samples with committed actions, and how many of them at most (chosen: as long as an answer may take).
COMMITTED, MOST = 0.35, 6
#: Where a hand is that has the last of its way before it: so far (m) from what it goes to, where it must be exact and
#: pictures change most; and how many times as often as other moments they are drawn (chosen: others are many).
LAST, OFTEN = (0.01, 0.16), 2.0
#: Axes of texts that are shorter than this share of the longest are left out: there is nothing but rounding in them.
LEAST_LENGTH = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """B frames of K instructions each.

    ``images``: uint8 ``(B, 3, h, w)`` a camera; ``state`` ``(B, 18)``; the rest ``(B, K, …)`` as in a shard, text
    embedded.
    """

    images: tuple[Tensor, ...]
    state: Tensor
    text: Tensor
    chunk: Tensor
    points: Tensor
    where: Tensor
    done: Tensor


class Frames:
    """All frames of a folder's shards.

    Args:
        embed: makes an embedding ``(384,)`` of a text; each text is embedded once and kept in the folder.
    """

    def __init__(self, folder: Path, cameras: tuple[str, ...], embed: Callable[[str], NDArray[np.float32]]) -> None:
        self._folder, self._cameras, self._embed = folder, cameras, embed
        self._known: set[str] = set()
        self._shards: list[dict[str, NDArray]] = []
        self._index: dict[str, int] = {}
        self._table: list[NDArray[np.float32]] = []
        self._load_texts()

    def __len__(self) -> int:
        return sum(len(s["state"]) for s in self._shards)

    def refresh(self) -> int:
        """Read shards that are new; how many there are."""
        fresh = [p for p in sorted(self._folder.glob("frames-*.npz")) if p.name not in self._known]
        fresh = [p for p in fresh if not p.name.endswith(".part.npz")]
        for path in fresh:
            self._known.add(path.name)
            with np.load(path) as read:
                shard = {name: read[name] for name in read.files}
            shard["last"] = _last(shard["where"][:, 0])
            shard["text"] = np.vectorize(self._number, otypes=[np.int32])(shard["text"])
            self._shards.append(shard)
        if fresh:
            np.savez(self._folder / "texts.npz", texts=np.array(list(self._index)), table=np.array(self._table))
        return len(fresh)

    def batch(self, size: int, rng: np.random.Generator, shards: slice = slice(None), often: float = OFTEN) -> Batch:
        """Frames drawn at random, those on the last of a way more often."""
        chosen = self._shards[shards]
        ends = np.cumsum(np.concatenate([np.where(s["last"], often, 1.0) for s in chosen]))
        picks = np.searchsorted(ends, rng.random(size) * ends[-1], side="right")
        lengths = np.cumsum([len(s["state"]) for s in chosen])
        which = np.searchsorted(lengths, picks, side="right")
        rows = picks - np.concatenate([[0], lengths])[which]
        return self._gather([(chosen[w], int(r)) for w, r in zip(which, rows, strict=True)])

    def states(self) -> NDArray[np.float32]:
        """All states ``(n, 18)``."""
        return np.concatenate([s["state"] for s in self._shards])

    def directions(self, most: int) -> tuple[Tensor, Tensor]:
        """What whitens the texts: their mean ``(384,)`` and, of ``most`` principal axes, ``(384, D)``."""
        table = np.array(self._table)
        mean = table.mean(axis=0)
        _, lengths, axes = np.linalg.svd(table - mean, full_matrices=False)
        lengths = lengths[lengths > LEAST_LENGTH * lengths[0]][:most]
        scale = np.sqrt(len(table)) / lengths
        return torch.from_numpy(mean), torch.from_numpy((axes[: len(scale)].T * scale).astype(np.float32))

    def _gather(self, picks: list[tuple[dict[str, NDArray], int]]) -> Batch:
        def stack(name: str) -> Tensor:
            return torch.from_numpy(np.stack([shard[name][row] for shard, row in picks]))

        images = tuple(stack(f"image_{camera}").permute(0, 3, 1, 2) for camera in self._cameras)
        table = np.array(self._table)
        text = torch.from_numpy(table[np.stack([shard["text"][row] for shard, row in picks])])
        return Batch(images, stack("state"), text, stack("chunk"), stack("points"), stack("where"), stack("done"))

    def _number(self, text: str) -> int:
        if text not in self._index:
            self._index[text] = len(self._table)
            self._table.append(self._embed(text))
        return self._index[text]

    def _load_texts(self) -> None:
        path = self._folder / "texts.npz"
        if path.is_file():
            with np.load(path) as read:
                self._index = {str(text): i for i, text in enumerate(read["texts"])}
                self._table = list(read["table"])


def _last(where: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether a hand is on the last of its way, by :func:`frames.where` ``(n, 10)``."""
    after = (where[:, 8] > 0.5) | (where[:, 9] > 0.5)
    way = np.where(after[:, None], where[:, 3:6], where[:, :3])
    distance = np.linalg.norm(way, axis=1)
    return (distance > LAST[0]) & (distance < LAST[1])


def varied(image: Tensor, generator: torch.Generator) -> Tensor:
    """Pictures ``(B, 3, h, w)`` under another light, as float in 0 to 255."""
    draw = torch.randn(len(image), 2, generator=generator)
    contrast = 1.0 + CONTRAST * draw[:, :1, None, None]
    bright = BRIGHT * draw[:, 1:, None, None]
    return ((image.float() - 127.5) * contrast + 127.5 + bright).clamp(0.0, 255.0)


def committed(chunk: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Prefixes ``(n, T, 7)`` and lengths ``(n,)``: of some samples the first actions, as they will be executed."""
    n = len(chunk)
    lengths = torch.randint(1, MOST + 1, (n,), generator=generator)
    lengths = lengths * (torch.rand(n, generator=generator) < COMMITTED)
    noise = torch.tensor([0.003] * 3 + [0.01] * 3 + [0.0])
    told = chunk + noise * torch.randn(chunk.shape, generator=generator)
    keep = torch.arange(chunk.shape[1])[None] < lengths[:, None]
    return told * keep[:, :, None], lengths
