# SPDX-License-Identifier: Apache-2.0
"""Reading a run folder, also one whose run was killed in the middle of a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Self

import msgspec

from robo_orch.errors import RunError
from robo_orch.runs.config import MAX_SEED
from robo_orch.runs.schema import SCHEMA, Event, RunInfo, Tick

_REMEDY = "name a folder that robo-orch run has written"


@dataclass(frozen=True)
class RunRecord:
    """A run folder as it stands on disk; files are read when asked for."""

    path: Path
    info: RunInfo

    @classmethod
    def open(cls, path: Path) -> Self:
        """Find a run folder.

        Raises:
            RunError: there is none at ``path``, or it comes from a newer version.
        """
        file = path / "config.json"
        if not file.is_file():
            got = f"{path}, which {'has no config.json' if path.is_dir() else 'is no folder'}"
            raise RunError("a run folder", got, _REMEDY)
        try:
            info = msgspec.json.decode(file.read_bytes(), type=RunInfo)
        except (msgspec.DecodeError, OSError) as error:
            raise RunError("a run folder with a readable config.json", f"{path}: {error}", _REMEDY) from error
        if info.schema > SCHEMA:
            raise RunError(f"a run folder of schema {SCHEMA} or older", str(info.schema), "update robo_orch")
        if not 0 <= info.seed <= MAX_SEED:
            raise RunError(f"a run with a seed from 0 to {MAX_SEED}", f"{path}: seed {info.seed}", _REMEDY)
        return cls(path.absolute(), info)

    @cached_property
    def result(self) -> dict[str, Any] | None:
        """``result.json``, ``None`` where the run was killed before it could end.

        Raises:
            RunError: the file is broken.
        """
        file = self.path / "result.json"
        if not file.is_file():
            return None
        try:
            return msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise RunError("a run folder with a readable result.json", f"{self.path}: {error}", _REMEDY) from error

    def events(self) -> Iterator[Event]:
        """The events in order.

        Raises:
            RunError: a line before the last is no event.
        """
        with self.lines("events.jsonl") as file:
            for number, line in _whole(file):
                yield event_of(line, number)

    def ticks(self) -> Iterator[Tick]:
        """The ticks in order.

        Raises:
            RunError: a line before the last is no tick.
        """
        decoder = msgspec.json.Decoder(Tick)
        with self.lines("trajectory.jsonl") as file:
            for number, line in _whole(file):
                try:
                    yield decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise _garbled("trajectory.jsonl", number, error) from error

    def lines(self, name: str) -> IO[bytes]:
        """One of the JSONL files, opened.

        Raises:
            RunError: it is not there, or cannot be read.
        """
        try:
            return (self.path / name).open("rb")
        except OSError as error:
            raise RunError(f"a run folder with {name}", f"{self.path}: {error.strerror}", _REMEDY) from error


def event_of(line: bytes, number: int) -> Event:
    """An event from its line, the ``number``-th of its file.

    Raises:
        RunError: it is none.
    """
    try:
        return Event.of_line(msgspec.json.decode(line, type=dict[str, Any]))
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise _garbled("events.jsonl", number, error) from error


def _whole(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Whole lines with their numbers; what follows the last line break was cut off and is left out."""
    return ((number, line) for number, line in enumerate(file, start=1) if line.endswith(b"\n"))


def _garbled(name: str, number: int, error: Exception) -> RunError:
    return RunError(f"{name} as it was written", f"line {number}: {error}", _REMEDY)
