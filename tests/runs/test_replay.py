# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import msgspec
import pytest

from robo_orch.errors import RunError, SceneError
from robo_orch.runs.record import RunRecord
from robo_orch.runs.replay import replay
from tests.runs.stories import written


def _rewrite(run, **changes):
    config = msgspec.json.decode((run / "config.json").read_bytes())
    (run / "config.json").write_bytes(msgspec.json.encode(config | changes))


def test_other_states_are_explained_by_another_scene(tmp_path):
    run = written(tmp_path / "run", ticks=2)
    _rewrite(run, scene_hash="0" * 64)
    again = replay(run)
    assert not again.match
    assert "another one" in again.because


def test_other_states_are_explained_by_other_versions(tmp_path):
    run = written(tmp_path / "run", ticks=2)
    libraries = RunRecord.open(run).info.libraries | {"mujoco": "2.0.0"}
    _rewrite(run, scene_hash=_scene_hash(), libraries=libraries)
    assert "mujoco 2.0.0 -> " in replay(run).because


def test_another_version_of_the_package_is_named(tmp_path):
    run = written(tmp_path / "run", ticks=2)
    _rewrite(run, scene_hash=_scene_hash(), robo_orch="0.0.1")
    assert "robo_orch 0.0.1 -> " in replay(run).because


def test_a_trajectory_that_was_cut_short_is_said_to_be(tmp_path):
    run = written(tmp_path / "run", ticks=4, result={"state_hash": "0" * 64, "sim_seconds": 0.08})
    _rewrite(run, period=0.02)
    lines = (run / "trajectory.jsonl").read_bytes().splitlines(keepends=True)
    (run / "trajectory.jsonl").write_bytes(b"".join(lines[:3]))
    assert replay(run).because == "the run had 4 ticks, its trajectory.jsonl has 3"


def test_a_command_for_another_arm_is_refused_with_its_line(tmp_path):
    run = written(tmp_path / "run", ticks=3)
    lines = [msgspec.json.decode(line) for line in (run / "trajectory.jsonl").read_bytes().splitlines()]
    lines[1]["command"]["q"] = [0.0, 0.0, 0.0]
    (run / "trajectory.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    with pytest.raises(RunError, match="line 2"):
        replay(run)


def test_a_seed_that_cannot_be_is_refused(tmp_path):
    run = written(tmp_path / "run")
    _rewrite(run, seed=-5)
    with pytest.raises(RunError, match="seed -5"):
        replay(run)


def test_a_run_that_ended_before_there_was_a_world_cannot_be_replayed(tmp_path):
    with pytest.raises(RunError, match="before there was a world"):
        replay(written(tmp_path / "run", result={"state_hash": None}))


def test_a_killed_run_says_that_it_has_no_hash(tmp_path):
    run = written(tmp_path / "run")
    (run / "result.json").unlink()
    with pytest.raises(RunError, match="killed"):
        replay(run)


def test_a_scene_that_is_not_here_is_named(tmp_path):
    run = written(tmp_path / "run")
    _rewrite(run, scene="attic")
    with pytest.raises(SceneError, match="attic"):
        replay(run)


def _scene_hash() -> str:
    from robo_orch.sim.build import build

    return build("kitchen", "mujoco", 0).layout.scene_hash
