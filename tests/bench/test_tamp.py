# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.bench import tamp
from robo_orch.bench.cells import Cell
from robo_orch.errors import SceneError
from robo_orch.sim.tasks import parse_task

TASK = """\
schema: 1
id: mine-1
scene: kitchen
seed: 1
goal: put the red cube on the plate
predicates: ["on(red_cube, plate)"]
category: serve
subgoals: 1
"""


def cell(text: str = TASK) -> Cell:
    return Cell("tamp", 0, 0, parse_task(text, "mine").model_dump(mode="json", by_alias=True), {"suite": "mine"})


def row(**changes):
    usual = {
        "arm": "tamp",
        "episode": 0,
        "task": "t",
        "category": "stack",
        "subgoals": 2,
        "success": True,
        "done": True,
    }
    usual |= {"progress": 1.0, "code": None, "sim_seconds": 20.0, "wall_seconds": 2.0, "set_up_seconds": 0.5}
    return usual | {"planning_seconds": 1.0, "attempts": 2} | changes


def test_a_cell_runs_its_task_and_leaves_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = tamp.work(cell())
    assert (found["task"], found["scene_seed"]) == ("mine-1", 1)
    assert found["code"] is None or found["success"] is False
    assert found["sim_seconds"] > 1.0
    assert 0.0 < found["planning_seconds"] <= found["wall_seconds"]
    assert len(found["state_hash"]) == 64
    assert list(tmp_path.iterdir()) == []


def test_a_goal_that_means_something_else_is_a_failure_with_its_code():
    found = tamp.work(cell(TASK.replace("on(red_cube, plate)", "clear(plate)")))
    assert found["code"] == "NOT_UNDERSTOOD"
    assert "clear(plate)" in found["message"]
    assert tamp.summarise([{"arm": "tamp", "episode": 0} | found])["failures"] == {"NOT_UNDERSTOOD": 1}


def test_the_summary_has_the_keys_of_the_contract_and_counts_as_it_says():
    rows = [row(), row(episode=1, success=False, code="NO_GRASP", stage="policy", progress=0.5, sim_seconds=10.0)]
    told = tamp.summarise(rows)
    assert told.keys() >= {"n", "success", "success_ci95", "progress", "realtime_factor", "planning_ms", "failures"}
    assert (told["n"], told["success"], told["progress"]) == (2, 0.5, 0.75)
    assert told["realtime_factor"] == 7.5
    assert told["planning_ms"] == 500.0
    assert told["failures"] == {"NO_GRASP": 1}
    assert told["failed"] == [{"episode": 1, "task": "t", "code": "NO_GRASP", "stage": "policy"}]
    assert told["categories"]["stack"]["n"] == 2


def test_what_broke_counts_as_internal():
    told = tamp.summarise([row(), {"arm": "tamp", "episode": 1, "error": "its process ended with code -11"}])
    assert told["failures"] == {"INTERNAL": 1}
    assert told["success"] == 0.5
    assert told["failed"][0]["error"].endswith("-11")


def test_nothing_run_gives_no_figures_and_no_error():
    told = tamp.summarise([])
    assert (told["n"], told["success"], told["realtime_factor"]) == (0, None, None)


def test_an_unknown_suite_is_refused():
    with pytest.raises(SceneError, match="kitchen-tamp"):
        tamp.bench("kitchen-tmap")


def test_the_episodes_are_the_suites_tasks():
    bench = tamp.bench("kitchen-tamp")
    (first,) = bench.given(3, 1)
    assert first["id"] == "kitchen-tamp-3-000"
    assert bench.scene == first["scene"] == "kitchen"
