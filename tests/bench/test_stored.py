# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

from robo_orch.bench.intervals import proportion
from robo_orch.bench.stored import beside


def stored(folder, results):
    (folder / "toss").mkdir()
    (folder / "toss" / "results.json").write_text(json.dumps(results | {"about": {"commit": "abc"}}))


def test_without_a_stored_run_there_is_nothing_to_say(tmp_path):
    assert beside("toss", {"success": 0.5}, tmp_path) == {}


def test_a_quick_run_within_the_stored_interval_is_within(tmp_path):
    stored(tmp_path, {"arms": {"ours": proportion("success", [True] * 90 + [False] * 10)}})
    found = {"arms": {"ours": proportion("success", [True] * 18 + [False] * 2), "new": proportion("success", [True])}}
    told = beside("toss", found, tmp_path)
    assert told["within"] is True
    assert told["stored"]["commit"] == "abc"
    assert list(told["stored"]["figures"]) == ["arms.ours.success"]


def test_outside_the_interval_it_still_says_whether_chance_explains_it(tmp_path):
    stored(tmp_path, proportion("success", [True] * 90 + [False] * 10))
    near = beside("toss", proportion("success", [True] * 20), tmp_path)
    figure = near["stored"]["figures"]["success"]
    assert (near["within"], figure["within"], figure["agrees"]) == (False, False, True)
    far = beside("toss", proportion("success", [True] * 10 + [False] * 10), tmp_path)
    assert far["stored"]["figures"]["success"]["agrees"] is False
