# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from io import StringIO

from rich.console import Console

from robo_orch.cli.live import LineView, TreeView, draw, ending, lines_of
from robo_orch.runs.config import RunConfig
from robo_orch.runs.result import Finished, blank
from robo_orch.runs.timeline import Timeline
from tests.runs.stories import attempt, beginning, events, handoff, with_a_retry


def _drawn(story, wall=3.0, left=None) -> str:
    console = Console(file=StringIO(), width=140, color_system=None)
    console.print(draw(Timeline.of(events(story)), wall, left))
    return console.file.getvalue()


def test_the_tree_shows_what_is_going_on():
    text = _drawn(
        [*beginning(), *attempt(0, 1, 0, 2, "OK"), *attempt(1, 1, 2, 5, "NOT_YET"), *attempt(1, 2, 5, 9, "OK")[:3]]
    )
    assert "✓ put the red cube on the plate" in text
    assert "▶ stack the green cube on the blue cube attempt 2 · tamp/pick-place-v1 · reaching for it" in text
    assert " 50 %" in text
    assert "3.0 s elapsed" in text
    assert "left" not in text


def test_time_left_is_shown_where_there_is_ground_for_it():
    assert "about 4 s left" in _drawn(beginning(), left=4.2)


def test_before_there_is_a_plan_it_says_what_it_does():
    assert "setting up" in _drawn([])


def test_goals_are_text_and_no_markup():
    assert "[red]cube[/red] [/]" in _drawn(beginning("[red]cube[/red] [/]"))


def test_every_moment_of_a_run_can_be_drawn():
    story = with_a_retry()
    for n in range(len(story)):
        assert _drawn(story[:n])


def test_the_live_tree_leaves_the_terminal_in_order():
    console = Console(file=StringIO(), force_terminal=True, width=120)
    view = TreeView(console)
    view.__enter__()
    for event in events(with_a_retry()):
        view.see(event)
    view.say("no pictures")
    view.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    text = console.file.getvalue()
    assert "stack the green cube" in text
    assert text.rstrip().endswith("\x1b[?25h")


def test_plain_lines_go_on_when_the_reader_has_gone(monkeypatch):
    written = []

    def broken(line, flush):
        written.append(line)
        raise BrokenPipeError

    monkeypatch.setattr("builtins.print", broken)
    view = LineView()
    for event in events(with_a_retry()):
        view.see(event)
    assert len(written) == 1


def test_the_end_of_a_failed_run_says_what_to_do(capsys):
    failed = {"stage": "policy", "code": "NO_PATH", "message": "the plate is in [the] way"}
    ending(Finished(blank(RunConfig("goal")) | {"failure": failed}, 1))
    out = capsys.readouterr().out
    assert "the plate is in [the] way" in out
    assert "make room between the arm and the object" in out


def test_a_hand_over_is_shown_with_its_step():
    begun = [*beginning(), *attempt(0, 1, 0, 2, "OK")[:2]]
    assert "tamp/pick-place-v1 · declared-start" in _drawn([*begun, handoff(0, 1.0)])
    assert "no way to its start" in _drawn([*begun, handoff(0, 1.0, ok=False, message="NO_PATH: a wall")])


def test_a_hand_over_is_one_line_for_those_who_read_lines():
    said = [handoff(0, 1.0), handoff(0, 1.0, ok=False, message="NO_PATH: a wall")]
    said += [handoff(0, 1.0, method="none", message="the arm stays where it is")]
    assert [line for event in events(said) for line in lines_of(event)] == [
        "step 1: brought to the start of tamp/pick-place-v1 in 1.5 s",
        "step 1: not brought to the start of tamp/pick-place-v1, NO_PATH: a wall",
        "step 1: the arm stays where it is",
    ]
