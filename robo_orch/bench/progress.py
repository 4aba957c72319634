# SPDX-License-Identifier: Apache-2.0
"""How far a bench is, for a person: one line that moves on a terminal, a line every quarter minute anywhere else."""

from __future__ import annotations

import time
from typing import TextIO

#: Seconds between two lines where nothing can be overwritten (chosen).
EVERY = 15.0


class Progress:
    """Counts finished cells; ``before`` of them were there already, which tells nothing about the rest."""

    def __init__(self, name: str, total: int, before: int, stream: TextIO) -> None:
        self._name, self._total, self._before, self._stream = name, total, before, stream
        self._begun = self._last = time.monotonic()
        self._done, self._moving = before, stream.isatty()

    def step(self, told: str = "") -> None:
        """One more cell is done; ``told`` is what to say of it."""
        self._done += 1
        now = time.monotonic()
        if self._moving:
            self._stream.write(f"\r\x1b[2K{self._line(now, told)}")
            self._stream.flush()
        elif now - self._last >= EVERY or self._done == self._total:
            self._last = now
            self._stream.write(self._line(now, told) + "\n")
            self._stream.flush()

    def close(self) -> None:
        """Leave the terminal on a fresh line."""
        if self._moving:
            self._stream.write("\n")
            self._stream.flush()

    def _line(self, now: float, told: str) -> str:
        seconds = (now - self._begun) / (self._done - self._before) * (self._total - self._done)
        left = f"{clock(seconds)} left" if self._done < self._total else f"took {clock(now - self._begun)}"
        return f"{self._name}: {self._done} of {self._total}, {left}{'  ' + told if told else ''}"


def clock(seconds: float) -> str:
    """Seconds as ``m:ss`` or ``h:mm:ss``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
