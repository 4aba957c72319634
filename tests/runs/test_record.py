# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
import os
import signal
import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.errors import RunError
from robo_orch.runs.record import RunRecord
from robo_orch.runs.schema import Command, Tick
from tests.runs.stories import with_a_retry, written

_WRITER = """
import sys
from pathlib import Path
from robo_orch.runs import provenance
from robo_orch.runs.config import RunConfig
from robo_orch.runs.folder import RunFolder
from tests.runs.stories import tick
folder = RunFolder.create(Path(sys.argv[1]), "goal")
folder.config(provenance.describe(RunConfig("goal")))
n = 0
while True:
    folder.event("chunk", 0.02 * n, {"label": "x" * 200})
    folder.tick(tick(0.02 * n))
    n += 1
    if n == 200:
        print("going", flush=True)
"""


def test_what_was_written_is_read_again(tmp_path):
    record = RunRecord.open(written(tmp_path / "run"))
    assert [event.type for event in record.events()][:-2] == [kind for kind, _, _ in with_a_retry()]
    assert len(list(record.ticks())) == 450
    assert record.result["success"] is True


def test_a_run_survives_kill_9(tmp_path):
    run = tmp_path / "run"
    command = [sys.executable, "-c", _WRITER, str(run)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": os.getcwd()}) as process:
        assert process.stdout.readline() == b"going\n"
        process.send_signal(signal.SIGKILL)
    record = RunRecord.open(run)
    events, ticks = list(record.events()), list(record.ticks())
    assert len(events) >= 200
    assert [event.seq for event in events] == list(range(len(events)))
    assert 0 <= len(events) - len(ticks) <= 1
    assert record.result is None


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_truncated_last_line_is_left_out(tmp_path, cut):
    run = written(tmp_path / "run", ticks=5)
    for name in ("events.jsonl", "trajectory.jsonl"):
        whole = (run / name).read_bytes()
        (run / name).write_bytes(whole[:-cut])
    record = RunRecord.open(run)
    assert len(list(record.ticks())) == 4
    assert len(list(record.events())) == len(with_a_retry()) + 1


def test_a_broken_line_in_the_middle_is_an_error_with_its_number(tmp_path):
    run = written(tmp_path / "run", ticks=3)
    lines = (run / "trajectory.jsonl").read_bytes().splitlines(keepends=True)
    (run / "trajectory.jsonl").write_bytes(lines[0] + b'{"t": \n' + lines[2])
    with pytest.raises(RunError, match="line 2"):
        list(RunRecord.open(run).ticks())


@pytest.mark.parametrize("make", [lambda p: None, lambda p: p.mkdir(), lambda p: p.touch()])
def test_what_is_no_run_folder_is_named(tmp_path, make):
    make(tmp_path / "x")
    with pytest.raises(RunError, match="a run folder"):
        RunRecord.open(tmp_path / "x")


def test_a_newer_schema_is_refused_and_unknown_keys_are_not(tmp_path):
    run = written(tmp_path / "run")
    config = msgspec.json.decode((run / "config.json").read_bytes())
    (run / "config.json").write_bytes(msgspec.json.encode(config | {"something_new": 1}))
    assert RunRecord.open(run).info.goal == "two things"
    (run / "config.json").write_bytes(msgspec.json.encode(config | {"schema": 99}))
    with pytest.raises(RunError, match="update robo_orch"):
        RunRecord.open(run)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9))
def test_floats_come_back_bit_equal(values):
    row = Tick(values[0], Command(values, values, values[-1], "x"), values, values, values[0], values)
    again = msgspec.json.decode(msgspec.json.encode(row), type=Tick)
    pairs = list(zip(again.command.q, values, strict=True))
    assert all(a == b and math.copysign(1, a) == math.copysign(1, b) for a, b in pairs)
