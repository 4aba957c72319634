# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.runs.config import RunConfig
from robo_orch.runs.result import blank, exit_code, failure
from robo_orch.runs.words import ADVICE, advice, sentence
from robo_orch.types import Code, Outcome, Stage


@pytest.mark.parametrize(
    ("success", "outcome", "own", "code"),
    [
        (True, None, False, 0),
        (True, Outcome(Code.UNKNOWN, Stage.VERIFY), True, 0),
        (False, Outcome(Code.NO_CAPABLE_POLICY, Stage.ROUTE), True, 1),
        (False, Outcome(Code.NOT_YET, Stage.VERIFY), False, 1),
        (False, Outcome(Code.TRACKING_ERROR, Stage.SAFETY), True, 3),
        (False, Outcome(Code.UNSAFE, Stage.SAFETY), False, 1),
        (False, Outcome(Code.INTERNAL, Stage.INTERNAL), True, 3),
        (False, Outcome(Code.INTERRUPTED, Stage.INTERNAL), True, 130),
    ],
)
def test_exit_codes(success, outcome, own, code):
    assert exit_code(success, outcome, own) == code


def test_failures_are_stage_code_and_message():
    told = failure(Outcome(Code.NO_PATH, Stage.POLICY, "the plate is in the way"))
    assert told == {"stage": "policy", "code": "NO_PATH", "message": "the plate is in the way"}
    assert failure(None) is None


def test_advice_is_about_codes_that_exist():
    assert set(ADVICE) <= {str(code) for code in Code}


def test_every_ending_has_a_sentence_of_its_own():
    base = blank(RunConfig("goal")) | {"subgoals": [{}, {}], "progress": 0.5, "sim_seconds": 3.0}
    failed = {"stage": "verify", "code": "NOT_YET", "message": "no"}
    endings = [
        {"success": True, "done": True, "progress": 1.0},
        {"success": True, "done": True, "failure": failed},
        {"done": True, "failure": failed},
        {"failure": failed},
        {"failure": failed, "interrupted": True},
    ]
    said = [sentence(base | ending) for ending in endings]
    assert len(set(said)) == len(said)
    assert "1 of 2 steps" in said[-1]
    assert advice(base | {"failure": failed}) == ADVICE["NOT_YET"]
    assert advice(base) == ""
