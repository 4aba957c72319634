# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, or what else asks a process to end, ends a run between two ticks: the record holds all that happened."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Self

#: What asks a run to end.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Shield:
    """A context that is entered in every tick, hence no generator."""

    up = False

    def __enter__(self) -> None:
        self.up = True

    def __exit__(self, *_: object) -> None:
        self.up = False


class Interrupts:
    """Turns SIGINT, SIGTERM and SIGHUP into ``KeyboardInterrupt``, named after the signal, where it does no harm.

    Before :meth:`defer` it is raised at once. After it, the first one is raised by the next :meth:`check` and a second
    one at once, though never inside :meth:`shield`. Outside the main thread signals are left alone.
    """

    def __init__(self, notify: Callable[[str], None]) -> None:
        self._notify = notify
        self._deferring = self._requested = False
        self._shield = _Shield()
        self._signal = signal.SIGINT
        self._previous: dict[signal.Signals, signal.Handlers | Callable | int | None] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            # nohup's choice stands. A shell's for its background jobs does not: who sends one SIGINT means it.
            deaf = {number for number in SIGNALS if signal.getsignal(number) is signal.SIG_IGN} - {signal.SIGINT}
            self._previous = {
                number: signal.signal(number, self._on_signal) for number in SIGNALS if number not in deaf
            }
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def defer(self) -> None:
        """From now on wait for :meth:`check`."""
        self._deferring = True

    def check(self) -> None:
        """Raise ``KeyboardInterrupt`` if one was asked for since the last check."""
        if self._requested:
            self._requested = False
            raise KeyboardInterrupt(self._named)

    @property
    def _named(self) -> str:
        return "Ctrl-C" if self._signal is signal.SIGINT else self._signal.name

    def shield(self) -> _Shield:
        """Nothing is raised within; what was asked for is raised by the next check."""
        return self._shield

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        again, self._requested, self._signal = self._requested, True, signal.Signals(signum)
        if self._shield.up or (self._deferring and not again):
            self._notify(f"stopping; {self._named} again stops without waiting for the tick to end")
            return
        self._requested = False
        raise KeyboardInterrupt(self._named)
