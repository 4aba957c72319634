# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from robo_orch.motion.failure import GaveUp, MotionFailure
from robo_orch.types import Code


def test_a_failure_carries_its_code_and_its_reason():
    failure = MotionFailure(Code.NO_PATH, "wall is in the way")
    assert failure.code is Code.NO_PATH
    assert failure.reason == "wall is in the way"
    assert str(failure) == "NO_PATH: wall is in the way"


def test_giving_up_is_a_failure_that_says_after_how_much():
    failure = GaveUp(1234)
    assert failure.code is Code.NO_PATH and "1234" in failure.reason and failure.touching == ()
