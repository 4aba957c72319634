# SPDX-License-Identifier: Apache-2.0
"""What a run takes place in: the scene that its goal asks for, the cards, the planner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from robo_orch.errors import GoalError
from robo_orch.predicates import Facts
from robo_orch.robots import RobotSpec, load_robot
from robo_orch.runs.config import RunConfig
from robo_orch.types import EventSink, Goal

if TYPE_CHECKING:
    from robo_orch.orchestrator import Orchestrator
    from robo_orch.plan import Plan
    from robo_orch.planners import Planner
    from robo_orch.policies.registry import Registry
    from robo_orch.sim.build import Simulation

#: Time that perception gets before planning, s on the robot's clock (chosen: ten frames of a slow camera).
FIRST_LOOK = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """A scene with a robot in it, who may act, and who decomposes goals."""

    simulation: Simulation
    cards: Registry
    planner: Planner

    def look(self) -> None:
        """Hold still until everything in the scene has been perceived once, at most :data:`FIRST_LOOK` s.

        What is still unseen then stays unknown, which planner and policies are told.
        """
        robot, inventory = self.simulation.robot, self.simulation.layout.inventory
        for _ in range(round(FIRST_LOOK / robot.period)):
            if inventory.keys() <= robot.observe().objects.keys():
                return
            robot.tick()

    def orchestrator(self, config: RunConfig, emit: EventSink) -> Orchestrator:
        """The loop for this setting, its cards checked.

        Raises:
            CardError, RenderError: a card that does not fit robot and cameras.
        """
        from robo_orch.orchestrator import Orchestrator

        loop = Orchestrator(
            self.simulation.robot,
            self.spec,
            self.simulation.layout.inventory,
            self.cards,
            self.planner,
            emit=emit,
            seed=config.seed,
            time_limit=config.time_limit,
            speed=config.speed,
            bridge=config.bridge,
            insist=bool(config.cards),
        )
        loop.prepare()
        return loop

    def facts(self) -> Facts:
        """The scene as the robot perceives it now."""
        seen = self.simulation.robot.observe()
        return Facts.of(self.simulation.layout.inventory, seen.objects, seen.state)

    def ground(self, text: str) -> Goal:
        """The goal that ``text`` stands for in this scene.

        Raises:
            GoalError: it cannot be understood, or not in this scene.
        """
        from robo_orch.planners.grounding import ground

        return ground(text, self.simulation.layout.inventory, self.facts())

    def plan(self, goal: Goal) -> Plan:
        """The planner's decomposition of a goal.

        Raises:
            GoalError: it cannot be planned for.
        """
        return self.planner.plan(goal, self.simulation.layout.inventory, self.facts())

    @property
    def spec(self) -> RobotSpec:
        """The robot's description."""
        return load_robot(self.simulation.layout.robot)


def check_meaning(goal: Goal, facts: Sequence[str]) -> None:
    """Refuse a goal that is understood as something else than ``facts``, where some are given.

    Raises:
        GoalError: it is.
    """
    understood = sorted(map(str, goal.predicates))
    if facts and understood != sorted(facts):
        got = f"{', '.join(understood)} for {goal.text!r}"
        raise GoalError(f"a goal that means {', '.join(facts)}", got, "mend the task's goal or its predicates")


def required(config: RunConfig) -> list[tuple[str, str]]:
    """The (kind, colour) pairs that a run's scene must contain: as the task says, or what the goal names.

    Raises:
        GoalError: it is empty or names things that do not exist.
    """
    from robo_orch.planners.grounding import mentions
    from robo_orch.planners.vocabulary import Vocabulary

    named = mentions(config.goal, Vocabulary.of_catalogue())
    return named if config.require is None else list(config.require)


def set_up(
    config: RunConfig, require: list[tuple[str, str]], wrap: Callable[[Any], Any] = lambda world: world
) -> Setting:
    """Build what ``config`` asks for, with ``wrap`` around the world; nothing moves yet.

    Raises:
        UserError: an unknown scene, simulator, card or perturbation.
    """
    from robo_orch.sim import gl

    gl.choose()
    from robo_orch.planners.symbolic import SymbolicPlanner
    from robo_orch.policies.order import in_order
    from robo_orch.policies.registry import Registry
    from robo_orch.sim.build import build

    cards = Registry.load(config.policies, only=config.cards)
    if not config.cards:
        cards = in_order(cards)
    simulation = build(config.scene, config.sim, config.seed, require, config.perturb, config.realtime, wrap)
    return Setting(simulation, cards, SymbolicPlanner(cards.skills))
