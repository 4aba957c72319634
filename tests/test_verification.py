# SPDX-License-Identifier: Apache-2.0
"""A verdict needs the fact to be there, to stay, and to be seen."""

from __future__ import annotations

from robo_orch.types import Code, Predicate
from robo_orch.verification import verify
from tests.scenes import INVENTORY, ON_PLATE, observation

FACT = Predicate("on", ("red_cube", "plate"))


def watched(*frames: dict):
    return verify(FACT, INVENTORY, [observation(0.1 * (i + 1), **f) for i, f in enumerate(frames)])


def test_a_fact_that_holds_throughout_is_ok():
    verdict = watched(*[{"red_cube": ON_PLATE}] * 5)
    assert verdict.code is Code.OK and verdict.probability > 0.99
    assert verdict.verifier == "predicates-v1"  # case C33


def test_a_fact_that_is_not_there_is_not_yet_and_says_why():
    verdict = watched(*[{}] * 5)
    assert verdict.code is Code.NOT_YET and "plate" in verdict.because


def test_a_fact_that_does_not_last_is_no_success():  # case C33
    assert watched(*[{"red_cube": ON_PLATE}] * 4, {}).code is Code.NOT_YET


def test_what_is_still_held_is_not_set_down():  # case C33
    assert watched(*[{"red_cube": ON_PLATE, "holding": "red_cube"}] * 5).code is Code.NOT_YET


def test_poor_perception_gives_unknown_and_never_a_confident_answer():
    assert watched(*[{"red_cube": ON_PLATE, "sigma": 0.05}] * 5).code is Code.UNKNOWN


def test_what_was_never_seen_is_unknown():
    verdict = watched(*[{"missing": ("red_cube",)}] * 3)
    assert verdict.code is Code.UNKNOWN and "red_cube" in verdict.because
    assert verify(FACT, INVENTORY, []).code is Code.UNKNOWN


def test_a_repeated_frame_counts_once():
    seen = observation(0.1, red_cube=ON_PLATE)
    gone = observation(0.2)
    assert verify(FACT, INVENTORY, [seen] * 50 + [gone]).code is Code.NOT_YET
