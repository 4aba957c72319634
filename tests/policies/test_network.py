# SPDX-License-Identifier: Apache-2.0
"""A card with a model is a policy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robo_orch.errors import CardError, ModelError
from robo_orch.policies import inputs
from robo_orch.policies.golden import write as write_golden
from robo_orch.policies.loaders import load_policy
from robo_orch.types import ActionChunk, Code, Done, Failed
from tests.policies.learned import GOAL, SEEING, WORDS, card, chunk, context, observation, state_input


@pytest.fixture(autouse=True)
def _frozen_encoder(monkeypatch):
    monkeypatch.setattr(inputs, "embedded", lambda text: WORDS)


def policy(tmp_path, *body, **changes):
    made = load_policy(context(card(tmp_path, *body, **changes)))
    made.reset(GOAL, observation(), 0)
    return made


def test_a_look_gives_actions_in_the_cards_space(tmp_path):
    made = policy(tmp_path)
    step = made.act(observation(stamp=2.5))
    assert isinstance(step, ActionChunk)
    assert (step.start, step.period, step.space) == (2.5, 0.1, made.card.action.space)
    np.testing.assert_allclose(step.values, [[0.01, 0.01, -0.028, 0, 0, 0, 0.06]], atol=1e-6)
    assert made.session.provider
    assert made.timing.summary()["total"]["n"] == 1


def test_of_a_chunk_the_first_actions_are_executed_and_the_prefix_is_heeded(tmp_path):
    made = policy(tmp_path, SEEING)
    rows = np.arange(28.0).reshape(4, 7)
    step = made.act(observation(), chunk(rows, made.card))
    np.testing.assert_allclose(step.values, rows[:2] + 1e-3 * WORDS.sum(), rtol=1e-5)


def test_confidence_and_completion_are_part_of_the_answer(tmp_path):
    made = policy(tmp_path, SEEING)
    assert (made.confidence, made.completion) == (None, None)
    step = made.act(observation(grey=51), chunk(np.zeros((2, 7)), made.card))
    assert (made.confidence, made.completion) == (pytest.approx(0.2), 0.5)
    assert step.label == "50% done, confidence 0.20"
    made.reset(GOAL, observation(), 0)
    assert (made.confidence, made.completion) == (None, None)


def test_it_is_done_when_the_model_says_so_twice_in_a_row(tmp_path):
    made = policy(tmp_path, SEEING)
    little, much = chunk(np.zeros((2, 7)), made.card), chunk(np.zeros((4, 7)), made.card)
    for committed in (much, little, much, much):
        assert isinstance(made.act(observation(), committed), ActionChunk)
    assert isinstance(made.act(observation(), much), Done)
    made.reset(GOAL, observation(), 0)
    assert isinstance(made.act(observation(), much), ActionChunk)


def test_it_is_done_when_the_postcondition_is_perceived(tmp_path):
    made = policy(tmp_path, finish={"by": "postcondition", "looks": 2})
    on_top = {"red_cube": (0.6, 0.1, 0.06)}
    assert isinstance(made.act(observation(**on_top)), ActionChunk)
    assert isinstance(made.act(observation()), ActionChunk)
    assert isinstance(made.act(observation(**on_top)), ActionChunk)
    assert isinstance(made.act(observation(**on_top)), Done)


def test_without_finish_it_never_says_that_it_is_done(tmp_path):
    made = policy(tmp_path)
    assert all(isinstance(made.act(observation(red_cube=(0.6, 0.1, 0.06))), ActionChunk) for _ in range(5))


def test_what_is_missing_is_a_failure_and_no_guess(tmp_path):
    seen = observation()
    failed = policy(tmp_path).act(replace(seen, objects={}))
    assert failed == Failed(Code.NOT_PERCEIVED, "red_cube has not been perceived")
    assert "camera wrist" in policy(tmp_path, SEEING).act(replace(seen, images={})).reason
    made = policy(tmp_path)
    made.close()
    assert made.act(seen).code is Code.POLICY_ERROR


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"loader": "onnx:gone.onnx"}, "gone.onnx"),
        ({"loader": "onnx:"}, "onnx:FILE"),
        (state_input(keys=["object.toward"]), "float32 [1, 3] was expected"),
        (state_input(normalize={"mean": [0.0] * 4, "std": [1.0] * 4}), "statistics of width 5"),
        ({"action": {"kind": "joint_delta", "dim": 7, "gripper": "width", "reference": "command"}}, "8 components"),
        ({"loader": "onnx:open_axes.onnx"}, "actions [1, 1, 7] were expected, as chunk and action say, got [1, 3, 5]"),
        ({"golden": "gone.npz"}, "gone.npz"),
    ],
)
def test_what_does_not_fit_is_refused_as_it_is_loaded(tmp_path, changes, named):
    with pytest.raises(CardError) as error:
        load_policy(context(card(tmp_path, **changes)))
    assert named in str(error.value)
    assert len(str(error.value).splitlines()) == 3


def test_what_is_wrong_with_the_card_is_found_before_the_weights_are_opened(tmp_path):
    made = card(tmp_path, robots=["ur5"])
    (tmp_path / "still.onnx").write_bytes(b"no model")
    with pytest.raises(CardError, match="ur5"):
        load_policy(context(made))


def test_a_newer_opset_and_a_missing_gpu_are_refused(tmp_path):
    with pytest.raises(ModelError, match="opset 999"):
        load_policy(context(card(tmp_path, loader="onnx:newer_opset.onnx")))
    pytest.importorskip("onnxruntime")
    from robo_orch.kernels.runtime import GPU, ort

    if not set(GPU) & set(ort.get_available_providers()):
        with pytest.raises(ModelError, match="a GPU"):
            load_policy(context(card(tmp_path, require_gpu=True)))


INPUTS = {"state": np.array([[1.0, 2.0, 3.0, 0.05, 0.0]], np.float32)}


class TestGolden:
    def written(self, tmp_path, outputs):
        made = card(tmp_path, golden="golden.npz")
        write_golden(tmp_path / "golden.npz", INPUTS, outputs)
        return context(made)

    def test_a_model_that_says_the_same_is_loaded(self, tmp_path):
        wanted = np.array([[0.1, 0.2, 0.3, 0, 0, 0, 0.05]], np.float32)
        assert load_policy(self.written(tmp_path, {"action": wanted})).golden <= 1e-6

    @pytest.mark.parametrize(
        ("outputs", "named"),
        [
            ({"action": np.full((1, 7), 0.2, np.float32)}, "action off by"),
            ({"action": np.full((1, 7), np.nan, np.float32)}, "action off by nan"),
            ({"action": np.zeros((1, 6), np.float32)}, "action of shape [1, 7]"),
            ({"move": np.zeros((1, 7), np.float32)}, "outputs action"),
        ],
    )
    def test_a_model_that_says_something_else_is_refused(self, tmp_path, outputs, named):
        with pytest.raises(CardError) as error:
            load_policy(self.written(tmp_path, outputs))
        assert named in error.value.got

    @pytest.mark.parametrize("content", [b"", b"no archive"])
    def test_a_file_that_is_no_golden_vector_is_refused(self, tmp_path, content):
        made = context(card(tmp_path, golden="golden.npz"))
        (tmp_path / "golden.npz").write_bytes(content)
        with pytest.raises(CardError, match="a golden vector"):
            load_policy(made)

    def test_arrays_without_inputs_or_outputs_are_refused(self, tmp_path):
        with pytest.raises(CardError, match="with input/state"):
            load_policy(self.written(tmp_path, {}))
