# SPDX-License-Identifier: Apache-2.0
"""A run with several cards for one subgoal, one of which looks through a camera."""

from __future__ import annotations

import shutil

import pytest

from robo_orch.errors import CardError, RenderError
from robo_orch.policies import registry
from robo_orch.runs.camera import Pictures
from robo_orch.runs.config import RunConfig
from robo_orch.runs.record import RunRecord
from robo_orch.runs.session import execute
from robo_orch.sim import gl

GOAL = "put the red cube on the plate"
CARD = """\
schema: 1
id: vla/looker-v1
family: vla
description: Looks, and does nothing.
skills: [pick_place]
poses: {{precision: none}}
observation:
  image: {{kind: image, camera: {camera}, size: [32, 24], normalize: fused}}
action: {{kind: joint_trajectory, dim: 15, gripper: width}}
rate_hz: 50
cost_seconds: 1.0
loader: python:tests.rogues:Looker
"""


@pytest.fixture
def cards(tmp_path, monkeypatch):
    """A function that writes the card for a camera beside the shipped planner's."""
    folder = tmp_path / "cards"
    folder.mkdir()
    shutil.copy(registry.SHIPPED / "tamp" / "pick_place.card.yaml", folder)
    monkeypatch.setattr(registry, "SHIPPED", folder)
    monkeypatch.chdir(tmp_path)

    def write(camera: str = "front") -> None:
        (folder / "looker.card.yaml").write_text(CARD.format(camera=camera))

    return write


@pytest.fixture
def blind(monkeypatch):
    monkeypatch.setattr(gl, "gl_backend", lambda: gl.GlStatus(None, "images are switched off"))


def config(tmp_path, **changes) -> RunConfig:
    return RunConfig(**{"goal": GOAL, "seed": 1, "out": tmp_path / "run", "report": False} | changes)


def routed(folder) -> list[dict]:
    return [event.data for event in RunRecord.open(folder).events() if event.type == "routed"]


def test_without_gl_a_goal_is_reached_by_planning_and_one_line_is_said(cards, blind, tmp_path):
    cards()
    lines = []
    finished = execute(config(tmp_path), notify=lines.append)
    assert finished.result["success"] and len(lines) <= 1
    assert [step["card"] for step in finished.result["subgoals"]] == ["tamp/pick-place-v1"]


def test_without_gl_a_card_that_was_asked_for_is_refused_before_anything_moves(cards, blind, tmp_path):
    cards()
    with pytest.raises(RenderError, match="switched off"):
        execute(config(tmp_path, cards=("vla/looker-v1",)))
    assert not (tmp_path / "run").exists()


def test_a_card_whose_camera_was_renamed_is_refused_before_anything_moves(cards, tmp_path):  # cases C21, C22
    cards("frnt")
    with pytest.raises(CardError, match="did you mean front"):
        execute(config(tmp_path, pictures=Pictures.NONE))
    assert not (tmp_path / "run").exists()


def test_the_order_of_cards_is_that_in_which_they_were_asked_for(cards, tmp_path, monkeypatch):
    cards()
    monkeypatch.setattr("robo_orch.sim.robot.SimRobot.capture", lambda self, sizes: {})
    asked = ("vla/looker-v1", "tamp/pick-place-v1")
    finished = execute(config(tmp_path, cards=asked, pictures=Pictures.NONE))
    assert [data["card"] for data in routed(finished.folder)] == [asked[0], asked[0], asked[1]]
    assert finished.result["success"] and finished.result["subgoals"][0]["attempts"] == 3
