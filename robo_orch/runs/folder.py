# SPDX-License-Identifier: Apache-2.0
"""Writing a run folder, such that what was written survives whatever ends the process."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Self

import msgspec

from robo_orch.errors import RecordError, RunError
from robo_orch.runs.schema import Event, RunInfo, Tick

#: Where runs go unless told otherwise.
RUNS = Path("runs")
_NAME_LENGTH = 40


class RunFolder:
    """The files of one run while it is being written.

    Events and ticks are handed to the operating system line by line, so that they survive ``kill -9``.
    ``config.json`` and ``result.json`` are replaced in one piece: a reader never sees half of one.
    """

    def __init__(self, path: Path, created: bool) -> None:
        self.path = path
        self._created = created
        self._encoder = msgspec.json.Encoder()
        self._events = self._open("events.jsonl")
        fcntl.flock(self._events, fcntl.LOCK_EX)  # tells followers that the writer lives; falls with the process
        self._trajectory = self._open("trajectory.jsonl")
        self._seq = 0

    @classmethod
    def create(cls, out: Path | None, goal: str, runs: Path = RUNS) -> Self:
        """Make the folder ``out``, or ``runs/<time>-<goal>``, and check that it can be written.

        Raises:
            RunError: it cannot be made or written, or ``out`` holds something already.
        """
        try:
            path, created = (_fresh(runs, goal), True) if out is None else _named(out)
            (path / "frames").mkdir()
            return cls(path.absolute(), created)
        except OSError as error:
            got = f"{out or runs}: {error.strerror or error}"
            raise RunError("a folder for the run that can be written", got, "name another one with --out") from error

    def config(self, info: RunInfo) -> None:
        """Write ``config.json``."""
        self._replace("config.json", info)

    def result(self, result: dict[str, Any]) -> None:
        """Write ``result.json``."""
        self._replace("result.json", result)

    def event(self, kind: str, t: float, data: dict[str, Any]) -> Event:
        """Append an event; returns it as a reader of the file will see it."""
        if clash := data.keys() & {"seq", "t", "wall", "type"}:
            raise ValueError(f"an event's data cannot be named {', '.join(sorted(clash))}")
        event = Event(self._seq, t, time.time(), kind, msgspec.to_builtins(data, str_keys=True))
        self._line(self._events, event.line())
        self._seq += 1
        return event

    def tick(self, tick: Tick) -> None:
        """Append a tick."""
        self._line(self._trajectory, tick)

    def frame(self, name: str, png: bytes) -> str:
        """Keep a key frame; returns its path within the folder."""
        with self._writing():
            (self.path / "frames" / name).write_bytes(png)
        return f"frames/{name}"

    def close(self) -> None:
        """Close the two logs; the folder stays."""
        self._events.close()
        self._trajectory.close()

    def discard(self) -> None:
        """Take the folder away again, as far as it was made here: nothing happened that is worth a record."""
        self.close()
        if self._created:
            shutil.rmtree(self.path, ignore_errors=True)
        else:
            for entry in self.path.iterdir():
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def _open(self, name: str) -> IO[bytes]:
        return (self.path / name).open("wb", buffering=0)  # each line is with the operating system at once

    def _line(self, file: IO[bytes], row: Any) -> None:
        line = self._encoder.encode(row) + b"\n"
        try:
            if file.write(line) < len(line):  # what there was room for
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise self._lost(error) from error

    def _replace(self, name: str, value: Any) -> None:
        text = msgspec.json.format(self._encoder.encode(value), indent=2)
        part = self.path / f".{name}.part"
        with self._writing():
            part.write_bytes(text + b"\n")
            os.replace(part, self.path / name)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._lost(error) from error

    def _lost(self, error: OSError) -> RecordError:
        got, remedy = f"{self.path}: {error.strerror or error}", "make room there, or name another one with --out"
        return RecordError("a folder in which the run can go on being recorded", got, remedy)


def slug(text: str) -> str:
    """``text`` as a short name for a folder: lower-case letters, digits and dashes."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower())[:_NAME_LENGTH]
    return words.strip("-") or "run"


def _fresh(runs: Path, goal: str) -> Path:
    name = f"{datetime.now():%Y%m%d-%H%M%S}-{slug(goal)}"
    runs.mkdir(parents=True, exist_ok=True)
    for suffix in ("", *(f"-{n}" for n in range(2, 1000))):
        path = runs / f"{name}{suffix}"
        try:
            path.mkdir()
        except FileExistsError:
            continue
        return path
    raise RunError(f"a free name in {runs}", name, "name a folder with --out")


def _named(out: Path) -> tuple[Path, bool]:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        got = f"{out}, which {'holds files' if out.is_dir() else 'is a file'}"
        raise RunError("--out naming a new or an empty folder", got, "name another folder, or take that one away")
    created = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    return out, created
