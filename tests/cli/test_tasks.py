# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest

from robo_orch.cli import main
from robo_orch.sim.tasks import load_task

KEYS = {"id", "file", "goal", "predicates", "subgoals", "category", "perturbation"}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def told(capsys):
    out, _ = capsys.readouterr()
    assert out.count("\n") == 1
    return json.loads(out)


def broken(path, **changes):
    text = "schema: 1\nid: mine\nscene: kitchen\nseed: 1\ngoal: put the red cube on the plate\n"
    for old, new in changes.values():
        text = text.replace(old, new)
    path.write_text(text)
    return str(path)


def test_suites_are_listed(capsys):
    assert main(["tasks", "list", "--json"]) == 0
    assert [suite["name"] for suite in told(capsys)["suites"]] == ["kitchen", "kitchen-tamp"]
    assert main(["tasks", "list"]) == 0
    assert "kitchen-tamp: " in capsys.readouterr().out


def test_tasks_are_written_and_can_be_planned_as_they_are(tmp_path, capsys):
    assert main(["tasks", "make", "--suite", "kitchen-tamp", "--n", "2", "--seed", "3", "--out", "here", "--json"]) == 0
    tasks = told(capsys)["tasks"]
    assert len(tasks) == 2
    for task in tasks:
        assert task.keys() >= KEYS
        written = load_task(tmp_path / task["file"])
        assert (written.id, written.goal, list(written.predicates)) == (task["id"], task["goal"], task["predicates"])
    assert main(["run", "--task", tasks[0]["file"], "--dry-run", "--json"]) == 0
    planned = told(capsys)
    assert (planned["goal"], planned["scene"]) == (tasks[0]["goal"], "kitchen")
    assert len(planned["subgoals"]) == tasks[0]["subgoals"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["tasks", "make", "--suite", "kitschen"],
        ["tasks", "make", "--n", "0"],
        ["tasks", "make", "--seed", "-1"],
        ["tasks", "make", "--suite", "kitchen-tamp", "--n", "1", "--out", "/dev/null/tasks"],
        ["run", "--task", "nowhere.yaml"],
        ["run", "open the drawer", "--task", "nowhere.yaml"],
        ["run", "--task", "nowhere.yaml", "--seed", "3"],
    ],
)
def test_bad_input_exits_2_in_three_lines(arguments, capsys):
    assert main([*arguments, "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["failure"]["code"]
    assert 1 <= len(err.splitlines()) <= 3
    assert err.splitlines()[-1].startswith("remedy:")


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": ("seed: 1", "seed: one")},
        {"unknown key": ("goal:", "gaol:")},
        {"no YAML": ("goal: ", "goal: [")},
        {"wrong meaning": ("seed: 1", 'seed: 1\npredicates: ["open(drawer)"]')},
        {"unknown predicate": ("seed: 1", 'seed: 1\npredicates: ["floating(plate)"]')},
        {"unknown scene": ("scene: kitchen", "scene: attic")},
        {"unknown perturbation": ("seed: 1", "seed: 1\nperturbation: {gravity: 2}")},
        {"unknown object": ("seed: 1", "seed: 1\nobjects: [red kangaroo]")},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_broken_task_exits_2_in_three_lines_and_leaves_nothing(changes, tmp_path, capsys):
    assert main(["run", "--task", broken(tmp_path / "task.yaml", **changes), "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["success"] is False
    assert len(err.splitlines()) == 3
    assert not list(tmp_path.glob("runs/*"))
