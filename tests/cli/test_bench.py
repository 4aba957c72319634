# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest

from robo_orch.bench.intervals import proportion
from robo_orch.cli import main
from tests.bench import works


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def _toss(monkeypatch):
    """A bench that takes no time stands in for the tasks: what is tested here is the command."""
    summarise = lambda rows: proportion("success", [row["success"] for row in rows])  # noqa: E731
    monkeypatch.setattr(
        "robo_orch.bench.tamp.bench", lambda suite: works.bench(name="tamp", arms=("high",), summarise=summarise)
    )


@pytest.mark.usefixtures("_toss")
def test_json_is_one_object_on_stdout_and_progress_goes_to_stderr(tmp_path, capsys):
    assert main(["bench", "tamp", "--episodes", "3", "--seed", "2", "--jobs", "2", "--out", "here", "--json"]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert told.keys() >= {"n", "success", "success_ci95", "about", "complete", "out"}
    assert (told["n"], told["seed"], told["out"]) == (3, 2, "here")
    assert "3 of 3" in err
    assert json.loads((tmp_path / "here" / "results.json").read_text())["success"] == told["success"]


@pytest.mark.usefixtures("_toss")
def test_a_spent_budget_is_exit_1_and_can_be_gone_on_with(capsys):
    assert main(["bench", "tamp", "--budget", "0.0000001", "--out", "here", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["complete"] is False
    assert main(["bench", "tamp", "--resume", "here", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 6


@pytest.mark.usefixtures("_toss")
def test_a_quick_run_stands_beside_the_stored_one(tmp_path, capsys):
    assert main(["bench", "tamp", "--out", "results/tamp"]) == 0
    assert "record: results/tamp" in capsys.readouterr().out
    assert main(["bench", "tamp", "--preset", "quick", "--out", "quick", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["n"] == 3
    assert told["within"] is told["stored"]["figures"]["success"]["within"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench", "tamp", "--suite", "kitschen"],
        ["bench", "tamp", "--episodes", "0"],
        ["bench", "tamp", "--jobs", "0"],
        ["bench", "tamp", "--seed", "-1"],
        ["bench", "tamp", "--preset", "slow"],
        ["bench", "tamp", "--resume", "nowhere"],
        ["bench", "tamp", "--resume", "a", "--out", "b"],
        ["bench", "render", "--arms", "theirs"],
        ["bench", "render", "--scene", "attic"],
        ["bench", "nothing"],
    ],
)
def test_bad_input_exits_2_in_three_lines_and_leaves_nothing(arguments, tmp_path, capsys):
    assert main([*arguments, "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["failure"]["code"]
    assert 1 <= len(err.splitlines()) <= 3
    assert list(tmp_path.iterdir()) == []
