# SPDX-License-Identifier: Apache-2.0
"""Frames with labels, as files of a few hundred each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Instructions that one frame is labelled with, the one it was made for first.
INSTRUCTIONS = 4


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera's picture of ``size`` (width, height) and the window of it that the model looks at: left, top, w, h."""

    camera: str
    size: tuple[int, int]
    window: tuple[int, int, int, int]

    def cut(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The window of a picture ``(H, W, 3)``."""
        left, top, width, height = self.window
        return image[top : top + height, left : left + width]


@dataclass(slots=True, eq=False)
class Shard:
    """Frames being gathered. See :meth:`add` for what each holds."""

    rows: dict[str, list[NDArray]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows.get("state", ()))

    def add(self, frame: Mapping[str, NDArray]) -> None:
        """One frame.

        ``image_<camera>`` uint8 ``(h, w, 3)``; ``state`` ``(18,)``; for each of K instructions: ``text`` ``(K,)``
        strings, ``chunk`` ``(K, T, 7)``, ``points`` ``(K, cameras, 2, 3)``: column and row within the window in
        [0, 1] and 1 where it is seen, of object and goal; ``where`` ``(K, 10)``, see :func:`frames.where`; ``done``.
        """
        for name, value in frame.items():
            self.rows.setdefault(name, []).append(value)

    def save(self, path: Path) -> None:
        """Write all frames, whole or not at all."""
        part = path.with_suffix(".part.npz")
        columns: dict[str, Any] = {name: np.stack(values) for name, values in self.rows.items()}
        np.savez(part, **columns)
        part.rename(path)
