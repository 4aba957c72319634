# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io

from robo_orch.bench import progress
from robo_orch.bench.progress import Progress, clock


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_clock_reads_as_people_say_it():
    assert [clock(s) for s in (0, 59.6, 61, 3600, 3725)] == ["0:00", "1:00", "1:01", "1:00:00", "1:02:05"]


def test_what_was_there_before_does_not_count_towards_the_pace(monkeypatch):
    now = iter([0.0, 10.0, 40.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    stream = Terminal()
    bench = Progress("toss", 104, 100, stream)
    bench.step()
    assert stream.getvalue().endswith("toss: 101 of 104, 0:30 left")
    bench.step("broke")
    assert stream.getvalue().endswith("toss: 102 of 104, 0:40 left  broke")


def test_a_log_file_gets_few_lines(monkeypatch):
    stream = io.StringIO()
    bench = Progress("toss", 50, 0, stream)
    for _ in range(50):
        bench.step()
    bench.close()
    assert stream.getvalue().splitlines()[-1].startswith("toss: 50 of 50, took")
    assert len(stream.getvalue().splitlines()) <= 2
