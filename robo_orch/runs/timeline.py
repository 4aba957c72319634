# SPDX-License-Identifier: Apache-2.0
"""What happened, told from events: the one fold behind the live view, the result and the report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from typing import Any, Self

from robo_orch.runs.schema import Event


class State(StrEnum):
    """Where a step stands, for people."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Frame:
    """A key frame: its file within the run folder, the robot's clock (s) and the step that it shows."""

    file: str
    taken: float
    step: str


@dataclass(slots=True)
class Attempt:
    """One attempt at a step: times on the robot's clock, who did it, how it was judged and why."""

    number: int
    start: float
    end: float | None = None
    card: str = ""
    bridge: str = "none"
    code: str = ""
    because: str = ""
    message: str = ""
    safe: bool | None = None


@dataclass(slots=True)
class Step:
    """One step of the plan as far as it has come."""

    text: str
    skill: str
    predicate: str
    args: dict[str, str]
    state: State = State.PENDING
    verdict: str | None = None
    seconds: float = 0.0
    doing: str = ""
    routed: str = ""
    upcoming: Attempt | None = None
    recoveries: list[str] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def card(self) -> str | None:
        """The card that was tried last."""
        return self.attempts[-1].card or None if self.attempts else None

    @property
    def bridge(self) -> str:
        """How the arm came to the last card's start: a method's name, ``none`` or ``failed``."""
        return self.attempts[-1].bridge if self.attempts else "none"

    def is_like(self, other: Step) -> bool:
        """Whether both are the same work."""
        return (self.skill, self.args) == (other.skill, other.args)

    def summary(self) -> dict[str, Any]:
        """The step as it stands in ``result.json``."""
        return {
            "text": self.text,
            "predicate": self.predicate,
            "skill": self.skill,
            "card": self.card,
            "bridge": self.bridge,
            "verdict": self.verdict,
            "attempts": len(self.attempts),
            "seconds": round(self.seconds, 6),
        }


@dataclass(slots=True)
class Timeline:
    """The state of a run after the events that were applied.

    ``time`` is the robot's clock (s) and ``wall`` Unix time (s) at the last event, ``started`` at the first.
    """

    goal: str = ""
    predicates: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    handoffs: list[dict[str, Any]] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    current: int | None = None
    time: float = 0.0
    wall: float = 0.0
    started: float = 0.0
    interrupted: bool = False

    @classmethod
    def of(cls, events: Iterable[Event]) -> Self:
        """The timeline after all of ``events``."""
        timeline = cls()
        for event in events:
            timeline.apply(event)
        return timeline

    @property
    def progress(self) -> float:
        """Share of the plan's steps that are done; 0 without a plan."""
        finished = sum(step.state in (State.DONE, State.SKIPPED) for step in self.steps)
        return finished / len(self.steps) if self.steps else 0.0

    @property
    def step(self) -> Step | None:
        """The step that is worked on."""
        return None if self.current is None else self.steps[self.current]

    def apply(self, event: Event) -> None:
        """Move on by one event; types that are not known change nothing but the time."""
        self.time, self.wall = event.t, event.wall
        self.started = self.started or event.wall
        if event.data.get("index") is not None:
            self.current = event.data["index"]
        handler = getattr(self, f"_on_{event.type}", None)
        if handler is not None:
            handler(event)

    def _on_run_started(self, event: Event) -> None:
        self.goal = event.data.get("goal", "")

    def _on_goal_grounded(self, event: Event) -> None:
        self.predicates = list(event.data["predicates"])

    def _on_plan_made(self, event: Event) -> None:
        """A later plan goes on from the one in force: steps that both have at one place keep their history."""
        fresh = [Step(s["text"], s["skill"], s["predicate"], dict(s["args"])) for s in event.data["steps"]]
        paired = zip_longest(fresh, self.steps)
        self.steps = [old if old and old.is_like(new) else new for new, old in paired if new]
        self.current = None

    def _on_step_started(self, event: Event) -> None:
        step = self._step(event)
        step.state, step.doing = State.RUNNING, ""
        attempt, step.upcoming = step.upcoming or Attempt(0, event.t), None
        attempt.number = event.data.get("attempt", len(step.attempts) + 1)
        attempt.card = event.data.get("card", "") or step.routed
        step.attempts.append(attempt)

    def _on_step_skipped(self, event: Event) -> None:
        step = self._step(event)
        step.state, step.verdict = State.SKIPPED, "OK"

    def _on_routed(self, event: Event) -> None:
        self._step(event).routed = event.data.get("card") or ""

    def _on_handoff(self, event: Event) -> None:
        data, step = event.data, self._step(event)
        keys = ("from", "to", "method", "ok", "seconds", "message")
        self.handoffs.append({"subgoal": data["index"], **{key: data.get(key) for key in keys}})
        if step.state is not State.RUNNING:
            step.upcoming = step.upcoming or Attempt(0, event.t)
        (step.upcoming or self._attempt(event)).bridge = data["method"] if data["ok"] else "failed"

    def _on_chunk(self, event: Event) -> None:
        if self.step is not None:
            self.step.doing = event.data.get("label", "")

    def _on_policy_ended(self, event: Event) -> None:
        attempt = self._attempt(event)
        attempt.message = event.data.get("message", "")
        attempt.code = event.data.get("code", "")

    def _on_verdict(self, event: Event) -> None:
        attempt, step = self._attempt(event), self._step(event)
        attempt.code, attempt.because, attempt.end = event.data["code"], event.data.get("because", ""), event.t
        step.verdict, step.doing = event.data["code"], ""

    def _on_recovery(self, event: Event) -> None:
        action, because = event.data.get("action", ""), event.data.get("because", "")
        if event.data.get("index") is None:
            return
        step = self._step(event)
        step.recoveries.append(f"{action}: {because}" if because else action)
        if action in ("retry", "reopen"):
            step.state = State.PENDING

    def _on_step_ended(self, event: Event) -> None:
        step = self._step(event)
        step.state = State.DONE if event.data["code"] == "OK" else State.FAILED
        step.verdict, step.doing = event.data["code"], ""
        step.seconds += event.data.get("seconds", 0.0)
        if step.attempts and step.attempts[-1].end is None:
            step.attempts[-1].end = event.t

    def _on_referee(self, event: Event) -> None:
        self._attempt(event).safe = event.data["safe"]

    def _on_key_frame(self, event: Event) -> None:
        self.frames.append(Frame(event.data["file"], event.data["taken"], self.step.text if self.step else ""))

    def _on_interrupted(self, event: Event) -> None:
        self.interrupted = True

    def _step(self, event: Event) -> Step:
        return self.steps[event.data["index"]]

    def _attempt(self, event: Event) -> Attempt:
        """The attempt that an event speaks of; an event before any start opens one."""
        step = self._step(event)
        if not step.attempts:
            step.attempts.append(Attempt(1, event.t))
        return step.attempts[-1]
