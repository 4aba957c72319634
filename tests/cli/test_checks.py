# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from importlib import metadata

import pytest

from robo_orch.cli import checks, main


def test_the_doctor_finds_this_environment_well(capsys):
    assert main(["doctor", "--no-pictures", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is True
    assert all({"name", "ok", "found", "remedy"} <= item.keys() for item in told["items"])
    names = {item["name"] for item in told["items"]}
    assert {"python", "mujoco", "numpy", "inference", "ffmpeg", "processor", "run folder", "rclpy", "GPU"} <= names


def test_it_is_readable_without_json(capsys):
    assert main(["doctor", "--no-pictures"]) == 0
    out = capsys.readouterr().out
    assert "All that is needed is there." in out


@pytest.mark.gl
def test_a_frame_is_really_rendered(capsys):
    main(["doctor", "--json"])
    (item,) = [item for item in json.loads(capsys.readouterr().out)["items"] if item["name"] == "OpenGL"]
    assert item["ok"]


def test_what_is_missing_has_a_remedy_and_exit_1(monkeypatch, capsys):
    monkeypatch.setattr(checks, "_required", lambda: [("no-such-distribution", "1.2", "2")])
    assert main(["doctor", "--no-pictures", "--json"]) == 1
    (item,) = [i for i in json.loads(capsys.readouterr().out)["items"] if i["name"] == "no-such-distribution"]
    assert item["remedy"] == "pip install 'no-such-distribution>=1.2,<2'"


@pytest.mark.parametrize(
    ("found", "lowest", "above", "ok"),
    [("1.2.0", "1.2", "2", True), ("1.10", "1.9", "2", True), ("1.1.9", "1.2", "", False), ("2.0", "1.2", "2", False)],
)
def test_versions_are_compared_as_numbers(monkeypatch, found, lowest, above, ok):
    monkeypatch.setattr(checks, "_required", lambda: [("x", lowest, above)])
    monkeypatch.setattr(metadata, "version", lambda name: found)
    (item,) = checks._libraries()
    assert item.ok is ok


def test_what_is_optional_never_counts_as_missing(monkeypatch, capsys):
    missing = checks.Item("extra", False, "not found", "get it", optional=True)
    monkeypatch.setattr(checks, "examine", lambda pictures: [missing])
    assert main(["doctor", "--json"]) == 0


def test_requirements_are_read_from_what_the_package_says(monkeypatch):
    lines = ["numpy<3,>=2.4", "mujoco<4,>=3.17", 'torch==2.13.0; extra == "train"']
    monkeypatch.setattr(metadata, "requires", lambda name: lines)
    assert checks._required() == [("numpy", "2.4", "3"), ("mujoco", "3.17", "4")]
