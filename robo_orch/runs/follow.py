# SPDX-License-Identifier: Apache-2.0
"""Following a run's events while they are written, from any process."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from robo_orch.runs.record import RunRecord, event_of
from robo_orch.runs.schema import Event

#: How often the file is looked at, s (chosen).
POLL = 0.1


def follow(run_dir: Path) -> Iterator[Event]:
    """Every event of a run from the first on, until the run has ended or its process is gone.

    Raises:
        RunError: no run folder, or a line that is no event.
    """
    record = RunRecord.open(run_dir)
    with record.lines("events.jsonl") as file:
        rest, number = b"", 0
        while True:
            gone = _writer_is_gone(file)
            *lines, rest = (rest + file.read()).split(b"\n")
            for line in lines:
                number += 1
                event = event_of(line, number)
                yield event
                if event.type == "run_ended":
                    return
            if gone:
                return
            time.sleep(POLL)


def _writer_is_gone(file: IO[bytes]) -> bool:
    """Whether nobody holds the lock that a run keeps on its events while it lives."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(file, fcntl.LOCK_UN)
    return True
