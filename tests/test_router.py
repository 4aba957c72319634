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


def test_what_a_step_puts_somewhere_does_not_keep_it_from_being_put_there_again():
    step, on_green = skill("stack").subgoal("red_cube", "green_cube"), (0.5, -0.2, 0.06)
    assert choose(step, facts(red_cube=on_green), CARDS).card is CARDS.cards[0]
    choice = choose(step, facts(blue_cube=on_green), CARDS)
    assert choice.card is None and "clear(green_cube)" in choice.because


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


def test_a_kind_that_a_card_does_not_take_is_named():
    card = CARDS.cards[0].model_copy(update={"takes": {STEP.skill: {"object": ("mug", "can")}}})
    choice = choose(STEP, facts(), Registry((card,)))
    assert choice.card is None and "as its object it takes mug, can; red_cube is a cube" in choice.because


OTHER = CARDS.cards[0].model_copy(update={"id": "vla/other-v1"})
BOTH = Registry((*CARDS.cards, OTHER))


def test_a_card_that_works_without_poses_needs_none():
    blind = OTHER.model_copy(update={"poses": OTHER.poses.model_copy(update={"precision": Precision.NONE})})
    assert choose(STEP, facts(missing=("plate",)), Registry((*CARDS.cards, blind))).card is blind


def test_a_card_that_had_its_turns_lets_others_go_first_and_it_is_said():
    choice = choose(STEP, facts(), BOTH, {"tamp/pick-place-v1": "it failed at this 2 times"})
    assert choice.card is OTHER
    assert choice.because.endswith("tamp/pick-place-v1: it failed at this 2 times")
    assert [c.why for c in choice.candidates] == ["it failed at this 2 times", ""]


def test_a_card_that_had_its_turns_goes_on_where_no_other_fits():
    tired = {"tamp/pick-place-v1": "it failed at this 2 times"}
    choice = choose(STEP, facts(), CARDS, tired)
    assert choice.card is CARDS.cards[0] and "no other card fits" in choice.because
    choice = choose(STEP, facts(), BOTH, tired, lambda card: "no pictures here" if card is OTHER else "")
    assert choice.card is CARDS.cards[0]
    assert [c.why for c in choice.candidates] == ["", "no pictures here"]


def test_what_cannot_be_used_here_is_asked_of_those_only_that_would_be_chosen():
    asked = []
    choice = choose(STEP, facts(), BOTH, unfit=lambda card: asked.append(card.id) or "")
    assert choice.card is CARDS.cards[0] and asked == ["tamp/pick-place-v1"]
    choice = choose(STEP, facts(), BOTH, unfit=lambda card: "no pictures here: off")
    assert choice.card is None and "vla/other-v1: no pictures here: off" in choice.because
