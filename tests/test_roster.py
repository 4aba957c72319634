# SPDX-License-Identifier: Apache-2.0
"""Who may act: refused before anything moves, or never chosen, and always with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from robo_orch.errors import CardError, ModelError, RenderError
from robo_orch.policies.observation import Features, Image
from robo_orch.policies.registry import Registry
from robo_orch.robots import load_robot
from robo_orch.roster import Roster

PANDA = load_robot("panda")
BASE = Registry.load()["tamp/handle-v1"].model_copy(update={"loader": "python:tests.rogues:Rogue"})
MODELS = Path(__file__).parent / "kernels" / "models"


class Eyes:
    """A robot as far as cards are checked against it."""

    cameras = ("front", "side", "wrist")

    def __init__(self, broken: str = "") -> None:
        self.broken, self.asked = broken, 0

    def capture(self, sizes):
        self.asked += 1
        if self.broken:
            raise RenderError("a GL backend", self.broken, "install one")
        return dict.fromkeys(sizes)


def card(**changes):
    return BASE.model_copy(update=changes)


def seeing(camera: str = "wrist"):
    return card(observation={"x": Image(kind="image", camera=camera, size=(8, 6), normalize="fused")})


def model(file: str, **changes):
    given = {"x": Features(kind="features", keys=("object.toward",), normalize="fused")}
    space = {"kind": "ee_delta", "dim": 4, "rotation": "none", "reference": "command", "gripper": "width"}
    action = type(BASE.action).model_validate(space)
    outputs = BASE.outputs.model_copy(update={"action": "y"})
    body = {"observation": given, "action": action, "outputs": outputs, "loader": f"onnx:{file}", "folder": MODELS}
    return card(**body | {"rate_hz": 10} | changes)


def roster(*cards, robot=None, insist=False) -> Roster:
    return Roster(Registry(cards), robot or Eyes(), PANDA, {}, insist=insist)


@pytest.mark.parametrize("insist", [False, True])
def test_a_renamed_camera_is_refused_with_the_closest_name(insist):  # cases C21, C22, C23
    with pytest.raises(CardError, match=r"'wrst' was expected, got front, side, wrist; did you mean wrist\?"):
        roster(seeing("wrst"), insist=insist).check()


def test_all_that_is_wrong_with_a_card_is_told_at_once():
    bad = seeing("wrst").model_copy(update={"rate_hz": 33.0, "robots": ("ur5",)})
    with pytest.raises(CardError, match=r"one of ur5 .*; rate_hz: .*; a camera named 'wrst'"):
        roster(bad).check()


@pytest.mark.parametrize(
    ("loader", "named"), [("pickle:model.pkl", "'pickle'"), ("onnx:nowhere.onnx", "the weights of tamp.*nowhere.onnx")]
)
def test_what_can_be_told_without_loading_is_refused_of_every_card(loader, named):
    with pytest.raises(CardError, match=named):
        roster(card(loader=loader, folder=MODELS)).check()


@pytest.mark.parametrize(
    ("bad", "error", "named"),
    [
        (model("newer_opset.onnx"), ModelError, "opset"),
        (model("policy.onnx"), CardError, "an input of the model named 'x'"),
        (model("linear.onnx", require_gpu=True), ModelError, "GPU"),
        (
            model("linear.onnx", observation={"x": Features(kind="features", keys=("tool",), normalize="fused")}),
            CardError,
            r"float32 .*9\] was expected",
        ),
    ],
)
def test_what_only_the_model_tells_is_refused_when_a_step_needs_it(bad, error, named):  # cases C24, C67, C68
    made = roster(bad)
    made.check()
    made.load({"pick_place"})
    with pytest.raises(error, match=named):
        made.load({"open_drawer"})


def test_a_model_that_fits_is_loaded_once():
    made = roster(model("linear.onnx"))
    made.load({"open_drawer"})
    assert made.policy(made.cards.cards[0]) is made.policy(made.cards.cards[0])


def test_cards_that_were_asked_for_are_all_loaded_at_once():
    broken = card(loader="python:robo_orch.nowhere:Policy")
    roster(broken).check()
    with pytest.raises(CardError, match="nowhere"):
        roster(broken, insist=True).check()


def test_where_there_are_no_pictures_a_card_that_was_asked_for_is_refused():
    with pytest.raises(RenderError, match="switched off"):
        roster(seeing(), robot=Eyes("switched off"), insist=True).check()


def test_where_there_are_no_pictures_other_cards_with_cameras_are_not_fit_and_it_is_tried_once():
    eyes = Eyes("switched off")
    made = roster(seeing(), robot=eyes)
    made.check()
    assert eyes.asked == 0
    assert made.unfit(seeing()) == made.unfit(seeing()) == "no pictures here: switched off"
    assert eyes.asked == 1
    assert roster(seeing()).unfit(seeing()) == ""


def test_what_turns_out_to_be_broken_when_the_arm_has_moved_is_not_chosen():
    broken = card(loader="python:robo_orch.nowhere:Policy")
    made = roster(broken)
    made.load({"open_drawer"}, moving=True)
    assert "nowhere" in made.unfit(broken)
