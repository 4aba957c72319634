# SPDX-License-Identifier: Apache-2.0
"""Reading a run folder, also one whose run was killed in the middle of a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import msgspec

from robo_orch.errors import RunError
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
        for line in self._lines("events.jsonl", dict[str, Any]):
            yield Event.of_line(line)

    def ticks(self) -> Iterator[Tick]:
        """The ticks in order.

        Raises:
            RunError: a line before the last is no tick.
        """
        return self._lines("trajectory.jsonl", Tick)

    def _lines(self, name: str, kind: Any) -> Iterator[Any]:
        """Whole lines of a JSONL file; what follows the last line break was cut off and is left out."""
        file = self.path / name
        if not file.is_file():
            raise RunError(f"a run folder with {name}", str(self.path), _REMEDY)
        decoder = msgspec.json.Decoder(kind)
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.endswith(b"\n"):
                    return
                try:
                    yield decoder.decode(line)
                except msgspec.DecodeError as error:
                    raise RunError(f"{name} as it was written", f"line {number}: {error}", _REMEDY) from error
