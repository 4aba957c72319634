# SPDX-License-Identifier: Apache-2.0
"""Tasks of a suite, made from a seed and checked one by one.

::

    for each task: draw category, number of subgoals, scene, facts                # sim/tasks
        say the facts in English; the words must ground back to the facts
        plan; the plan must have as many steps as asked for, with skills at hand, of objects within reach
        else draw again
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from robo_orch.bench.reach import Reach, sigmas
from robo_orch.errors import GoalError, SceneError
from robo_orch.objects import Inventory
from robo_orch.plan import Plan
from robo_orch.planners.grounding import ground
from robo_orch.planners.phrases import phrasings
from robo_orch.planners.symbolic import SymbolicPlanner
from robo_orch.policies.registry import Registry
from robo_orch.predicates import Facts, evaluate
from robo_orch.robots import load_robot
from robo_orch.sim.scenes import Layout, lay_out, load_scene
from robo_orch.sim.tasks.goals import Draw, NotHere, coarse, draw_goal
from robo_orch.sim.tasks.suite import Suite
from robo_orch.sim.tasks.task import Task
from robo_orch.skills import skills
from robo_orch.types import Goal, PoseEstimate, Predicate, Subgoal

#: Skills in which the robot works against contact instead of carrying.
CONTACT = frozenset({"open_drawer", "close_drawer", "open_door", "close_door", "press", "turn", "push"})
#: Goals drawn in one scene before another one is laid out, which takes longer (chosen).
PER_SCENE = 8
#: Scenes for one task before the suite counts as impossible (chosen: one or two are usual).
SCENES = 150
#: Scenes without a task that the shares can bear, after which a smaller one is looked for (chosen).
PATIENCE = 6
#: A share is looked after until it is met this many times over (chosen).
SURPLUS = 1.2


@dataclass(slots=True)
class Tally:
    """Subgoals made so far, and how many of them count towards each share."""

    subgoals: int = 0
    contact: int = 0
    coarse: int = 0

    def helps(self, task: Task, shares: Mapping[str, float]) -> bool:
        """Whether every share that would be short after ``task`` is met by the task itself."""
        counts = {"contact": contacts(task), "coarse": task.coarse}
        total = self.subgoals + task.subgoals
        short = [name for name, share in shares.items() if getattr(self, name) + counts[name] < share * total]
        return all(counts[name] >= shares[name] * task.subgoals for name in short)

    def short(self, name: str, shares: Mapping[str, float]) -> bool:
        """Whether the next task had better count towards a share."""
        return name in shares and getattr(self, name) < SURPLUS * shares[name] * (self.subgoals + 1)

    def add(self, task: Task) -> None:
        """Count a task."""
        self.subgoals += task.subgoals
        self.contact += contacts(task)
        self.coarse += task.coarse


def contacts(task: Task) -> int:
    """Subgoals of a task that need contact skills."""
    return sum(name in CONTACT for name in task.skills)


def make(suite: Suite, n: int, seed: int) -> list[Task]:
    """``n`` tasks of a suite; the first ones do not depend on ``n``.

    Raises:
        SceneError: the suite cannot be made in its scene.
    """
    maker = Maker(suite, seed)
    return [maker.task(index) for index in range(n)]


class Maker:
    """Makes the tasks of one suite and seed in order."""

    def __init__(self, suite: Suite, seed: int) -> None:
        self._suite, self._seed = suite, seed
        self._scene = load_scene(suite.scene)
        self._offered = offered(suite.skills)
        self._reach = Reach(load_robot(self._scene.robot), suite.precise)
        self._seeds = self._scene.sets.seeds(suite.set, suite.stratum)
        self._tally = Tally()

    def task(self, index: int) -> Task:
        """The next task.

        Raises:
            SceneError: none was found in :data:`SCENES` scenes.
        """
        rng = np.random.default_rng([self._seed, index, 0x7A5C])
        fewest, most = self._suite.subgoals
        for scene in range(SCENES):
            if scene % PATIENCE == 0:
                # Ever smaller ones, for they are easier to find; then from the top: small ones may not bear the shares.
                most = self._suite.subgoals[1] if most == fewest else most
                wanted = most = int(rng.integers(fewest, most + 1))
            for task, possible in self._tasks(index, wanted, rng):
                if self._tally.helps(task, self._suite.shares) and possible():
                    self._tally.add(task)
                    return task
        remedy = "give the scene what the suite's categories need"
        raise SceneError(f"tasks of {self._suite.name} in {self._suite.scene}", f"none in {SCENES} scenes", remedy)

    def _tasks(self, index: int, wanted: int, rng: np.random.Generator) -> Iterator[tuple[Task, Callable[[], bool]]]:
        """The tasks among :data:`PER_SCENE` draws in one scene; whether the arm can do each is asked last."""
        seed, perturbation = int(rng.choice(self._seeds)), _perturbation(self._suite, rng)
        named = lay_out(self._scene, seed)
        layout = lay_out(self._scene, seed, bystanders=int(perturbation.get("bystanders", 0)))
        believed = facts_of(layout)
        barred = layout.inventory.keys() - named.inventory.keys()
        for _ in range(PER_SCENE):
            with contextlib.suppress(NotHere, GoalError):
                drawn = self._drawn(index, wanted, layout, believed, barred, rng)
                if drawn is not None:
                    task, subgoals = drawn
                    possible = partial(self._possible, layout, subgoals)
                    yield task.model_copy(update={"perturbation": perturbation}), possible

    def _drawn(
        self,
        index: int,
        wanted: int,
        layout: Layout,
        believed: Facts,
        barred: Collection[str],
        rng: np.random.Generator,
    ) -> tuple[Task, list[Subgoal]] | None:
        """One draw: a task and its subgoals; ``None`` if its plan is not as long as asked for or needs what is barred.

        ``barred`` are the bystanders, which no plan may touch.
        """
        suite = self._suite
        category = str(rng.choice(list(suite.categories), p=_weights(suite.categories)))
        eager = self._tally.short("coarse", suite.shares)
        draw = Draw(layout.inventory, rng, suite.dishes, suite.precise, barred, eager)
        facts = draw_goal(category, draw, wanted)
        if any(evaluate(fact, believed).holds for fact in facts):
            return None
        goal = said(facts, layout.inventory, believed, rng)
        plan = SymbolicPlanner(self._offered).plan(goal, layout.inventory, believed)
        if len(plan.steps) != wanted or not self._suits(plan, layout, barred):
            return None
        task = Task(
            id=f"{suite.name}-{self._seed}-{index:03d}",
            scene=suite.scene,
            seed=layout.seed,
            goal=goal.text,
            predicates=tuple(map(str, goal.predicates)),
            objects=(),
            category=category,
            suite=suite.name,
            subgoals=len(plan.steps),
            skills=tuple(step.subgoal.skill for step in plan.steps),
            coarse=sum(_concerns_coarse(step.subgoal.args.values(), layout.inventory) for step in plan.steps),
        )
        return task, [step.subgoal for step in plan.steps]

    def _possible(self, layout: Layout, subgoals: Sequence[Subgoal]) -> bool:
        return self._reach.impossible(layout, subgoals) is None

    def _suits(self, plan: Plan, layout: Layout, barred: Collection[str]) -> bool:
        concerned = {name for step in plan.steps for name in step.subgoal.args.values()}
        coarse = self._suite.precise and _concerns_coarse(concerned, layout.inventory)
        return not concerned & set(barred) and not coarse


def offered(whose: str) -> frozenset[str]:
    """Skills that a plan may use: all there are, or those that a family's cards offer."""
    if whose == "all":
        return frozenset(skills())
    return frozenset(name for card in Registry.load() if card.family == whose for name in card.skills)


def facts_of(layout: Layout) -> Facts:
    """What a robot that sees everything would believe of a scene: true poses, with the errors that it reckons with."""
    seen = {}
    for name, spec in layout.inventory.items():
        covariance = np.diag(np.repeat(sigmas(spec), 3) ** 2)
        seen[name] = PoseEstimate(name, layout.poses[name], covariance, 0.0, "layout", spec.precision)
    return Facts(layout.inventory, seen)


def said(facts: Sequence[Predicate], inventory: Inventory, believed: Facts, rng: np.random.Generator) -> Goal:
    """Facts in words, with the goal that the words ground to: the same facts.

    Raises:
        GoalError: they cannot be said, or not together.
    """
    text = phrasings(facts, inventory, rng)
    goal = ground(text, inventory, believed)
    if set(goal.predicates) != set(facts):
        got = f"{text!r} for {', '.join(map(str, facts))}"
        raise GoalError("words that ground to what was meant", got, "mend the phrasing")
    return goal


def _perturbation(suite: Suite, rng: np.random.Generator) -> dict[str, float]:
    if not suite.perturbations or rng.random() >= suite.perturbed:
        return {}
    name = str(rng.choice(sorted(suite.perturbations)))
    return {name: suite.perturbations[name]}


def _concerns_coarse(names: Collection[str], inventory: Inventory) -> bool:
    return any(coarse(inventory[name]) for name in names)


def _weights(categories: Mapping[str, int]) -> np.ndarray:
    weights = np.array(list(categories.values()), dtype=float)
    return weights / weights.sum()
