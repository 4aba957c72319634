# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

from robo_orch.runs.record import RunRecord
from robo_orch.runs.report import MAX_FRAMES, render, write_report
from tests.runs.stories import attempt, beginning, with_a_retry, written

HOSTILE = "<script>alert(1)</script> put \"it\" on {{ 7*7 }} {% raw %} 'plate' & </title><img src=x onerror=alert(2)>"


SCRIPT = re.compile(r"<script>(.*?)</script>", re.S)


class _Tags(HTMLParser):
    VOID = ("meta", "img", "br", "link", "line", "rect", "polyline")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open, self.seen = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_report_is_one_whole_file_that_loads_nothing(tmp_path):
    html = write_report(written(tmp_path / "run")).read_text()
    tags = _Tags(html)
    assert tags.open == []
    sources = [attrs["src"] for _, attrs in tags.seen if "src" in attrs]
    assert sources
    assert all(source.startswith("data:image/jpeg;base64,") for source in sources)
    assert not [tag for tag, _ in tags.seen if tag in ("link", "iframe")]
    own = SCRIPT.sub("", html)
    assert "http" not in own.replace("http-equiv", "")


def test_only_the_report_s_own_scripts_may_run(tmp_path):
    html = write_report(written(tmp_path / "run")).read_text()
    scripts = SCRIPT.findall(html)
    assert len(scripts) == 2
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    allowed = re.search(r"script-src ([^;]*); object", unescape(html)).group(1).split()
    assert allowed == [f"'sha256-{digest}'" for digest in digests]


def test_a_report_without_motion_has_no_scripts(tmp_path):
    html = write_report(written(tmp_path / "run", ticks=0)).read_text()
    assert "<script" not in html
    assert "script-src 'none';" in unescape(html)


def test_the_figures_hold_the_motion(tmp_path):
    run = written(tmp_path / "run")
    tags = _Tags(write_report(run).read_text())
    figures = [json.loads(attrs["data-figure"]) for _, attrs in tags.seen if "data-figure" in attrs]
    ticks = list(RunRecord.open(run).ticks())
    np.testing.assert_allclose([line["y"] for line in figures[0]["data"]], np.array([t.q for t in ticks]).T, atol=1e-4)
    np.testing.assert_allclose(figures[0]["data"][0]["x"], [t.t for t in ticks], atol=1e-4)


def test_the_report_tells_attempts_reasons_and_how_to_replay(tmp_path):
    html = write_report(written(tmp_path / "run")).read_text()
    for text in ("stack the green cube on the blue cube", "NOT_YET", "green_cube is 40 mm above blue_cube"):
        assert text in html
    assert "recovery: retry: attempt 1 of 3" in html
    assert "robo-orch replay" in html
    assert html.count("<figure>") == 2


@pytest.mark.parametrize("text", [HOSTILE, "‮ reversed", "a" * 3000, "\x00\x1b[31m"])
def test_a_hostile_goal_is_only_text(tmp_path, text):
    story = [*beginning(text), *attempt(0, 1, 0.0, 1.0, "NOT_YET", because=text)]
    result = {"success": False, "failure": {"stage": "verify", "code": "NOT_YET", "message": text}}
    html = write_report(written(tmp_path / "run", text, story, result)).read_text()
    tags = _Tags(html)
    assert tags.open == []
    assert not [tag for tag, attrs in tags.seen if any(key.startswith("on") for key in attrs)]
    assert len(SCRIPT.findall(html)) in (0, 2)
    assert "49" not in re.sub(r"[\d.,%]*\d49\d*|base64,\S+", "", "") or "{{ 7*7 }}" in html


def test_a_folder_name_with_quotes_does_not_break_out(tmp_path):
    html = write_report(written(tmp_path / "it's <b>bold</b>")).read_text()
    assert "<b>" not in html


@pytest.mark.parametrize("upto", [0, 1, 3, 5, 7])
def test_a_run_that_was_cut_off_anywhere_has_a_report(tmp_path, upto):
    result = {"success": False, "done": False, "interrupted": True, "progress": 0.0, "subgoals": []}
    result["failure"] = {"stage": "internal", "code": "INTERRUPTED", "message": "interrupted by Ctrl-C"}
    html = write_report(
        written(tmp_path / "run", story=with_a_retry()[:upto], result=result, frames=0, ticks=0)
    ).read_text()
    assert "Interrupted" in html
    assert _Tags(html).open == []


def test_a_killed_run_is_said_to_be_killed(tmp_path):
    run = written(tmp_path / "run")
    (run / "result.json").unlink()
    assert "Killed" in render(RunRecord.open(run))


def test_many_key_frames_do_not_make_a_huge_report(tmp_path):
    html = write_report(written(tmp_path / "run", frames=60)).read_text()
    assert html.count("<figure>") == MAX_FRAMES


def test_the_film_is_linked_where_there_is_one(tmp_path):
    run = written(tmp_path / "run")
    assert "<video" not in render(RunRecord.open(run))
    (run / "video.mp4").touch()
    assert '<video controls preload="metadata" src="video.mp4">' in render(RunRecord.open(run))
