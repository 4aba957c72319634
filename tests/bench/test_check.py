# SPDX-License-Identifier: Apache-2.0
"""What a trial on real observations finds."""

from __future__ import annotations

import numpy as np
import pytest

from robo_orch.bench.check import check
from robo_orch.policies import inputs
from robo_orch.policies.registry import Registry
from robo_orch.sim import gl
from tests.policies.learned import SEEING, STILL, card, state_input

TEXT = {"words": {"kind": "text", "encoder": "minilm-int8"}}


@pytest.fixture(autouse=True)
def _frozen_encoder(monkeypatch):
    monkeypatch.setattr(inputs, "embedded", lambda text: np.full(384, len(text) / 3840, np.float32))


def found(tmp_path, body=STILL, **changes):
    return check(card(tmp_path, body, **changes))


def test_a_policy_that_keeps_to_its_card_has_no_problems(tmp_path):
    finding = found(tmp_path)
    assert finding.ok, finding.problems
    assert finding.looks >= 50
    assert finding.told().keys() >= {"id", "ok", "problems", "latency_ms", "clipped", "ood", "provider"}
    assert (finding.ood, finding.language, finding.golden) == (None, None, None)


def test_numbers_beyond_the_cards_ranges_are_counted(tmp_path):
    finding = found(tmp_path, **state_input(low=[-9.0] * 5, high=[9.0, 9.0, -8.0, 9.0, 9.0]))
    assert finding.ood == pytest.approx(0.2) and finding.ok
    nowhere = found(tmp_path, **state_input(low=[8.0] * 5, high=[9.0] * 5))
    assert nowhere.ood == 1.0 and "within low and high" in str(nowhere.problems[0])


def test_numbers_and_actions_that_never_change_are_told(tmp_path):
    warnings = " ".join(found(tmp_path).warnings)
    assert "gripper[1] in state" in warnings and "action 3 is 0" in warnings
    blind = found(tmp_path, **state_input(normalize={"mean": [0.0] * 5, "std": [1e12] * 5}))
    assert "actions that depend on what is seen" in str(blind.problems[0])


def test_commands_that_the_robot_cannot_follow_are_told(tmp_path):
    fast = found(tmp_path, **state_input(normalize={"mean": [0.0] * 5, "std": [0.01] * 5}))
    assert any("LIMIT_EXCEEDED" in str(p) or "clipped" in str(p) for p in fast.problems)


def test_a_policy_that_does_not_heed_its_words_may_not_take_them(tmp_path):
    deaf = STILL["observation"] | TEXT
    finding = found(tmp_path, loader="onnx:deaf.onnx", observation=deaf)
    assert finding.language == 0.0
    assert "actions that depend on the instruction" in str(finding.problems[-1])


@pytest.mark.gl
def test_a_policy_that_sees_and_reads_is_tried_with_pictures_and_other_words(tmp_path):
    if gl.gl_backend().backend is None:
        pytest.skip(gl.gl_backend().message)
    finding = found(tmp_path, SEEING, finish=None, chunk={"length": 4})
    assert finding.looks >= 50 and not finding.skipped
    assert finding.language > 1e-5
    assert finding.latency_ms["pre"] is not None


def test_without_gl_a_policy_that_sees_is_not_tried_and_it_is_said(tmp_path, monkeypatch):
    status = gl.GlStatus(None, "images are switched off")
    monkeypatch.setattr("robo_orch.bench.check.gl_backend", lambda: status)
    finding = found(tmp_path, SEEING)
    assert (finding.ok, finding.looks) == (True, 0)
    assert "images are switched off" in finding.skipped[0]


def test_policies_without_a_model_are_tried_too():
    (handle,) = Registry.load(only=["tamp/handle-v1"])
    finding = check(handle)
    assert finding.ok, finding.problems
    assert finding.looks >= 50 and finding.latency_ms["p50"] > 0 and finding.latency_ms["infer"] is None
