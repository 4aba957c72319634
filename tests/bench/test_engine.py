# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys

import pytest
from pyarrow import parquet

from robo_orch.bench.cells import Preset, Settings, episode_seed
from robo_orch.bench.engine import paired, run
from robo_orch.errors import OptionError, RunError
from tests.bench import works

ENVIRONMENT = os.environ | {"PYTHONPATH": os.getcwd()}


def go(bench, **settings):
    stream = io.StringIO()
    return run(bench, Settings(**settings), stream), stream.getvalue()


def rows(folder):
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


def figures(row):
    return {key: value for key, value in row.items() if key != "seconds"}


@pytest.fixture(scope="module")
def tossed(tmp_path_factory):
    return go(works.bench(), seed=7, out=tmp_path_factory.mktemp("toss") / "out")


def test_every_arm_meets_the_same_episodes(tossed):
    report, _ = tossed
    by_episode = {}
    for row in rows(report.folder):
        by_episode.setdefault(row["episode"], []).append((row["seed"], row["value"]))
    assert len(by_episode) == 6
    assert all(len(pair) == 2 and len(set(pair)) == 1 for pair in by_episode.values())
    assert len({pair[0] for pair in by_episode.values()}) == 6


def test_the_same_seed_gives_the_same_figures_however_many_processes(tossed, tmp_path):
    report, _ = tossed
    again, _ = go(works.bench(), seed=7, jobs=3, out=tmp_path / "again")
    assert again.results["arms"] == report.results["arms"]
    one, other = (sorted(map(str, map(figures, rows(r.folder)))) for r in (report, again))
    assert one == other
    different, _ = go(works.bench(), seed=8, out=tmp_path / "different")
    assert sorted(map(str, map(figures, rows(different.folder)))) != one


def test_results_say_with_what_they_were_made(tossed):
    report, said = tossed
    stored = json.loads((report.folder / "results.json").read_text())
    assert stored == json.loads(json.dumps(report.results))
    assert stored["about"].keys() >= {"commit", "clean", "command", "versions", "host", "seconds", "scene_hash", "arms"}
    assert stored["arms"]["low"].keys() == {"success", "success_ci95", "n"}
    assert (stored["complete"], stored["episodes"], stored["seed"]) == (True, 6, 7)
    assert "12 of 12, took" in said


def test_the_table_has_every_row(tossed):
    report, _ = tossed
    table = parquet.read_table(report.folder / "rows.parquet").to_pylist()
    assert [figures(row) for row in table] == [figures(row) for row in rows(report.folder)]


def test_the_scene_and_what_the_episodes_are_about_are_on_record(tmp_path):
    bench = works.bench(scene="kitchen", given=lambda seed, n: [f"{seed}-{i}" for i in range(n)], arms=("high",))
    report, _ = go(bench, seed=3, episodes=2, out=tmp_path / "out")
    assert len(report.results["about"]["scene_hash"]) == 64
    assert [row["given"] for row in rows(report.folder)] == ["3-0", "3-1"]


def test_presets_decide_how_many_and_some_arms_can_be_chosen(tmp_path):
    report, _ = go(works.bench(), preset=Preset.QUICK, arms=("high",), out=tmp_path / "out")
    assert [row["arm"] for row in rows(report.folder)] == ["high"] * 3
    with pytest.raises(OptionError, match="high"):
        go(works.bench(), arms=("hihg",), out=tmp_path / "other")


def test_workers_are_other_processes_with_one_blas_thread(tmp_path):
    report, _ = go(works.bench(works.threads), episodes=1, out=tmp_path / "out")
    assert all(row["threads"] == "1" and row["pid"] != os.getpid() for row in rows(report.folder))


def test_what_breaks_becomes_a_row_and_the_rest_goes_on(tmp_path, monkeypatch):
    bench = works.bench(works.break_sometimes, arms=("one",))
    report, _ = go(bench, episodes=4, out=tmp_path / "out")
    by_episode = {row["episode"]: row for row in rows(report.folder)}
    assert "ValueError: no such luck at all" in by_episode[1]["error"]
    assert "break_sometimes" in by_episode[1]["traceback"]
    assert "-9" in by_episode[2]["error"]
    assert by_episode[3]["success"] is True
    assert len(report.results["errors"]) == 2
    monkeypatch.setenv("died", "once")
    again, _ = go(bench, resume=report.folder)
    assert len(again.results["errors"]) == 1


def test_a_bench_that_was_killed_goes_on_and_comes_to_the_same(tmp_path):
    fifo, out = tmp_path / "fifo", tmp_path / "out"
    os.mkfifo(fifo)
    code = (
        "import sys\nfrom pathlib import Path\nfrom robo_orch.bench.cells import Settings\n"
        "from robo_orch.bench.engine import run\nfrom tests.bench import works\n"
        "if __name__ == '__main__':\n"
        "    b = works.bench(works.wait_at, arms=('one',), options={'block': 4, 'fifo': sys.argv[1]})\n"
        "    run(b, Settings(episodes=6, out=Path(sys.argv[2])))\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    killed = subprocess.Popen([sys.executable, script, fifo, out], env=ENVIRONMENT)
    with killed, fifo.open("w"):  # opens as soon as the fifth cell is at work
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    assert [row["episode"] for row in rows(out)] == [0, 1, 2, 3]
    with (out / "rows.jsonl").open("a") as file:
        file.write('{"arm": "one", "epi')  # a line that was being written
    bench = works.bench(works.wait_at, arms=("one",), options={"block": 4, "fifo": str(fifo)})
    fifo.unlink()
    fifo.write_text("")
    report, said = go(bench, resume=out)
    assert [row["episode"] for row in rows(out)] == [0, 1, 2, 3, 4, 5]
    assert report.complete
    assert "6 of 6" in said


def test_a_folder_is_resumed_as_what_it_was_and_may_get_more_episodes(tossed, tmp_path):
    report, _ = go(works.bench(), seed=1, episodes=2, out=tmp_path / "out")
    first = rows(report.folder)
    for wrong in ({"seed": 2}, {"arms": ("low",)}):
        with pytest.raises(OptionError, match="go on with the same bench"):
            go(works.bench(), resume=report.folder, **wrong)
    with pytest.raises(OptionError, match="options"):
        go(works.bench(options={"low": 0.2}), resume=report.folder)
    more, _ = go(works.bench(), resume=report.folder, episodes=4)
    assert more.results["arms"]["low"]["n"] == 4
    assert rows(report.folder)[: len(first)] == first


def test_a_spent_budget_leaves_only_whole_episodes(tmp_path):
    report, _ = go(works.bench(), budget=1e-9, out=tmp_path / "out")
    assert not report.complete
    assert report.results["arms"] == {}
    assert go(works.bench(), resume=report.folder)[0].complete


def test_only_episodes_that_every_arm_finished_are_compared():
    some = [{"arm": a, "episode": e} for a, e in (("a", 0), ("b", 0), ("a", 1), ("b", 2), ("a", 2))]
    assert [(r["arm"], r["episode"]) for r in paired(some, ["a", "b"])] == [("a", 0), ("b", 0), ("b", 2), ("a", 2)]


def test_folders_that_cannot_be_used_are_refused(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="--resume"):
        go(works.bench(), out=tmp_path / "mine")
    with pytest.raises(RunError, match="--resume"):
        go(works.bench(), resume=tmp_path / "mine")
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    "wrong", [{"seed": -1}, {"episodes": 0}, {"jobs": 0}, {"budget": 0.0}, {"out": "a", "resume": "b"}]
)
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(OptionError):
        Settings(**wrong)


def test_ctrl_c_keeps_the_rows_and_says_so(tmp_path, monkeypatch):
    class Bell(io.StringIO):
        def write(self, text):
            if "of 6" in text:
                raise KeyboardInterrupt
            return super().write(text)

    monkeypatch.setattr("robo_orch.bench.progress.EVERY", 0.0)
    bench = works.bench(summarise=lambda rows: {"counted": len(rows)}, arms=("low",))
    report = run(bench, Settings(out=tmp_path / "out"), Bell())
    assert report.interrupted
    assert report.results["counted"] == 1
    assert not report.complete


def test_episode_seeds_depend_on_both():
    assert episode_seed(1, 0) == episode_seed(1, 0)
    assert len({episode_seed(s, e) for s in range(20) for e in range(20)}) == 400
