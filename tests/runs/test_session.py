# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys

import pytest

from robo_orch.errors import GoalError
from robo_orch.runs import session
from robo_orch.runs.camera import Pictures
from robo_orch.runs.config import RunConfig
from robo_orch.runs.folder import RunFolder
from robo_orch.runs.record import RunRecord
from robo_orch.runs.replay import replay
from robo_orch.runs.session import execute, preview

GOAL = "put the red cube on the plate"
KEYS = {
    "success", "done", "progress", "goal", "scene", "sim", "seed", "planner", "subgoals", "handoffs", "failure",
    "sim_seconds", "wall_seconds", "overhead_seconds", "run_dir", "state_hash",
}  # fmt: skip
STEP_KEYS = {"text", "predicate", "skill", "card", "bridge", "verdict", "attempts", "seconds"}
COMMAND = [sys.executable, "-c", "import sys; from robo_orch.cli import main; sys.exit(main())"]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.getcwd(), "OMP_NUM_THREADS": "1"}


def config(out, **changes) -> RunConfig:
    return RunConfig(**{"goal": GOAL, "seed": 1, "pictures": Pictures.NONE, "out": out} | changes)


@pytest.fixture(scope="module")
def reached(tmp_path_factory):
    return execute(config(tmp_path_factory.mktemp("runs") / "reached"))


def test_a_goal_is_reached_and_the_result_has_every_key(reached):
    result = reached.result
    assert (reached.exit_code, result["success"], result["failure"]) == (0, True, None)
    assert result.keys() >= KEYS
    assert all(step.keys() == STEP_KEYS for step in result["subgoals"])
    assert [(step["text"], step["verdict"]) for step in result["subgoals"]] == [(GOAL, "OK")]
    assert 0 < result["overhead_seconds"] <= result["wall_seconds"]


def test_what_is_printed_is_what_the_folder_keeps(reached):
    assert RunRecord.open(reached.folder).result == json.loads(json.dumps(reached.result))
    assert (reached.folder / "report.html").stat().st_size > 1000


def test_every_control_period_is_on_record(reached):
    record = RunRecord.open(reached.folder)
    ticks = list(record.ticks())
    assert len(ticks) == round(reached.result["sim_seconds"] / record.info.period)
    assert {"hold", "tamp/pick-place-v1"} <= {tick.command.source for tick in ticks}


def test_events_tell_the_run_in_order(reached):
    types = [event.type for event in RunRecord.open(reached.folder).events()]
    assert types[:3] == ["run_started", "goal_grounded", "plan_made"]
    assert types[-1] == "run_ended"
    order = [types.index(t) for t in ("routed", "step_started", "policy_ended", "verdict", "step_ended", "referee")]
    assert order == sorted(order)


def test_replay_gives_the_same_states_without_anything_that_decides(reached):
    code = (
        "import sys; from pathlib import Path; from robo_orch.runs.replay import replay;"
        "again = replay(Path(sys.argv[1])); print(again.match, again.state_hash);"
        "print([m for m in sys.modules if m.startswith(('robo_orch.planners', 'robo_orch.policies', 'robo_orch.motion',"
        "'robo_orch.orchestrator', 'robo_orch.execution'))])"
    )
    command = [sys.executable, "-c", code, str(reached.folder)]
    said = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=True).stdout.splitlines()
    assert said == [f"True {reached.result['state_hash']}", "[]"]


def test_a_changed_command_does_not_match(reached, tmp_path):
    for name in ("config.json", "result.json", "events.jsonl"):
        (tmp_path / name).write_bytes((reached.folder / name).read_bytes())
    lines = (reached.folder / "trajectory.jsonl").read_bytes().splitlines(keepends=True)
    tick = json.loads(lines[20])
    tick["command"]["q"][0] += 1e-9
    lines[20] = json.dumps(tick).encode() + b"\n"
    (tmp_path / "trajectory.jsonl").write_bytes(b"".join(lines))
    again = replay(tmp_path)
    assert not again.match
    assert again.because


@pytest.mark.gl
def test_pictures_change_nothing_but_the_folder(reached, tmp_path):
    filmed = execute(config(tmp_path / "filmed", pictures=Pictures.FILM))
    assert filmed.result["state_hash"] == reached.result["state_hash"]
    assert (tmp_path / "filmed" / "video.mp4").stat().st_size > 10_000
    frames = [event for event in RunRecord.open(filmed.folder).events() if event.type == "key_frame"]
    assert len(frames) >= 2
    assert all((filmed.folder / frame.data["file"]).read_bytes()[:4] == b"\x89PNG" for frame in frames)


def test_without_gl_one_line_says_what_to_install_and_nothing_else_changes(reached, tmp_path):  # case C64
    command = [*COMMAND, "run", GOAL, "--seed", "1", "--json", "--out", str(tmp_path / "run")]
    environment = ENVIRONMENT | {"MUJOCO_GL": "disable"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["state_hash"] == reached.result["state_hash"]
    assert len(done.stderr.splitlines()) == 1
    assert "no pictures" in done.stderr


def test_no_network_is_touched(tmp_path, monkeypatch):  # case C42
    def refuse(*args, **kwargs):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert execute(config(tmp_path / "run", seed=2)).result["success"]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_what_asks_a_run_to_end_closes_the_record_and_replay_still_matches(tmp_path, sent):
    out = tmp_path / "run"
    command = [*COMMAND, "run", GOAL, "--realtime", "--seed", "1", "--no-video", "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as run:
        while "step 1:" not in (line := run.stdout.readline()):
            assert line, run.stderr.read()
        run.send_signal(sent)
        _, said = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "Traceback" not in said
    result = RunRecord.open(out).result
    assert result["interrupted"] is True
    assert (result["success"], result["failure"]["code"]) == (False, "INTERRUPTED")
    assert result["failure"]["message"] == f"interrupted by {'Ctrl-C' if sent == signal.SIGINT else 'SIGTERM'}"
    assert [event.type for event in RunRecord.open(out).events()][-1] == "run_ended"
    assert replay(out).match
    assert "Interrupted" in (out / "report.html").read_text()


class Full:
    """A file on a disk that is full after so many lines."""

    def __init__(self, file, lines):
        self.file, self.left = file, lines

    def write(self, line):
        self.left -= 1
        with open("/dev/full", "wb", buffering=0) as full:
            return (self.file if self.left >= 0 else full).write(line)

    def close(self):
        self.file.close()


@pytest.mark.parametrize("name", ["events.jsonl", "trajectory.jsonl"])
def test_a_disk_that_is_full_ends_the_run_and_says_what_to_do(tmp_path, monkeypatch, name):
    real, said = RunFolder._open, []
    monkeypatch.setattr(RunFolder, "_open", lambda self, n: Full(real(self, n), 60) if n == name else real(self, n))
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)  # it wants a real file
    finished = execute(config(tmp_path / "run"), notify=said.append)
    assert finished.exit_code == 3
    assert finished.result["success"] is False
    failure = finished.result["failure"]
    assert (failure["stage"], "No space left on device" in failure["message"]) == ("internal", True)
    assert "--out" in failure["message"]
    assert len(list(RunRecord.open(finished.folder).events())) > 1


def test_nothing_cuts_off_the_closing_of_a_record(tmp_path, monkeypatch):
    real = session.Run._closed

    def hurried(run, *judged):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        return real(run, *judged)

    monkeypatch.setattr(session.Run, "_closed", hurried)
    finished = execute(config(tmp_path / "run", time_limit=0.5))
    assert RunRecord.open(finished.folder).result == json.loads(json.dumps(finished.result))
    assert (finished.folder / "report.html").is_file()


def test_bad_input_before_motion_leaves_no_folder(tmp_path):
    with pytest.raises(GoalError):
        execute(config(tmp_path / "run", goal="put the purple kangaroo on the plate"))
    assert not (tmp_path / "run").exists()


def test_an_internal_error_closes_the_record_and_names_the_folder(tmp_path, monkeypatch):
    from robo_orch import orchestrator

    def explode(self, goal):
        raise ZeroDivisionError("no such luck\nat all")

    monkeypatch.setattr(orchestrator.Orchestrator, "run", explode)
    broken = execute(config(tmp_path / "run"))
    failure = broken.result["failure"]
    assert (broken.exit_code, failure["stage"], failure["code"]) == (3, "internal", "INTERNAL")
    assert str(tmp_path / "run") in failure["message"]
    assert "\n" not in failure["message"]
    assert "explode" in (tmp_path / "run" / "traceback.txt").read_text()
    assert RunRecord.open(tmp_path / "run").result["failure"] == failure


def test_the_time_limit_ends_a_run(tmp_path):
    late = execute(config(tmp_path / "run", time_limit=0.5))
    assert (late.exit_code, late.result["failure"]["code"]) == (1, "TIMEOUT")
    assert late.result["sim_seconds"] < 5.0


def test_a_preview_plans_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    planned = preview(config(None))
    assert planned.exit_code == 0
    assert planned.result["success"] is None
    assert [step["text"] for step in planned.result["subgoals"]] == [GOAL]
    assert list(tmp_path.iterdir()) == []


def test_a_watcher_sees_every_event_as_it_is_written(tmp_path):
    seen = []
    execute(config(tmp_path / "run", time_limit=0.5), watch=seen.append)
    assert seen == list(RunRecord.open(tmp_path / "run").events())
