# SPDX-License-Identifier: Apache-2.0
"""A bench's folder: what it is, its rows as they finish, and the results.

=================  ==================================================================================================
``bench.json``     what is measured: resuming it as something else is refused
``given.jsonl``    what each episode is about, where the bench has such
``rows.jsonl``     one finished cell a line, with the operating system and the disk before the next is begun
``rows.parquet``   the same as a table, at the end
``results.json``   the summary and what it was made with, at the end
=================  ==================================================================================================
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Self

from robo_orch.bench.cells import Row
from robo_orch.errors import RunError

#: Where benches write, and where the stored results stand.
RESULTS = Path("results")


class Ledger:
    """The folder of one bench while it runs; ``spec`` is what stands in ``bench.json``."""

    def __init__(self, path: Path, spec: Mapping[str, Any], rows: dict[tuple[str, int], Row], file: IO[bytes]) -> None:
        self.path, self.spec = path, spec
        self._rows, self._file = rows, file

    @classmethod
    def create(cls, out: Path | None, spec: Mapping[str, Any], given: Sequence[Any] | None) -> Self:
        """A new folder: ``out``, or ``results/<bench>-<time>``.

        Raises:
            RunError: it holds something already, or cannot be written.
        """
        path = out or RESULTS / f"{spec['bench']}-{datetime.now():%Y%m%d-%H%M%S}"
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                remedy = f"name another one with --out, or go on with --resume {path}"
                raise RunError("a new or empty folder", f"{path} with files in it", remedy)
            write_json(path / "bench.json", spec)
            _write_given(path, given)
            return cls(path, spec, {}, (path / "rows.jsonl").open("ab"))
        except OSError as error:
            got = f"{path}: {error.strerror or error}"
            raise RunError("a folder for the bench that can be written", got, "name another one with --out") from error

    @classmethod
    def resume(cls, path: Path) -> Self:
        """The folder of a bench that ended early; a last line that was cut off is taken away.

        Raises:
            RunError: there is no bench in it, or it cannot be read or written.
        """
        try:
            spec = json.loads((path / "bench.json").read_text())
            file = (path / "rows.jsonl").open("ab+")
            file.seek(0)
            text = file.read()
            whole = text[: text.rfind(b"\n") + 1]
            file.truncate(len(whole))
            rows = [json.loads(line) for line in whole.splitlines()]
        except (OSError, ValueError) as error:
            remedy = "name a folder that a bench has written"
            raise RunError("a bench's folder after --resume", f"{path}: {error}", remedy) from error
        return cls(path, spec, {(row["arm"], row["episode"]): row for row in rows}, file)

    @property
    def rows(self) -> list[Row]:
        """All rows so far, by episode and then by arm in the bench's order."""
        order = {arm: i for i, arm in enumerate(self.spec["arms"])}
        return sorted(self._rows.values(), key=lambda row: (row["episode"], order[row["arm"]]))

    def given(self) -> list[Any]:
        """What the episodes are about.

        Raises:
            RunError: the file is broken.
        """
        path = self.path / "given.jsonl"
        try:
            return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        except (OSError, ValueError) as error:
            remedy = "name a folder that a bench has written"
            raise RunError("a bench's folder after --resume", f"{path}: {error}", remedy) from error

    def extend(self, spec: Mapping[str, Any], given: Sequence[Any] | None) -> None:
        """Go on as ``spec``, with ``given`` if there are more episodes than before."""
        self.spec = spec
        write_json(self.path / "bench.json", spec)
        _write_given(self.path, given)

    def done(self, arm: str, episode: int) -> bool:
        """Whether a cell need not be done again; one that broke is done again."""
        row = self._rows.get((arm, episode))
        return row is not None and "error" not in row

    def append(self, row: Row) -> None:
        """Keep a row, such that it survives whatever comes."""
        line = json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        self._file.write(line)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._rows[row["arm"], row["episode"]] = row

    def close(self, results: Mapping[str, Any]) -> None:
        """Write the results and the table."""
        self._file.close()
        write_json(self.path / "results.json", results)
        write_table(self.path / "rows.parquet", self.rows)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Replace a JSON file in one piece: a reader never sees half of it."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    os.replace(part, path)


def write_table(path: Path, rows: Sequence[Row]) -> None:
    """Rows as parquet: a column for each key that some row has, nested values as JSON text."""
    import pyarrow
    from pyarrow import parquet

    columns = {key: [_plain(row.get(key)) for row in rows] for row in rows for key in row}
    parquet.write_table(pyarrow.table(columns), path)


def _plain(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _write_given(path: Path, given: Sequence[Any] | None) -> None:
    if given is not None:
        lines = [json.dumps(value, ensure_ascii=False) + "\n" for value in given]
        (path / "given.jsonl").write_text("".join(lines))
