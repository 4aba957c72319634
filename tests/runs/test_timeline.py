# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from robo_orch.runs.timeline import State, Timeline
from tests.runs.stories import CARD, STEPS, attempt, beginning, events, handoff, with_a_retry


def test_a_retried_run_is_told_attempt_by_attempt():
    timeline = Timeline.of(events(with_a_retry()))
    first, second = timeline.steps
    assert timeline.progress == 1.0
    assert [a.code for a in second.attempts] == ["NOT_YET", "OK"]
    assert [(a.start, a.end) for a in second.attempts] == [(2.0, 5.0), (5.0, 9.0)]
    assert second.summary() == {
        "text": STEPS[1]["text"],
        "predicate": "stacked(green_cube, blue_cube)",
        "skill": "stack",
        "card": CARD,
        "bridge": "none",
        "verdict": "OK",
        "attempts": 2,
        "seconds": 7.0,
    }
    assert first.state is State.DONE


def test_what_is_being_done_is_shown_while_it_is_done():
    timeline = Timeline.of(events([*beginning(), *attempt(0, 1, 0.0, 2.0, "OK")[:3]]))
    assert timeline.step.state is State.RUNNING
    assert timeline.step.doing == "reaching for it"
    assert timeline.progress == 0.0
    assert timeline.steps[1].state is State.PENDING


def test_a_skipped_step_counts_as_done():
    timeline = Timeline.of(events([*beginning(), ("step_skipped", 0.0, {"index": 0})]))
    assert timeline.progress == 0.5
    assert timeline.steps[0].summary()["verdict"] == "OK"
    assert timeline.steps[0].summary()["attempts"] == 0


def test_a_new_plan_keeps_the_history_of_steps_that_it_goes_on_from():
    moved = {"text": "put the blue cube on the table", "skill": "pick_place", "predicate": "on(blue_cube, table)"}
    moved |= {"args": {"object": "blue_cube", "target": "table"}, "state": "pending"}
    again = ("plan_made", 2.0, {"steps": [STEPS[0], moved, STEPS[1]]})
    timeline = Timeline.of(events([*beginning(), *attempt(0, 1, 0.0, 2.0, "OK"), again]))
    assert [len(step.attempts) for step in timeline.steps] == [1, 0, 0]
    assert timeline.steps[1].text == "put the blue cube on the table"
    assert timeline.progress == 1 / 3


def test_a_step_that_came_undone_is_pending_again():
    undone = ("recovery", 4.0, {"index": 0, "action": "reopen", "because": "on(red_cube, plate) no longer holds"})
    timeline = Timeline.of(events([*beginning(), *attempt(0, 1, 0.0, 2.0, "OK"), undone]))
    assert timeline.steps[0].state is State.PENDING
    assert timeline.steps[0].recoveries == ["reopen: on(red_cube, plate) no longer holds"]


def test_a_handoff_is_told_with_the_step_that_it_was_for():
    timeline = Timeline.of(events([*beginning(), *attempt(0, 1, 0.0, 2.0, "OK")[:2], handoff(0, 0.5)]))
    assert timeline.steps[0].bridge == "declared-start"
    told = {"subgoal": 0, "from": "rl/push-v1", "to": CARD, "method": "declared-start", "ok": True}
    assert timeline.handoffs == [told | {"seconds": 1.5, "message": "at the start"}]


def test_a_failed_handoff_is_told_as_failed():
    story = [*beginning(), *attempt(0, 1, 0.0, 2.0, "OK")[:2], handoff(0, 0.5, ok=False)]
    assert Timeline.of(events(story)).steps[0].bridge == "failed"


def test_a_handoff_between_two_attempts_belongs_to_the_second():
    story = [*beginning(), *attempt(0, 1, 0.0, 2.0, "NOT_YET"), handoff(0, 2.5), *attempt(0, 2, 3.0, 4.0, "OK")]
    first, second = Timeline.of(events(story)).steps[0].attempts
    assert (first.bridge, second.bridge) == ("none", "declared-start")
    assert (second.number, second.start, second.card) == (2, 2.5, CARD)


def test_event_types_of_later_versions_change_nothing():
    before, after = (
        events(with_a_retry()),
        events([*with_a_retry(), ("telepathy", 9.5, {"index": 1, "colour": "blue"})]),
    )
    assert Timeline.of(after).steps == Timeline.of(before).steps
