# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest

from robo_orch.errors import RunError
from robo_orch.runs import provenance
from robo_orch.runs.config import RunConfig
from robo_orch.runs.folder import RunFolder, slug
from robo_orch.runs.schema import SCHEMA
from tests.runs.stories import tick


def test_default_folder_is_named_after_time_and_goal_and_never_reused(tmp_path):
    folders = [RunFolder.create(None, "Put the RED cube/../on", tmp_path / "runs") for _ in range(3)]
    assert len({folder.path for folder in folders}) == 3
    assert all(folder.path.parent == tmp_path / "runs" for folder in folders)
    assert "put-the-red-cube-on" in folders[0].path.name


@pytest.mark.parametrize("text", ["", "…", "../../etc/passwd", "a" * 500, "new\nline", "\x00"])
def test_slug_is_a_harmless_file_name(text):
    name = slug(text)
    assert 0 < len(name) <= 40
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_a_folder_that_holds_something_is_refused_with_the_remedy(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="another folder"):
        RunFolder.create(tmp_path, "goal")
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="is a file"):
        RunFolder.create(tmp_path / "file", "goal")


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="--out") as caught:
        RunFolder.create(tmp_path / "file" / "run", "goal")
    assert "can be written" in caught.value.expected


def test_lines_are_on_disk_as_soon_as_they_are_written(tmp_path):
    folder = RunFolder.create(tmp_path / "run", "goal")
    folder.event("run_started", 0.0, {"goal": "goal"})
    folder.tick(tick(0.02))
    events = (tmp_path / "run" / "events.jsonl").read_text().splitlines()
    assert json.loads(events[0])["goal"] == "goal"
    assert json.loads((tmp_path / "run" / "trajectory.jsonl").read_text())["t"] == 0.02


def test_events_are_numbered_and_refuse_to_hide_their_own_keys(tmp_path):
    folder = RunFolder.create(tmp_path / "run", "goal")
    assert [folder.event("chunk", t, {}).seq for t in (0.0, 1.0)] == [0, 1]
    with pytest.raises(ValueError, match="cannot be named t"):
        folder.event("chunk", 0.0, {"t": 3})


def test_discard_removes_what_was_made_and_nothing_else(tmp_path):
    made, given = tmp_path / "made", tmp_path / "given"
    given.mkdir()
    for path in (made, given):
        RunFolder.create(path, "goal").discard()
    assert not made.exists()
    assert list(given.iterdir()) == []


def test_config_says_what_is_needed_to_repeat_the_run(tmp_path):
    folder = RunFolder.create(tmp_path / "run", "goal")
    folder.config(provenance.describe(RunConfig("goal", seed=7, perturb={"pose_noise": 2.0}), [("cube", "red")]))
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["schema"] == SCHEMA
    assert (config["seed"], config["perturb"], config["require"]) == (7, {"pose_noise": 2.0}, [["cube", "red"]])
    assert {"python", "platform", "mujoco", "numpy"} <= config["libraries"].keys()
