# SPDX-License-Identifier: Apache-2.0
"""How well a card does a skill, and what is stated of it."""

from __future__ import annotations

import json

import pytest

from robo_orch.bench import bank, probe
from robo_orch.bench.begin import Posture, Where, recorded, starting
from robo_orch.bench.cells import Cell
from robo_orch.bench.episode import Stage, draw
from robo_orch.errors import CardError, OptionError, RunError
from robo_orch.policies.registry import Registry
from robo_orch.robots import load_robot
from robo_orch.skills import skill

PICK, HANDLE = "tamp/pick-place-v1", "tamp/handle-v1"
CARDS = Registry.load()


def row(**changes):
    usual = {"arm": PICK, "episode": 0, "stratum": "pairs", "kind": "cube", "colour": "purple", "twin": False}
    return usual | {"skill": "stack", "success": True, "done": True, "safe": True, "code": "OK"} | changes


OPTIONS = {"card": PICK, "skill": "stack", "starts": "in", "clutter": False}


def test_the_summary_has_the_keys_of_the_contract_and_counts_held_out_pairs_alone():
    rows = [row(), row(success=False, code="NO_GRASP", done=False), row(stratum="colours", success=False, code="X")]
    rows += [row(success=False, safe=False, code="UNSAFE", twin=True)]
    told = probe.summarise(OPTIONS, rows)
    assert told.keys() >= {"card", "skill", "starts", "clutter", "n", "success", "success_ci95", "done", "strata"}
    assert (told["n"], told["success"], told["done"]) == (3, pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert told["failures"] == {"NO_GRASP": 1, "UNSAFE": 1} and told["unsafe"] == 1
    assert told["strata"]["colours"] == {
        "success": 0.0,
        "success_ci95": told["strata"]["colours"]["success_ci95"],
        "n": 1,
    }
    assert told["strata"]["with another of its colour"]["n"] == 1
    assert told["strata"]["kind cube"]["n"] == 3


def test_a_row_that_broke_is_a_failure_of_ours():
    told = probe.summarise(OPTIONS, [{"arm": PICK, "episode": 0, "error": "it died"}])
    assert told["failures"] == {"INTERNAL": 1} and told["success"] == 0.0


@pytest.mark.parametrize(
    ("card", "name", "n", "total"), [(HANDLE, "", 100, 100), (PICK, "stack", 100, 148), (PICK, "", 4, 4)]
)
def test_as_many_episodes_are_made_as_the_stratum_that_counts_needs(card, name, n, total):
    names = probe._skills(CARDS[card], name)
    made = probe.total(CARDS[card], name, n)
    assert made == total
    assert sum(probe._stratum(names, i) == probe.MAIN for i in range(made)) == n


@pytest.mark.parametrize(
    ("asked", "error", "named"),
    [
        ({"card_id": "tamp/handel-v1"}, CardError, HANDLE),
        ({"card_id": HANDLE, "skill_name": "stack"}, CardError, "open_drawer"),
        ({"card_id": HANDLE, "starts": "interminal"}, OptionError, "terminal"),
        ({"card_id": HANDLE, "starts": "swap"}, OptionError, "is fed no text"),
    ],
)
def test_what_cannot_be_probed_is_refused(asked, error, named):
    with pytest.raises(error, match=named):
        probe.bench(**asked)


@pytest.mark.parametrize("starts", ["in", "random"])
def test_an_episode_is_played_from_each_kind_of_start(starts):
    made = probe.bench(HANDLE, "close_drawer", starts, clutter=True)
    found = probe.work(Cell(HANDLE, 0, 3, None, made.options))
    assert found["skill"] == "close_drawer" and found["stratum"] == "pairs"
    assert found["perturb"]["bystanders"] in (2.0, 3.0, 4.0)
    assert found["success"] == (found["code"] == "OK")


def test_with_the_same_scene_and_another_instruction_another_object_is_taken():
    card = CARDS[PICK]
    episode = draw(skill("pick_place"), "pairs", 2, lambda s, f: probe._takes(card, s, f), swap=True)
    stage = Stage.set(episode, starting(Where.SWAP, card, "pick_place", load_robot("panda")))
    found = probe.swapped(stage, card, episode)
    one, other = found["swap"]
    assert one["asked"] != other["asked"]
    assert found["success"] == (one["took"] == one["asked"] and other["took"] == other["asked"])
    assert one["took"] == one["asked"]


def test_the_bank_has_the_same_scene_for_every_card_of_a_skill():
    made = bank.bench([HANDLE], ["in", "random"])
    assert f"{HANDLE}|open_door|random" in made.arms and len(made.arms) == 8
    rows = [bank.work(Cell(f"{HANDLE}|open_drawer|{start}", 0, 11, None, made.options)) for start in ("in", "random")]
    assert rows[0]["layout"] == rows[1]["layout"] and rows[0]["perturb"] == rows[1]["perturb"]
    assert rows[0]["start_q"] != rows[1]["start_q"]
    assert rows[0].keys() >= {
        "card",
        "version",
        "start",
        "start_q",
        "start_tool",
        "estimates",
        "code",
        "end_q",
        "end_width",
    }


def test_trouble_is_drawn_from_its_ranges_and_often_absent():
    found = [bank.trouble(seed) for seed in range(300)]
    assert 0.2 < sum(not t for t in found) / 300 < 0.5
    for name, (low, high) in bank.TROUBLES.items():
        values = [t[name] for t in found if name in t]
        assert low <= min(values) and max(values) <= high and len(values) > 100


def test_where_skills_ended_well_is_kept_for_later_starts(tmp_path):
    rows = [
        {"skill": "press", "card": "a/b-v1", "layout": 1, "success": ok, "end_q": [0.1] * 7, "end_width": 0.0}
        for ok in (True, False)
    ]
    assert bank.postures(rows) == [{"skill": "press", "card": "a/b-v1", "layout": 1, "q": [0.1] * 7, "width": 0.0}]


def test_a_banks_ends_are_written_as_they_are_read(tmp_path):
    made = {"skill": "press", "card": "a/b-v1", "layout": 1, "success": True, "end_q": [0.1] * 7, "end_width": 0.02}
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (made, made | {"success": False})))
    assert bank.write_postures(tmp_path, tmp_path / "ends.json") == 1
    assert recorded(tmp_path / "ends.json") == (Posture("press", (0.1,) * 7, 0.02),)
    with pytest.raises(RunError, match="bench bank"):
        bank.write_postures(tmp_path / "nowhere", tmp_path / "ends.json")


def test_the_newest_bank_is_what_terminal_starts_are_drawn_from(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert bank.newest_postures() == bank.shipped()
    (tmp_path / "results" / "bank-1").mkdir(parents=True)
    (tmp_path / "results" / "bank-1" / bank.POSTURES).write_text("{}")
    assert bank.newest_postures().resolve() == tmp_path / "results" / "bank-1" / bank.POSTURES
