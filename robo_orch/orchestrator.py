# SPDX-License-Identifier: Apache-2.0
"""The closed loop: decompose, choose, act, verify, record, recover (DESIGN: "The loop").

Deterministic code decides how and when. Nothing here knows whether the robot is simulated, and nothing here
sees more of the world than the robot perceives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robo_orch.bridge.methods import make_bridge
from robo_orch.bridge.names import DECLARED_START
from robo_orch.errors import GoalError
from robo_orch.execution.adapters import ChunkRefused
from robo_orch.execution.executor import Executor
from robo_orch.latch import Latch, WatchedRobot
from robo_orch.narrator import Narrator
from robo_orch.objects import Inventory
from robo_orch.plan import Plan, PlanStep, StepState
from robo_orch.planners import Planner
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.loaders import version
from robo_orch.policies.registry import Registry
from robo_orch.predicates import Facts, evaluate
from robo_orch.recovery import MAX_ATTEMPTS, Action, Decision, after_attempt, tired, undone, when_blocked
from robo_orch.robots import RobotSpec
from robo_orch.roster import Roster
from robo_orch.router import Choice, choose
from robo_orch.skills import achieving, skill
from robo_orch.types import Code, EventSink, Goal, Outcome, Robot, Stage, Trial, ignore_events
from robo_orch.verification import Verdict, verify
from robo_orch.verification.classifier import Witness


@dataclass(frozen=True, slots=True)
class Report:
    """How a run ended: the plan as it stands, every attempt, and the failure if there was one."""

    plan: Plan
    trials: tuple[Trial, ...]
    failure: Outcome | None


class Orchestrator:
    """Makes the policies in a registry reach goals together on one robot.

    Args:
        robot, spec: the body and its description.
        inventory: the things the scene is known to contain.
        cards: the policies to choose from.
        planner: decomposes goals.
        emit: where events go (docs/run-folder.md lists them).
        seed: everything random in the run follows from it.
        time_limit: s on the robot's clock for the whole run.
        speed: share (0, 1] of the robot's velocity limits.
        bridge: how the arm is brought to a card's start, one of :data:`robo_orch.bridge.names.METHODS`.
        insist: every card was asked for by name; see :class:`~robo_orch.roster.Roster`.
    """

    def __init__(
        self,
        robot: Robot,
        spec: RobotSpec,
        inventory: Inventory,
        cards: Registry,
        planner: Planner,
        *,
        emit: EventSink = ignore_events,
        seed: int = 0,
        time_limit: float = 600.0,
        speed: float = 1.0,
        bridge: str = DECLARED_START,
        insist: bool = False,
    ) -> None:
        self._pressed_ever, self._pressed = Latch(inventory), Latch(inventory)  # in the whole run, in the step at hand
        robot = WatchedRobot(robot, self._pressed_ever, self._pressed)
        self._robot, self._inventory, self._planner = robot, inventory, planner
        self._seed, self._time_limit = seed, time_limit
        self._tell, self._executor = Narrator(emit), Executor(robot, spec, emit)
        self._witness = Witness(robot, spec)
        self._roster = Roster(cards, robot, spec, inventory, speed, insist)
        self._bridge = make_bridge(bridge, self._executor, robot, spec, inventory, speed)
        self._trials: list[Trial] = []
        self._replans = 0

    def prepare(self, goal: Goal | None = None) -> None:
        """Check every card before anything moves, and load those that a goal is sure to need, so as not to later.

        Raises:
            CardError, ModelError, RenderError: a card that does not fit, or cannot be loaded.
        """
        self._roster.check()
        facts = goal.predicates if goal else ()
        self._roster.load({kind.name for fact in facts for kind in achieving(fact, self._inventory)})

    def run(self, goal: Goal) -> Report:
        """Reach a goal, or say why not. The arm is at rest afterwards.

        Raises:
            GoalError: the goal cannot be planned for; nothing has moved.
            CardError, ModelError: a card that a step may need cannot be loaded; nothing has moved.
        """
        self.prepare(goal)
        deadline = self._now() + self._time_limit
        plan, failure = self._plan(goal), None
        self._roster.load(_skills(plan))
        while failure is None:
            lost = undone(plan, self._facts(), lambda fact: self._witness.stands(fact, self._inventory))
            if lost is None and plan.current is None:
                break
            if self._now() >= deadline:
                failure = Outcome(Code.TIMEOUT, Stage.POLICY, f"the goal was not reached in {self._time_limit:g} s")
            elif lost is not None:
                plan, failure = self._reopen(plan, lost)
            else:
                plan, failure = self._advance(goal, plan, deadline)
        self._roster.close()
        return Report(plan, tuple(self._trials), failure)

    def _advance(self, goal: Goal, plan: Plan, deadline: float) -> tuple[Plan, Outcome | None]:
        (index, step), facts = plan.pending(), self._facts(self._pressed)
        if evaluate(step.subgoal.predicate, facts).holds:
            self._tell.skipped(index)
            self._pressed.clear()
            return plan.skip(), None
        weary = tired(self._trials, step.subgoal)
        choice = choose(step.subgoal, facts, self._roster.cards, weary, self._roster.unfit)
        self._tell.routed(index, choice)
        if choice.card is None:
            return self._replan(goal, plan, choice)
        outcome, verdict = self._attempt(index, step, choice.card, deadline)
        plan = plan.attempted(verdict.code)
        if outcome.stage is Stage.SAFETY:
            return plan.fail(), outcome
        if verdict.code is Code.OK:
            self._pressed.clear()
        decision = after_attempt(plan.steps[index], verdict)
        if decision.action is Action.GIVE_UP:
            self._tell.recovery(index, decision)
            stage = Stage.VERIFY if outcome.ok else outcome.stage
            return plan.fail(), Outcome(verdict.code, stage, decision.because)
        if decision.action is Action.RETRY:
            self._tell.recovery(index, decision)
        return plan, None

    def _attempt(self, index: int, step: PlanStep, card: PolicyCard, deadline: float) -> tuple[Outcome, Verdict]:
        start, attempt, subgoal = self._now(), step.attempts + 1, step.subgoal
        self._tell.started(index, subgoal, attempt, card.id)
        seed = int(np.random.SeedSequence([self._seed, index, attempt, self._replans]).generate_state(1)[0])
        handoff = self._bridge.bring(card, subgoal, seed, deadline - start)
        self._tell.handed_over(index, self._trials[-1].card if self._trials else None, card.id, handoff)
        outcome, verdict = handoff.outcome, Verdict(handoff.outcome.code, 0.5, handoff.outcome.message)
        if handoff.ok:
            limit = min(card.time_limit, deadline - self._now())
            outcome = self._executor.run(self._roster.policy(card), card, subgoal, seed, limit)
            self._tell.policy_ended(index, card.id, outcome)
            outcome, verdict = self._verify(step, outcome)
        seconds = self._now() - start
        self._tell.judged(index, subgoal, verdict)
        self._tell.ended(index, verdict, attempt, seconds)
        trial = Trial(card.id, version(card), subgoal, outcome, verdict.code, attempt, start, seconds, seed)
        self._trials.append(trial)
        return outcome, verdict

    def _verify(self, step: PlanStep, outcome: Outcome) -> tuple[Outcome, Verdict]:
        """The verdict, and the outcome: another one if the arm cannot even hold still meanwhile."""
        watch = self._executor.hold(skill(step.subgoal.skill).hold_seconds)
        try:
            verdict = verify(step.subgoal.predicate, self._inventory, watch, self._pressed, self._witness)
        except ChunkRefused as refused:
            return Outcome(refused.code, Stage.SAFETY, refused.reason), Verdict(refused.code, 0.5, refused.reason)
        if outcome.ok or verdict.code is Code.OK:
            return outcome, verdict
        return outcome, Verdict(outcome.code, verdict.probability, outcome.message)

    def _plan(self, goal: Goal) -> Plan:
        plan = self._planner.plan(goal, self._inventory, self._facts())
        self._tell.plan_made(plan)
        return plan

    def _replan(self, goal: Goal, plan: Plan, choice: Choice) -> tuple[Plan, Outcome | None]:
        decision = when_blocked(choice.because, self._replans)
        self._tell.recovery(plan.index, decision)
        blocked = Outcome(Code.NO_CAPABLE_POLICY, Stage.ROUTE, decision.because)
        if decision.action is Action.GIVE_UP:
            return plan.fail(), blocked
        self._replans += 1
        try:
            rest = self._planner.plan(goal, self._inventory, self._facts())
        except GoalError as error:
            return plan.fail(), error.outcome()
        if rest.current and plan.current and rest.current.subgoal == plan.current.subgoal:
            return plan.fail(), blocked
        continued = plan.continued(rest)
        self._roster.load(_skills(continued), moving=True)
        self._tell.plan_made(continued)
        return continued, None

    def _reopen(self, plan: Plan, index: int) -> tuple[Plan, Outcome | None]:
        step = plan.steps[index]
        because = f"{step.subgoal.predicate} no longer holds"
        self._tell.recovery(index, Decision(Action.REOPEN, because))
        plan = plan.reopen(index)
        if step.attempts >= MAX_ATTEMPTS:
            return plan.fail(), Outcome(Code.NO_PROGRESS, Stage.VERIFY, f"{because}, after {step.attempts} attempts")
        return plan, None

    def _facts(self, latch: Latch | None = None) -> Facts:
        seen = self._robot.observe()
        return Facts.of(self._inventory, seen.objects, seen.state, (latch or self._pressed_ever).peaks)

    def _now(self) -> float:
        return self._robot.observe().stamp


def _skills(plan: Plan) -> frozenset[str]:
    """What the steps of a plan that are left need."""
    return frozenset(step.subgoal.skill for step in plan.steps if step.state is StepState.PENDING)
