# SPDX-License-Identifier: Apache-2.0
"""A run as a person watches it: a tree that moves on a terminal, plain lines anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Protocol, Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from robo_orch.bridge.names import NONE
from robo_orch.runs.result import Finished
from robo_orch.runs.schema import Event
from robo_orch.runs.timeline import State, Step, Timeline
from robo_orch.runs.words import advice, sentence

ICONS = {State.PENDING: "○", State.RUNNING: "▶", State.DONE: "✓", State.SKIPPED: "✓", State.FAILED: "✗"}
STYLES = {
    State.PENDING: "dim",
    State.RUNNING: "bold cyan",
    State.DONE: "green",
    State.SKIPPED: "green",
    State.FAILED: "bold red",
}


class View(Protocol):
    """Shows a run; a context, so that the terminal is left in order."""

    def see(self, event: Event) -> None:
        """Take in what happened."""
        ...

    def say(self, line: str) -> None:
        """Show a line for a person."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def view() -> View:
    """The view that suits where stdout goes."""
    console = Console()
    return TreeView(console) if console.is_terminal and not console.is_dumb_terminal else LineView()


class LineView:
    """One line for what is worth one. A reader that goes away does not end the run."""

    def __init__(self) -> None:
        self._gone = False

    def see(self, event: Event) -> None:
        """Print what the event says to people, if anything."""
        for line in lines_of(event):
            self._print(f"{event.t:8.2f} s  {line}")

    def say(self, line: str) -> None:
        """Print to stderr."""
        sys.stderr.write(line + "\n")

    def _print(self, line: str) -> None:
        if self._gone:
            return
        try:
            print(line, flush=True)
        except BrokenPipeError:
            self._gone = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class TreeView:
    """The plan as a tree: state, attempt, policy and what it is doing, elapsed time, and how long it may still take."""

    def __init__(self, console: Console) -> None:
        self._console, self._timeline = console, Timeline()
        self._begun = time.perf_counter()
        self._first_step: float | None = None
        self._live = Live(
            console=console, get_renderable=lambda: draw(self._timeline, *self._seconds()), refresh_per_second=8
        )

    def see(self, event: Event) -> None:
        """Move the tree on."""
        self._timeline.apply(event)
        if event.type == "step_started" and self._first_step is None:
            self._first_step = time.perf_counter()

    def say(self, line: str) -> None:
        """Print above the tree."""
        self._console.print(Text(line, style="yellow"))

    def _seconds(self) -> tuple[float, float | None]:
        """Wall time so far, and what the steps left may take: as long as those done took on average."""
        now, steps = time.perf_counter(), self._timeline.steps
        done = sum(step.state is State.DONE for step in steps)
        left = sum(step.state in (State.PENDING, State.RUNNING) for step in steps)
        if self._first_step is None or done == 0 or left == 0:
            return now - self._begun, None
        return now - self._begun, (now - self._first_step) / done * left

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)


def draw(timeline: Timeline, wall: float, left: float | None = None) -> Group:
    """The tree of a run: ``wall`` s since it began, ``left`` s that the rest may take."""
    head = Text(timeline.goal or "…", style="bold")
    tree = Tree(head, guide_style="dim")
    for step in timeline.steps:
        tree.add(_branch(step))
    if not timeline.steps:
        tree.add(Text("setting up the scene and planning", style="dim"))
    clock = f"{100 * timeline.progress:3.0f} %   {timeline.time:6.1f} s robot time   {wall:6.1f} s elapsed"
    return Group(tree, Text(clock + (f"   about {left:.0f} s left" if left is not None else ""), style="dim"))


def _branch(step: Step) -> Table:
    row = Table.grid(padding=(0, 1))
    row.add_row(Text(ICONS[step.state], STYLES[step.state]), Text(step.text), Text(_detail(step), "dim"))
    return row


def _detail(step: Step) -> str:
    parts = []
    if step.state is State.SKIPPED:
        parts.append("held already")
    if len(step.attempts) > 1:
        parts.append(f"attempt {len(step.attempts)}")
    if step.card:
        parts.append(step.card)
    if step.bridge != NONE:
        parts.append("no way to its start" if step.bridge == "failed" else step.bridge)
    if step.state is State.RUNNING and step.doing:
        parts.append(step.doing)
    if step.state in (State.DONE, State.FAILED):
        parts.append(f"{step.seconds:.1f} s")
    if step.state is State.FAILED and step.attempts and step.attempts[-1].because:
        parts.append(step.attempts[-1].because)
    return " · ".join(parts)


def lines_of(event: Event) -> Iterator[str]:
    """What an event says to people, as plain lines; most say nothing."""
    data = event.data
    match event.type:
        case "goal_grounded":
            yield f"goal: {data['text']}"
        case "plan_made":
            yield f"plan: {'; '.join(step['text'] for step in data['steps']) or 'nothing to do'}"
        case "step_started":
            again = f" (attempt {data['attempt']})" if data["attempt"] > 1 else ""
            yield f"step {data['index'] + 1}: {data['text']}{again}"
        case "step_skipped":
            yield f"step {data['index'] + 1}: holds already"
        case "handoff":
            yield f"step {data['index'] + 1}: {_handed_over(data)}"
        case "verdict":
            yield f"step {data['index'] + 1}: {data['code']}, {data['because']}"
        case "recovery":
            yield f"recovery: {data['action']}, {data['because']}"
        case "interrupted":
            yield "interrupted"


def _handed_over(data: Mapping[str, Any]) -> str:
    """A hand-over in words."""
    if not data["ok"]:
        return f"not brought to the start of {data['to']}, {data['message']}"
    if data["method"] == NONE:
        return str(data["message"])
    return f"brought to the start of {data['to']} in {data['seconds']:.1f} s"


def ending(finished: Finished) -> None:
    """The last words on a run: what it came to, why, what to do, and where everything is."""
    result, console = finished.result, Console(soft_wrap=True, highlight=False)
    good = finished.exit_code == 0
    console.print(Text(f"{'✓' if good else '✗'} {sentence(result)}", style="bold green" if good else "bold red"))
    if result["failure"] is not None:
        failure = result["failure"]
        console.print(Text(f"  what    {_failing_step(finished)}{failure['code']} while at: {failure['stage']}"))
        console.print(Text(f"  why     {failure['message']}"))
        console.print(Text(f"  try     {advice(result)}"))
    if finished.folder is not None:
        console.print(Text(f"  record  {finished.folder}"))
        for name, title in (("report.html", "report"), ("video.mp4", "video ")):
            if (finished.folder / name).is_file():
                console.print(Text(f"  {title}  {finished.folder / name}"))
        console.print(Text(f"  replay  robo-orch replay {finished.folder}"))


def planned(finished: Finished) -> None:
    """The plan of a dry run."""
    for number, step in enumerate(finished.result["subgoals"], start=1):
        print(f"{number}. {step['text']}   {step['predicate']}   [{step['skill']}]")
    if not finished.result["subgoals"]:
        print("nothing to do: the goal holds already")


def _failing_step(finished: Finished) -> str:
    for step in finished.result["subgoals"]:
        if step["verdict"] not in (None, "OK"):
            return f"{step['text']}: "
    return ""
