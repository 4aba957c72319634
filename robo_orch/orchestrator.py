# SPDX-License-Identifier: Apache-2.0
"""The closed loop: decompose, choose, act, verify, record, recover (DESIGN: "The loop").

Deterministic code decides how and when. Nothing here knows whether the robot is simulated, and nothing here
sees more of the world than the robot perceives.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from robo_orch.errors import GoalError
from robo_orch.execution.adapters import ChunkRefused
from robo_orch.execution.executor import Executor
from robo_orch.latch import Latch, WatchedRobot
from robo_orch.objects import Inventory
from robo_orch.plan import Plan, PlanStep
from robo_orch.planners import Planner
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.loaders import PolicyContext, load_policy, version
from robo_orch.policies.registry import Registry
from robo_orch.predicates import Facts, evaluate
from robo_orch.recovery import MAX_ATTEMPTS, Action, Decision, after_attempt, undone, when_blocked
from robo_orch.robots import RobotSpec
from robo_orch.router import Choice, choose
from robo_orch.skills import skill
from robo_orch.types import Code, EventSink, Goal, Outcome, Policy, Robot, Stage, Trial, ignore_events
from robo_orch.verification import Verdict, verify

#: One attempt at one step may take this long on the robot's clock, s (chosen: 5x a slow pick and place).
ATTEMPT_SECONDS = 60.0


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
    ) -> None:
        self._pressed_ever, self._pressed = Latch(inventory), Latch(inventory)  # in the whole run, in the step at hand
        robot = WatchedRobot(robot, self._pressed_ever, self._pressed)
        self._robot, self._spec, self._inventory = robot, spec, inventory
        self._cards, self._planner, self._emit = cards, planner, emit
        self._seed, self._time_limit, self._speed = seed, time_limit, speed
        self._executor = Executor(robot, spec, emit)
        self._policies: dict[str, Policy] = {}
        self._trials: list[Trial] = []
        self._replans = 0

    def prepare(self) -> None:
        """Load every policy, so that what is wrong with one is known before anything moves.

        Raises:
            CardError: a card that cannot be loaded.
        """
        for card in self._cards:
            self._policy(card)

    def run(self, goal: Goal) -> Report:
        """Reach a goal, or say why not. The arm is at rest afterwards.

        Raises:
            GoalError: the goal cannot be planned for; nothing has moved.
            CardError: a card cannot be loaded; nothing has moved.
        """
        self.prepare()
        deadline = self._now() + self._time_limit
        plan, failure = self._plan(goal), None
        while failure is None:
            lost = undone(plan, self._facts())
            if lost is None and plan.current is None:
                break
            if self._now() >= deadline:
                failure = Outcome(Code.TIMEOUT, Stage.POLICY, f"the goal was not reached in {self._time_limit:g} s")
            elif lost is not None:
                plan, failure = self._reopen(plan, lost)
            else:
                plan, failure = self._advance(goal, plan, deadline)
        for policy in self._policies.values():
            policy.close()
        return Report(plan, tuple(self._trials), failure)

    def _advance(self, goal: Goal, plan: Plan, deadline: float) -> tuple[Plan, Outcome | None]:
        (index, step), facts = plan.pending(), self._facts(self._pressed)
        if evaluate(step.subgoal.predicate, facts).holds:
            self._emit("step_skipped", index=index)
            self._pressed.clear()
            return plan.skip(), None
        choice = choose(step.subgoal, facts, self._cards)
        self._emit_choice(index, choice)
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
            self._emit_recovery(index, decision)
            stage = Stage.VERIFY if outcome.ok else outcome.stage
            return plan.fail(), Outcome(verdict.code, stage, decision.because)
        if decision.action is Action.RETRY:
            self._emit_recovery(index, decision)
        return plan, None

    def _attempt(self, index: int, step: PlanStep, card: PolicyCard, deadline: float) -> tuple[Outcome, Verdict]:
        start, attempt = self._now(), step.attempts + 1
        subgoal = step.subgoal
        self._emit("step_started", index=index, text=subgoal.text, skill=subgoal.skill, attempt=attempt, card=card.id)
        seed = int(np.random.SeedSequence([self._seed, index, attempt, self._replans]).generate_state(1)[0])
        limit = min(ATTEMPT_SECONDS, deadline - start)
        outcome = self._executor.run(self._policy(card), card, subgoal, seed, limit)
        told = {"code": outcome.code, "message": outcome.message, "policy_seconds": outcome.policy_seconds}
        self._emit("policy_ended", index=index, card=card.id, **told)
        outcome, verdict = self._verify(step, outcome)
        seconds = self._now() - start
        self._emit("verdict", index=index, **asdict(verdict), predicate=str(subgoal.predicate))
        self._emit("step_ended", index=index, code=verdict.code, attempts=attempt, seconds=seconds)
        self._trials.append(
            Trial(card.id, version(card), subgoal, outcome, verdict.code, attempt, start, seconds, seed)
        )
        return outcome, verdict

    def _verify(self, step: PlanStep, outcome: Outcome) -> tuple[Outcome, Verdict]:
        """The verdict, and the outcome: another one if the arm cannot even hold still meanwhile."""
        watch = self._executor.hold(skill(step.subgoal.skill).hold_seconds)
        try:
            verdict = verify(step.subgoal.predicate, self._inventory, watch, self._pressed)
        except ChunkRefused as refused:
            return Outcome(refused.code, Stage.SAFETY, refused.reason), Verdict(refused.code, 0.5, refused.reason)
        if outcome.ok or verdict.code is Code.OK:
            return outcome, verdict
        return outcome, Verdict(outcome.code, verdict.probability, outcome.message)

    def _plan(self, goal: Goal) -> Plan:
        plan = self._planner.plan(goal, self._inventory, self._facts())
        self._emit_plan(plan)
        return plan

    def _replan(self, goal: Goal, plan: Plan, choice: Choice) -> tuple[Plan, Outcome | None]:
        decision = when_blocked(choice.because, self._replans)
        self._emit_recovery(plan.index, decision)
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
        self._emit_plan(continued)
        return continued, None

    def _reopen(self, plan: Plan, index: int) -> tuple[Plan, Outcome | None]:
        step = plan.steps[index]
        because = f"{step.subgoal.predicate} no longer holds"
        self._emit("recovery", index=index, action="reopen", because=because)
        plan = plan.reopen(index)
        if step.attempts >= MAX_ATTEMPTS:
            return plan.fail(), Outcome(Code.NO_PROGRESS, Stage.VERIFY, f"{because}, after {step.attempts} attempts")
        return plan, None

    def _facts(self, latch: Latch | None = None) -> Facts:
        seen = self._robot.observe()
        return Facts.of(self._inventory, seen.objects, seen.state, (latch or self._pressed_ever).peaks)

    def _now(self) -> float:
        return self._robot.observe().stamp

    def _policy(self, card: PolicyCard) -> Policy:
        if card.id not in self._policies:
            self._policies[card.id] = load_policy(PolicyContext(self._spec, self._inventory, card, self._speed))
        return self._policies[card.id]

    def _emit_plan(self, plan: Plan) -> None:
        steps = [
            {"text": s.subgoal.text, "skill": s.subgoal.skill, "predicate": str(s.subgoal.predicate)}
            | {"args": dict(s.subgoal.args), "state": s.state}
            for s in plan.steps
        ]
        self._emit("plan_made", steps=steps)

    def _emit_choice(self, index: int, choice: Choice) -> None:
        card = choice.card.id if choice.card else None
        candidates = [asdict(c) for c in choice.candidates]
        self._emit("routed", index=index, card=card, candidates=candidates, because=choice.because)

    def _emit_recovery(self, index: int | None, decision: Decision) -> None:
        self._emit("recovery", index=index, action=decision.action, because=decision.because)
