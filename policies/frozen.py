# SPDX-License-Identifier: Apache-2.0
"""Cameras that show the same picture while the arm moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robo_orch.types import Array, Observation

#: A joint that has moved by more than this (rad) since a picture first came shows in every camera that sees the arm or
#: moves with it (chosen: 15 cm at the hand for the first joint).
MOVED = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class _Picture:
    pixels: NDArray[np.uint8]
    q: Array
    stamp: float


class FrozenFrames:
    """Remembers since when each camera's picture has not changed in a single pixel, and where the arm was then."""

    def __init__(self, cameras: Iterable[str]) -> None:
        self._cameras = tuple(cameras)
        self._since: dict[str, _Picture] = {}

    def clear(self) -> None:
        """Forget all pictures."""
        self._since = {}

    def see(self, observation: Observation) -> str:
        """Take in a look; which camera is frozen, in words, empty if none is."""
        state, frozen = observation.state, ""
        for name in self._cameras:
            now, first = observation.images[name], self._since.get(name)
            if first is None or not np.array_equal(first.pixels, now):
                self._since[name] = _Picture(now, state.q, observation.stamp)
            elif float(np.max(np.abs(state.q - first.q))) > MOVED:
                frozen = f"camera {name} shows the same picture since {first.stamp:.2f} s, and the arm has moved"
        return frozen
