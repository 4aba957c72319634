# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from robo_orch import __version__
from robo_orch.cli import main
from tests.runs.stories import written

COMMAND = [sys.executable, "-c", "import sys; from robo_orch.cli import main; sys.exit(main())"]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.getcwd(), "OMP_NUM_THREADS": "1"}
GOAL = "put the red cube on the plate"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["doctor", "--help"], ["--version"]])
def test_help_answers_without_importing_anything_heavy(arguments):
    code = "import sys; from robo_orch.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.stdout
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert not loaded & {"numpy", "scipy", "mujoco", "msgspec", "jinja2", "yaml", "lark", "rapidfuzz"}


def test_the_version_is_said(capsys):
    assert main(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


BAD = {
    "unknown scene": ["run", GOAL, "--scene", "kichen"],
    "unknown simulator": ["run", GOAL, "--sim", "gazebo"],
    "unknown planner": ["run", GOAL, "--planner", "psychic"],
    "unknown bridge": ["run", GOAL, "--bridge", "declared-strat"],
    "unknown bridge of the demo": ["demo", "--bridge", "home"],
    "unknown card": ["run", GOAL, "--cards", "tamp/pick-plaice-v1"],
    "unknown object": ["run", "put the purple kangaroo on the plate"],
    "unknown perturbation": ["run", GOAL, "--perturb", "gravity=2"],
    "perturbation that is no number": ["run", GOAL, "--perturb", "pose_noise=nan"],
    "empty goal": ["run", ""],
    "blank goal": ["run", "  \n "],
    "contradiction": ["run", "put the red cube on the plate and leave it off the plate"],
    "speed": ["run", GOAL, "--speed", "0"],
    "time limit": ["run", GOAL, "--time-limit", "inf"],
    "seed": ["run", GOAL, "--seed", "-1"],
    "seed that is no number": ["run", GOAL, "--seed", "one"],
    "unknown option": ["run", GOAL, "--sede", "1"],
    "no goal": ["run"],
    "two goals": ["run", GOAL, GOAL],
    "unwritable folder": ["run", GOAL, "--out", "/dev/null/run"],
    "unknown command": ["walk"],
    "bytes that are no text": ["run", "put the \udcff cube on the plate"],
    "half a bystander": ["run", GOAL, "--perturb", "bystanders=2.5"],
    "scene file that is not there": ["run", GOAL, "--scene", "nowhere.yaml"],
    "replay of nothing": ["replay", "nowhere"],
    "watch of nothing": ["watch", "nowhere"],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_exits_2_with_at_most_three_lines_and_leaves_nothing(name, capsys, tmp_path):
    assert main(BAD[name]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert 1 <= len(err.splitlines()) <= 3
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("remedy:")
    assert not list(tmp_path.glob("runs/*"))


@pytest.mark.parametrize("name", [n for n in BAD if n not in ("watch of nothing",)])
def test_with_json_bad_input_is_one_object_too(name, capsys):
    assert main([*BAD[name], "--json"]) == 2
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert told["failure"].keys() == {"stage", "code", "message"}
    assert told.get("success", False) is False
    if BAD[name][0] == "run":
        assert {"success", "goal", "scene", "seed", "subgoals", "state_hash", "run_dir"} <= told.keys()
    assert len(err.splitlines()) <= 3


def test_the_remedy_names_what_there_is(capsys):
    main(["run", "put the purple kangaroo on the plate"])
    assert "plate" in capsys.readouterr().err
    main(["run", GOAL, "--scene", "kichen"])
    assert "kitchen" in capsys.readouterr().err


def test_an_out_folder_that_holds_files_is_refused_untouched(tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    assert main(["run", GOAL, "--out", "mine"]) == 2
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["notes.txt"]
    assert "--out" in capsys.readouterr().err


def test_json_is_one_object_on_stdout_and_the_folder_is_where_it_says(tmp_path, capsys):
    assert main(["run", GOAL, "--seed", "1", "--no-video", "--json", "--out", "here"]) == 0
    out, _ = capsys.readouterr()
    assert out.count("\n") == 1
    told = json.loads(out)
    assert told["success"] is True
    assert told["run_dir"] == str(tmp_path / "here")
    assert main(["replay", "here", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["match"] is True
    assert again["state_hash"] == again["expected_hash"] == told["state_hash"]


def test_without_json_a_person_is_told_what_happened_and_where_it_is(capsys):
    assert main(["run", GOAL, "--seed", "1", "--no-video", "--out", "here"]) == 0
    out = capsys.readouterr().out
    for text in (f"goal: {GOAL}", "step 1", "✓ Reached: 1 of 1 step", "report.html", "robo-orch replay"):
        assert text in out


def test_a_failed_run_says_what_why_and_what_to_do(capsys):
    assert main(["run", GOAL, "--seed", "1", "--no-video", "--time-limit", "0.5", "--out", "here"]) == 1
    out = capsys.readouterr().out
    for text in ("✗ Not reached", "TIMEOUT", "why", "--time-limit", "report.html"):
        assert text in out


def test_a_reader_that_goes_away_leaves_a_closed_record_and_no_traceback(tmp_path):
    command = [*COMMAND, "run", GOAL, "--seed", "1", "--no-video", "--out", "here"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as run:
        run.stdout.readline()
        run.stdout.close()
        said = run.stderr.read()
        run.wait()
    assert "Traceback" not in said
    assert "BrokenPipe" not in said
    assert json.loads((tmp_path / "here" / "result.json").read_text())["success"] is True


def test_a_reader_that_goes_away_does_not_change_the_exit_code(tmp_path):
    for arguments, code in (([GOAL, "--seed", "1"], 0), ([GOAL, "--seed", "1", "--time-limit", "0.5"], 1)):
        command = [*COMMAND, "run", *arguments, "--no-video", "--json"]
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "wb") as closed:
            done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize("arguments", [["skills", "list"], ["run", GOAL, "--dry-run", "--json"], ["run", "", "--json"]])
def test_where_stdout_cannot_be_written_it_is_said_without_a_traceback(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == "stdout cannot be written: No space left on device"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("2>&-", 0), (">&- 2>&-", 0)])
def test_closed_streams_do_no_harm(closed, code):
    line = f'{sys.executable} -c "{COMMAND[2]}" skills list {closed}'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_a_bare_group_shows_its_commands(capsys):
    assert main(["tasks"]) == 2
    said = capsys.readouterr().err
    assert "make" in said.split("Commands:")[1]
    assert len(said.splitlines()) > 5


def test_a_dry_run_shows_the_plan_and_writes_nothing(tmp_path, capsys):
    assert main(["run", GOAL, "--dry-run"]) == 0
    assert capsys.readouterr().out.startswith(f"1. {GOAL}")
    assert list(tmp_path.iterdir()) == []


def test_replay_of_a_killed_run_says_so(tmp_path, capsys):
    run = written(tmp_path / "run")
    (run / "result.json").unlink()
    assert main(["replay", str(run), "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["match"] is False
    assert "killed" in err


def test_an_internal_error_is_one_line_and_exit_3(monkeypatch, capsys):
    def explode(*args, **kwargs):
        raise ZeroDivisionError("no such luck")

    monkeypatch.setattr("robo_orch.cli.checks.examine", explode)
    assert main(["doctor", "--json"]) == 3
    out, err = capsys.readouterr()
    assert json.loads(out)["failure"]["stage"] == "internal"
    assert len(err.splitlines()) == 1


def test_ctrl_c_outside_a_run_is_130(monkeypatch, capsys):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("robo_orch.cli.checks.examine", interrupt)
    assert main(["doctor"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_skills_are_listed_with_their_keys(capsys):
    assert main(["skills", "list", "--json"]) == 0
    cards = json.loads(capsys.readouterr().out)["cards"]
    assert cards
    assert all(c.keys() == {"id", "family", "version", "skills", "description", "loader", "rate_hz"} for c in cards)
    assert main(["skills", "list"]) == 0
    assert cards[0]["id"] in capsys.readouterr().out


def test_the_demo_reaches_two_subgoals(capsys):
    assert main(["demo", "--no-video", "--json", "--out", "here"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["success"] is True
    assert len(told["subgoals"]) >= 2
