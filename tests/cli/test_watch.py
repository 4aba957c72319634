# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import threading

import pytest

from robo_orch.cli import main
from robo_orch.runs import provenance
from robo_orch.runs.config import RunConfig
from robo_orch.runs.folder import RunFolder
from robo_orch.runs.follow import follow
from tests.runs.stories import events, with_a_retry, written


def test_a_finished_run_is_told_event_by_event(tmp_path, capsys):
    assert main(["watch", str(written(tmp_path / "run")), "--jsonl"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["seq"] for line in lines] == list(range(len(with_a_retry()) + 2))
    assert {"seq", "t", "wall", "type"} <= lines[0].keys()


@pytest.mark.parametrize("line", [b"garbage", b"\xff\xfe", b"[1, 2]", b'{"seq": 0}'])
def test_a_line_that_is_no_event_is_told_with_its_number(tmp_path, capsys, line):
    run = written(tmp_path / "run")
    whole = (run / "events.jsonl").read_bytes().splitlines()
    (run / "events.jsonl").write_bytes(b"\n".join([*whole[:2], line, *whole[2:], b""]))
    assert main(["watch", str(run)]) == 2
    assert "line 3" in capsys.readouterr().err


def test_a_run_without_events_is_refused(tmp_path, capsys):
    (written(tmp_path / "run") / "events.jsonl").unlink()
    assert main(["watch", str(tmp_path / "run")]) == 2
    assert "events.jsonl" in capsys.readouterr().err


def test_without_jsonl_it_reads_as_text(tmp_path, capsys):
    assert main(["watch", str(written(tmp_path / "run"))]) == 0
    out = capsys.readouterr().out
    assert "step 2: stack the green cube on the blue cube (attempt 2)" in out
    assert "recovery: retry" in out


def test_events_come_while_the_run_lives_and_the_watcher_ends_with_it(tmp_path):
    folder = RunFolder.create(tmp_path / "run", "goal")
    folder.config(provenance.describe(RunConfig("goal")))
    seen, first = [], threading.Event()

    def watch():
        for event in follow(tmp_path / "run"):
            seen.append(event.type)
            first.set()

    watcher = threading.Thread(target=watch)
    folder.event("run_started", 0.0, {"goal": "goal"})
    watcher.start()
    assert first.wait(20)
    for event in events(with_a_retry())[1:]:
        folder.event(event.type, event.t, event.data)
    folder.event("run_ended", 9.0, {"success": True})
    watcher.join(20)
    assert not watcher.is_alive()
    assert seen == [kind for kind, _, _ in with_a_retry()] + ["run_ended"]


def test_the_watcher_of_a_killed_run_ends(tmp_path):
    run = written(tmp_path / "run")  # its writer is gone, and it has no run_ended
    assert len(list(follow(run))) == len(with_a_retry()) + 2
