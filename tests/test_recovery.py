# SPDX-License-Identifier: Apache-2.0
"""Retries are bounded, blocked plans are made anew, done steps stay watched."""

from __future__ import annotations

from robo_orch.plan import Plan
from robo_orch.recovery import MAX_ATTEMPTS, MAX_REPLANS, Action, after_attempt, tired, undone, when_blocked
from robo_orch.skills import skill
from robo_orch.types import Code, Outcome, Stage, Trial
from robo_orch.verification import Verdict
from tests.scenes import ON_PLATE, facts

FIRST = skill("pick_place").subgoal("red_cube", "plate")
SECOND = skill("stack").subgoal("green_cube", "blue_cube")
FAILED = Verdict(Code.LOST_HOLD, 0.0, "it slipped")


def test_success_goes_on():
    plan = Plan.of(FIRST).attempted(Code.OK)
    assert after_attempt(plan.steps[0], Verdict(Code.OK, 1.0, "fine")).action is Action.PROCEED


def test_failures_are_retried_a_bounded_number_of_times():  # case C35
    plan, actions = Plan.of(FIRST), []
    for _ in range(MAX_ATTEMPTS):
        plan = plan.attempted(FAILED.code)
        actions.append(after_attempt(plan.steps[0], FAILED))
    assert [a.action for a in actions] == [Action.RETRY] * (MAX_ATTEMPTS - 1) + [Action.GIVE_UP]
    assert "it slipped" in actions[-1].because


def test_a_blocked_plan_is_made_anew_a_bounded_number_of_times():
    assert when_blocked("in the way", 0).action is Action.REPLAN
    assert when_blocked("in the way", MAX_REPLANS).action is Action.GIVE_UP


def test_a_done_step_that_comes_undone_is_noticed():
    plan = Plan.of(FIRST, SECOND).attempted(Code.OK)
    assert undone(plan, facts(red_cube=ON_PLATE)) is None
    assert undone(plan, facts()) == 0


def test_a_step_whose_object_a_later_step_moves_is_no_longer_watched():
    later = skill("stack").subgoal("red_cube", "blue_cube")
    assert undone(Plan.of(FIRST, later).attempted(Code.OK), facts()) is None


def test_doubt_is_not_regress():
    plan = Plan.of(FIRST, SECOND).attempted(Code.OK)
    assert undone(plan, facts(missing=("red_cube",))) is None
    assert undone(plan, facts(sigma=0.5)) is None


def trial(card: str, verdict: Code = Code.NOT_YET, stage: Stage = Stage.POLICY, subgoal=FIRST) -> Trial:
    return Trial(card, "", subgoal, Outcome(verdict, stage), verdict, 1, 0.0, 1.0, 0)


def test_after_two_failures_at_a_step_a_card_lets_others_go_first():
    assert tired([trial("a"), trial("a", Code.OK), trial("b"), trial("a", subgoal=SECOND)], FIRST) == {}
    assert tired([trial("a"), trial("b"), trial("a")], FIRST) == {"a": "it failed at this 2 times"}


def test_a_card_whose_start_was_out_of_reach_lets_others_go_first_at_once():
    assert "start" in tired([trial("a", Code.NO_BRIDGE, Stage.BRIDGE)], FIRST)["a"]
