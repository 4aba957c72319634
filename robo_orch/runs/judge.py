# SPDX-License-Identifier: Apache-2.0
"""The referee's part in a run: it listens to what the robot starts and ends, and judges by what is true.

Nothing that decides in a run sees it; success is what it says afterwards (DESIGN: "Verification and recovery").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from robo_orch.runs.schema import Event
from robo_orch.skills import skill
from robo_orch.types import Code, Goal, Outcome, Predicate, Stage, Subgoal

if TYPE_CHECKING:
    from robo_orch.sim.referee import RefereeVerdict


class Referee(Protocol):
    """Sees the world as it is."""

    def begin(self, args: Mapping[str, str], bounds: Sequence[tuple[tuple[str, str], float]]) -> None:
        """Watch contacts and bystanders from now on."""
        ...

    def concern(self, names: Sequence[str]) -> None:
        """From now on these are no bystanders: the policy has said that it moves them."""
        ...

    def end(self) -> RefereeVerdict:
        """Stop watching."""
        ...

    def holds(self, predicate: Predicate, ever: bool = False) -> bool:
        """Whether a fact is true; of buttons, whether they were pressed since ``begin``, or with ``ever`` at all."""
        ...


class Judge:
    """Follows one run's events and judges its attempts and, in the end, its goal.

    ``report`` takes the finding on an attempt, as the data of a ``referee`` event.
    """

    def __init__(self, referee: Referee, report: Callable[..., None]) -> None:
        self._referee, self._report = referee, report
        self._subgoals: list[Subgoal] = []
        self._watching: int | None = None
        self._complaints: list[str] = []

    def hear(self, event: Event) -> None:
        """Take note of one event of the run."""
        match event.type:
            case "plan_made":
                self._subgoals = [_subgoal(step) for step in event.data["steps"]]
            case "step_started":
                self._begin(event.data["index"])
            case "chunk" if event.data.get("moves"):
                self._referee.concern(event.data["moves"])
            case "step_ended":
                self._end()

    def verdict(self, goal: Goal) -> tuple[bool, Outcome | None]:
        """Whether the goal's facts are all true (``done``), and what speaks against success, if anything does."""
        self._end()
        untrue = [str(p) for p in goal.predicates if not self._referee.holds(p, ever=True)]
        if untrue:
            return False, Outcome(Code.NOT_YET, Stage.VERIFY, f"in truth this does not hold: {', '.join(untrue)}")
        if self._complaints:
            return True, Outcome(Code.UNSAFE, Stage.SAFETY, "; ".join(self._complaints))
        return True, None

    def _begin(self, index: int) -> None:
        self._end()
        subgoal = self._subgoals[index]
        bounds = [(bound.between, bound.newtons) for bound in skill(subgoal.skill).contacts]
        self._referee.begin(subgoal.args, bounds)
        self._watching = index

    def _end(self) -> None:
        if self._watching is None:
            return
        index, self._watching = self._watching, None
        ruling = self._referee.end()
        if not ruling.safe:
            self._complaints.append(f"{self._subgoals[index].text}: {ruling.because}")
        self._report(
            index=index,
            done=self._referee.holds(self._subgoals[index].predicate),
            safe=ruling.safe,
            peak_force=ruling.peak_force,
            peak_pair=list(ruling.peak_pair),
            bound=ruling.bound,
            moved=dict(ruling.moved),
            because=ruling.because,
        )


def _subgoal(step: Mapping[str, Any]) -> Subgoal:
    kind = skill(step["skill"])
    return kind.subgoal(*(step["args"][role] for role in kind.roles))
