# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import threading

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
