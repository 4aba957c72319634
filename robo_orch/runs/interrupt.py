# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C that ends a run between two ticks, so that the record holds exactly what the world went through."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Self


class _Shield:
    """A context that is entered in every tick, hence no generator."""

    up = False

    def __enter__(self) -> None:
        self.up = True

    def __exit__(self, *_: object) -> None:
        self.up = False


class Interrupts:
    """Turns SIGINT into ``KeyboardInterrupt`` where it does no harm.

    Before :meth:`defer` it is raised at once. After it, the first one is raised by the next :meth:`check` and a second
    one at once, though never inside :meth:`shield`. Outside the main thread signals are left alone.
    """

    def __init__(self, notify: Callable[[str], None]) -> None:
        self._notify = notify
        self._deferring = self._requested = False
        self._shield = _Shield()
        self._previous: signal.Handlers | Callable | int | None = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def defer(self) -> None:
        """From now on wait for :meth:`check`."""
        self._deferring = True

    def check(self) -> None:
        """Raise ``KeyboardInterrupt`` if one was asked for since the last check."""
        if self._requested:
            self._requested = False
            raise KeyboardInterrupt

    def shield(self) -> _Shield:
        """Nothing is raised within; what was asked for is raised by the next check."""
        return self._shield

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        again, self._requested = self._requested, True
        if self._shield.up or (self._deferring and not again):
            self._notify("stopping; Ctrl-C again stops without waiting for the tick to end")
            return
        self._requested = False
        raise KeyboardInterrupt
