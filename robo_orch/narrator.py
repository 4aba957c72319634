# SPDX-License-Identifier: Apache-2.0
"""What the loop tells while it runs: its events, each in one place (docs/run-folder.md lists them)."""

from __future__ import annotations

from dataclasses import asdict

from robo_orch.bridge.handoff import Handoff
from robo_orch.plan import Plan
from robo_orch.recovery import Decision
from robo_orch.router import Choice
from robo_orch.types import EventSink, Outcome, Subgoal
from robo_orch.verification import Verdict


class Narrator:
    """Turns what happens into events; ``emit`` is where they go."""

    def __init__(self, emit: EventSink) -> None:
        self._emit = emit

    def plan_made(self, plan: Plan) -> None:
        """A plan, or a new one that goes on from the last."""
        steps = [
            {"text": s.subgoal.text, "skill": s.subgoal.skill, "predicate": str(s.subgoal.predicate)}
            | {"args": dict(s.subgoal.args), "state": s.state}
            for s in plan.steps
        ]
        self._emit("plan_made", steps=steps)

    def routed(self, index: int, choice: Choice) -> None:
        """Who does a step, among whom."""
        card = choice.card.id if choice.card else None
        candidates = [asdict(c) for c in choice.candidates]
        self._emit("routed", index=index, card=card, candidates=candidates, because=choice.because)

    def skipped(self, index: int) -> None:
        """A step's fact held already."""
        self._emit("step_skipped", index=index)

    def started(self, index: int, subgoal: Subgoal, attempt: int, card: str) -> None:
        """An attempt begins."""
        self._emit("step_started", index=index, text=subgoal.text, skill=subgoal.skill, attempt=attempt, card=card)

    def handed_over(self, index: int, before: str | None, card: str, handoff: Handoff) -> None:
        """The arm was brought to a card's start, or could not be; ``before``: the card that moved it last."""
        if not handoff.told:
            return
        end = handoff.outcome
        told = {"method": handoff.method, "ok": handoff.ok, "code": end.code, "message": end.message}
        self._emit("handoff", index=index, **{"from": before, "to": card}, **told, seconds=end.seconds)

    def policy_ended(self, index: int, card: str, outcome: Outcome) -> None:
        """What a policy says of its work."""
        told = {"code": outcome.code, "message": outcome.message, "policy_seconds": outcome.policy_seconds}
        self._emit("policy_ended", index=index, card=card, **told)

    def judged(self, index: int, subgoal: Subgoal, verdict: Verdict) -> None:
        """What is perceived of it."""
        self._emit("verdict", index=index, **asdict(verdict), predicate=str(subgoal.predicate))

    def ended(self, index: int, verdict: Verdict, attempt: int, seconds: float) -> None:
        """An attempt is over."""
        self._emit("step_ended", index=index, code=verdict.code, attempts=attempt, seconds=seconds)

    def recovery(self, index: int | None, decision: Decision) -> None:
        """What is done about a failure."""
        self._emit("recovery", index=index, action=decision.action, because=decision.because)
