# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.plan import Plan, StepState
from robo_orch.skills import skill
from robo_orch.types import Code

SUBGOALS = tuple(skill("pick_place").subgoal(f"{colour}_cube", "plate") for colour in ("red", "green", "blue"))
PLAN = Plan.of(*SUBGOALS)


def test_a_fresh_plan_is_at_its_first_step():
    assert PLAN.index == 0
    assert PLAN.current.subgoal is SUBGOALS[0]
    assert PLAN.progress == 0.0
    assert not PLAN.complete


def test_an_empty_plan_is_complete():
    empty = Plan.of()
    assert empty.complete
    assert empty.current is None
    assert empty.progress == 1.0


def test_only_ok_moves_on_and_every_attempt_counts():
    plan = PLAN.attempted(Code.NOT_YET).attempted(Code.NO_PROGRESS)
    assert (plan.index, plan.current.attempts, plan.current.verdict) == (0, 2, Code.NO_PROGRESS)
    plan = plan.attempted(Code.OK)
    assert (plan.index, plan.steps[0].state, plan.steps[0].attempts) == (1, StepState.DONE, 3)


def test_a_skipped_step_is_done_without_an_attempt():
    step = PLAN.skip().steps[0]
    assert (step.state, step.attempts, step.skipped, step.verdict) == (StepState.DONE, 0, True, Code.OK)


def test_a_failed_step_ends_the_plan():
    plan = PLAN.skip().fail()
    assert plan.current is None
    assert not plan.complete
    for transition in (plan.skip, plan.fail, lambda: plan.attempted(Code.OK)):
        with pytest.raises(ValueError, match="no current step"):
            transition()


def test_a_step_that_came_undone_is_current_again():
    plan = PLAN.skip().skip().reopen(0)
    assert plan.index == 0
    assert plan.steps[1].state is StepState.DONE


@pytest.mark.parametrize("index", [0, 2])
def test_only_what_is_done_can_be_reopened(index):
    with pytest.raises(ValueError, match="only a step that is done"):
        PLAN.reopen(index)


MOVES = st.one_of(
    st.sampled_from([Code.OK, Code.NOT_YET, Code.NO_PROGRESS, Code.LOST_HOLD]),
    st.sampled_from(["skip", "fail"]),
    st.integers(0, 2),
)


@given(st.lists(MOVES, max_size=30))
def test_whatever_happens_a_plan_keeps_its_invariants(moves):
    plan = PLAN
    for move in moves:
        before = plan
        try:
            if isinstance(move, int):
                plan = plan.reopen(move)
            elif move in ("skip", "fail"):
                plan = getattr(plan, move)()
            else:
                plan = plan.attempted(move)
        except ValueError:
            assert plan is before
        assert tuple(step.subgoal for step in plan.steps) == SUBGOALS
        assert 0.0 <= plan.progress <= 1.0
        assert plan.complete == (plan.progress == 1.0)
        assert all(new.attempts >= old.attempts for new, old in zip(plan.steps, before.steps, strict=True))
        if plan.current is not None:
            assert plan.current.state is StepState.PENDING
            assert all(step.state is StepState.DONE for step in plan.steps[: plan.index])
        else:
            assert plan.complete or any(step.state is StepState.FAILED for step in plan.steps)
