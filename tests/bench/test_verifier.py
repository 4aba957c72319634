# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.bench import verifier
from robo_orch.bench.cells import Cell
from robo_orch.errors import OptionError
from robo_orch.sim.gl import gl_backend


def situation(done, code, probability=0.5, completion=0.5, **changes):
    verdict = {"code": code, "probability": probability, "by": "classifier", "completion": completion}
    usual = {"done": done, "progress": 1.0 if done else 0.3, "ending": "placed", "kind": "bowl", "target": "tray"}
    poses = {"code": "UNKNOWN", "probability": 0.5, "by": "predicates", "completion": None}
    return usual | {"held_out": False, "verdicts": {"2": poses, "3": verdict}} | changes


def row(*situations, stratum="pairs"):
    return {"arm": "tiers", "episode": 0, "stratum": stratum, "situations": list(situations)}


def test_unknown_is_no_success_and_no_false_done():
    told = verifier.summarise([row(situation(True, "UNKNOWN"), situation(True, "OK"), situation(False, "UNKNOWN"))])
    assert (told["n_failures"], told["n_successes"]) == (1, 2)
    assert (told["false_done"], told["false_fail"]) == (0.0, 0.5)
    assert told["unknown_successes"] == told["unknown_failures"] == 1
    assert len(told["false_done_ci95"]) == len(told["false_fail_ci95"]) == 2


def test_every_tier_is_counted_by_itself_and_the_highest_is_on_top():
    told = verifier.summarise([row(situation(False, "OK"), situation(True, "OK"), situation(True, "NOT_YET"))])
    assert told["by_tier"]["3"]["false_done"] == told["false_done"] == 1.0
    assert told["by_tier"]["2"]["false_fail"] == 1.0 and told["by_tier"]["2"]["false_done"] == 0.0
    assert told["by_kind"]["bowl"]["n_successes"] == 2


def test_unseen_colours_are_reported_beside_and_do_not_count():
    told = verifier.summarise([row(situation(True, "OK")), row(situation(True, "UNKNOWN"), stratum="colours")])
    assert told["n_successes"] == 1 and told["false_fail"] == 0.0
    assert told["strata"]["colours"]["false_fail"] == 1.0


def test_nothing_run_gives_no_figures_and_no_error():
    told = verifier.summarise([])
    assert told["false_done"] is None and told["n_failures"] == 0


def test_an_unknown_tier_is_refused():
    with pytest.raises(OptionError, match="--tier"):
        verifier.bench(5)


def test_an_episode_judges_by_poses_without_any_pictures():
    found = verifier.work(Cell("tiers", 0, 7, None, {"tiers": [2]}))
    assert len(found["situations"]) == verifier.PER_LAYOUT
    assert {v["by"] for s in found["situations"] for v in s["verdicts"].values()} == {"predicates"}


@pytest.mark.gl
@pytest.mark.skipif(gl_backend().backend is None, reason=gl_backend().message)
def test_an_episode_judges_by_pictures(monkeypatch):
    monkeypatch.setattr(verifier, "PER_LAYOUT", 3)
    found = verifier.work(Cell("tiers", 0, 7, None, {"tiers": [2, 3]}))
    assert any(s["verdicts"]["3"]["by"] == "classifier" for s in found["situations"])
