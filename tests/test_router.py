# SPDX-License-Identifier: Apache-2.0
"""The first card that can do the step from here, or the reasons why none can."""

from __future__ import annotations

from dataclasses import replace

from robo_orch.policies.registry import Registry
from robo_orch.router import choose
from robo_orch.skills import skill
from robo_orch.types import Precision
from tests.scenes import estimate, facts

CARDS = Registry.load(only=["tamp/pick-place-v1"])
STEP = skill("pick_place").subgoal("red_cube", "plate")


def test_a_card_whose_preconditions_hold_is_chosen():
    choice = choose(STEP, facts(), CARDS)
    assert choice.card is CARDS.cards[0] and choice.candidates[0].why == ""


def test_the_configured_order_decides_among_several():
    second = CARDS.cards[0].model_copy(update={"id": "tamp/other-v1"})
    assert choose(STEP, facts(), Registry((second, *CARDS.cards))).card is second


def test_a_precondition_that_fails_now_is_named():  # case C37
    choice = choose(STEP, facts(green_cube=(0.4, -0.2, 0.06)), CARDS)
    assert choice.card is None and "clear(red_cube)" in choice.because


def test_a_doubtful_precondition_does_not_count_as_held():
    on_top = (0.4, -0.2, 0.06)
    assert choose(STEP, facts(green_cube=on_top, sigma=0.02), CARDS).card is None


def test_a_pose_that_is_too_coarse_is_refused():
    seen = facts()
    coarse = estimate("red_cube", (0.4, -0.2, 0.02), 0.04, precision=Precision.COARSE)
    choice = choose(STEP, replace(seen, objects={**seen.objects, "red_cube": coarse}), CARDS)
    assert choice.card is None and "coarse" in choice.because


def test_an_object_that_was_never_perceived_is_named():
    assert "plate has not been perceived" in choose(STEP, facts(missing=("plate",)), CARDS).because


def test_a_skill_that_nobody_offers_is_said():
    choice = choose(skill("open_drawer").subgoal("drawer"), facts(), CARDS)
    assert choice.card is None and "no card offers open_drawer" in choice.because
