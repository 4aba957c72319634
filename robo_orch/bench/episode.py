# SPDX-License-Identifier: Apache-2.0
"""One subgoal in one held-out scene: drawn from a seed, done by one card alone, judged by the referee.

::

    draw: a layout of a stratum; objects of it that the skill is made for, can be done with, and the card takes
    play: lay it out, open what has to be open, put the arm at a start, let perception look
          the executor runs the card; the postcondition must hold, be held, and all have been safe
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np

from robo_orch.bench.begin import Draw, put
from robo_orch.bench.reach import Reach
from robo_orch.bench.slide import slides
from robo_orch.bench.tasks import facts_of
from robo_orch.errors import SceneError
from robo_orch.execution.adapters import ChunkRefused
from robo_orch.execution.executor import Executor
from robo_orch.objects import Trait
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.loaders import PolicyContext, load_policy
from robo_orch.predicates import Facts, evaluate
from robo_orch.robots import RobotSpec, load_robot
from robo_orch.router import LIKELY
from robo_orch.sim.build import Simulation, assemble
from robo_orch.sim.perturb import checked
from robo_orch.sim.scenes import Layout, lay_out, load_scene
from robo_orch.skills import Skill, skill
from robo_orch.types import Code, Observation, Outcome, Policy, Pose, Subgoal

#: Layouts that are looked through for one episode (chosen: one to three are usual).
LAYOUTS = 60
#: Subgoals of one layout that are looked at closely (chosen: each takes a tenth of a second).
LOOKS = 4
#: Shares of its range at which a part stands that is to be shut, or put something into (chosen: open means 0.7).
OPENED = (0.75, 1.0)
#: The skill for which a way over free ground is asked.
PUSH = "push"
#: Time that perception gets to see everything, s (chosen: as a run has it).
FIRST_LOOK = 1.0

Accept = Callable[[Subgoal, Facts], bool]


def ready(subgoal: Subgoal, facts: Facts) -> bool:
    """Whether a subgoal's own preconditions hold: how precise a card needs poses to be is the card's affair."""
    needs = [fact.bind(subgoal.args) for fact in skill(subgoal.skill).preconditions]
    return all(evaluate(fact, facts).probability >= LIKELY for fact in needs)


@dataclass(frozen=True, slots=True, eq=False)
class Episode:
    """What an episode is about.

    Attributes:
        layout: the scene; ``stratum`` which of the test set's.
        subgoal: what to do; ``other``: the same with another object, where there is one and it was asked for.
        opened: joint values (m or rad) of the parts that stand open when it begins.
        perturb: what is harder, by name.
        seed: of perception, start and policy.
    """

    layout: Layout
    stratum: str
    subgoal: Subgoal
    opened: Mapping[str, float]
    perturb: Mapping[str, float]
    seed: int
    other: Subgoal | None = None


def draw(
    kind: Skill,
    stratum: str,
    seed: int,
    accept: Accept = lambda subgoal, facts: True,
    perturb: Mapping[str, float] | None = None,
    swap: bool = False,
    scene: str = "kitchen",
    held_out: str = "test",
) -> Episode:
    """An episode of a skill in a stratum of a set; the same seed gives the same one.

    Movable objects are of what the stratum holds out. ``accept`` is asked with what would be believed of the scene.

    Args:
        held_out: the set: ``test`` for figures, ``validation`` for everything that is chosen.

    Raises:
        SceneError: no layout has what the skill needs.
    """
    rng = np.random.default_rng([seed, 0xE915])
    described, perturb = load_scene(scene), dict(perturb or {})
    seeds = described.sets.seeds(held_out, stratum)
    for _ in range(LAYOUTS):
        layout_seed = seeds[int(rng.integers(len(seeds)))]
        plain = lay_out(described, layout_seed)
        n = round(perturb.get("bystanders", 0))
        layout = lay_out(described, layout_seed, bystanders=n) if n else plain
        found = list(_subgoals(kind, layout, plain, accept, rng, 2 if swap else 1))
        if len(found) == (2 if swap else 1):
            (subgoal, opened), other = found[0], found[1][0] if swap else None
            return Episode(layout, stratum, subgoal, opened, perturb, seed, other)
    remedy = "choose another stratum, or a skill that the scene has objects for"
    raise SceneError(f"a layout of {stratum} for {kind.name}", f"none in {LAYOUTS} layouts", remedy)


def _subgoals(
    kind: Skill, layout: Layout, plain: Layout, accept: Accept, rng: np.random.Generator, n: int
) -> Iterator[tuple[Subgoal, dict[str, float]]]:
    """Up to ``n`` subgoals that could be done, with what stands open for each; they differ in their object alone."""
    candidates = [args for args in permutations(plain.inventory, len(kind.roles)) if kind.fits(args, plain.inventory)]
    candidates = [args for args in candidates if _held_out(args[0], plain)]
    looks, rest = 0, None
    for i in rng.permutation(len(candidates)):
        args = candidates[i]
        if rest not in (None, args[1:]):
            continue
        subgoal, opened = kind.subgoal(*args), _opened(kind, args, plain, rng)
        stands = replace(layout, poses=dict(layout.poses) | _moved(layout, opened))
        believed = facts_of(stands)
        if evaluate(subgoal.predicate, believed).holds or not accept(subgoal, believed):
            continue
        looks += 1
        if looks > LOOKS:
            return
        if not _possible(stands, subgoal):
            continue
        rest = args[1:]
        yield subgoal, opened
        n -= 1
        if n == 0:
            return


def _possible(layout: Layout, subgoal: Subgoal) -> bool:
    """Whether it can be done at all with what is there, by the true geometry."""
    name = subgoal.args["object"]
    if subgoal.skill == PUSH:
        return slides(layout, name, subgoal.args["target"])
    return not layout.inventory[name].movable or not _reach(layout.robot).impossible(layout, [subgoal])


def _held_out(name: str, layout: Layout) -> bool:
    """Whether an object is of what its stratum is there for; parts of furniture are the same in all."""
    spec = layout.inventory[name]
    if Trait.FREE not in spec.traits or layout.spec is None:
        return True
    return layout.spec.sets.features(layout.seed, (spec.kind, spec.colour))


def _opened(kind: Skill, args: Sequence[str], layout: Layout, rng: np.random.Generator) -> dict[str, float]:
    """What must stand open, and how far: what is to be shut, and what something is to be put into."""
    wanted = args if kind.predicate in ("closed", "in") else ()
    joints = {name: layout.inventory[name].joint for name in wanted}
    return {name: joint.limits[1] * float(rng.uniform(*OPENED)) for name, joint in joints.items() if joint is not None}


def _moved(layout: Layout, opened: Mapping[str, float]) -> dict[str, Pose]:
    joints = {name: layout.inventory[name].joint for name in opened}
    return {n: j.pose(layout.poses[j.parent], opened[n]) for n, j in joints.items() if j is not None}


@cache
def _reach(robot: str) -> Reach:
    return Reach(load_robot(robot))


@dataclass(slots=True)
class Stage:
    """An episode's world with the arm at its start, and all that has happened in it.

    Attributes:
        seen: what the robot observed when the work began.
        labels: what the policy said it was doing.
    """

    simulation: Simulation
    robot: RobotSpec
    seen: Observation
    labels: list[str] = field(default_factory=list)

    @classmethod
    def set(cls, episode: Episode, start: Draw) -> Stage:
        """Lay an episode out and put the arm at a start.

        Raises:
            SceneError: there is no start at which the arm touches nothing.
        """
        simulation = assemble(episode.layout, checked(episode.perturb), episode.seed)
        for name, value in episode.opened.items():
            simulation.world.move_part(name, value)
        put(simulation, start, np.random.default_rng([episode.seed, 0x57A2]))
        robot, inventory = simulation.robot, episode.layout.inventory
        for _ in range(round(FIRST_LOOK / robot.period)):
            if inventory.keys() <= robot.observe().objects.keys():
                break
            robot.tick()
        return cls(simulation, load_robot(episode.layout.robot), robot.observe())

    def policy(self, card: PolicyCard) -> Policy:
        """A card's policy for this scene.

        Raises:
            CardError, ModelError: it cannot be loaded.
        """
        return load_policy(PolicyContext(self.robot, self.simulation.layout.inventory, card))

    def run(self, policy: Policy, card: PolicyCard, subgoal: Subgoal, seed: int) -> dict[str, Any]:
        """Let a policy do a subgoal; what it came to, as a row has it."""
        world, kind = self.simulation.world, skill(subgoal.skill)
        world.referee.begin(subgoal.args, [(bound.between, bound.newtons) for bound in kind.contacts])
        executor = Executor(self.simulation.robot, self.robot, self._hear)
        begun = time.monotonic()
        outcome = executor.run(policy, card, subgoal, seed, card.time_limit)
        wall = time.monotonic() - begun
        done = self._lasts(executor, subgoal, kind.hold_seconds)
        verdict = world.referee.end()
        policy.close()
        return {
            "success": done and verdict.safe,
            "done": done,
            "safe": verdict.safe,
            "code": _code(done, verdict.safe, outcome),
            "stage": str(outcome.stage),
            "message": outcome.message,
            "unsafe": verdict.because,
            "peak_force": round(verdict.peak_force, 2),
            "sim_seconds": round(outcome.seconds, 3),
            "policy_seconds": round(outcome.policy_seconds, 4),
            "wall_seconds": round(wall, 3),
        }

    def _hear(self, event: str, /, **data: Any) -> None:
        if event == "chunk":
            self.labels.append(data["label"])
            if data.get("moves"):
                self.simulation.world.referee.concern(data["moves"])

    def _lasts(self, executor: Executor, subgoal: Subgoal, seconds: float) -> bool:
        """Whether the postcondition truly holds, and goes on to while the arm holds still."""
        referee = self.simulation.world.referee
        try:
            return all(referee.holds(subgoal.predicate) for _ in executor.hold(seconds))
        except ChunkRefused:
            return False


def _code(done: bool, safe: bool, outcome: Outcome) -> str:
    """What an episode is counted as; ``UNSAFE`` whatever else went wrong."""
    if not safe:
        return str(Code.UNSAFE)
    if done:
        return str(Code.OK)
    return str(Code.NOT_YET if outcome.ok else outcome.code)


def told(episode: Episode, seen: Observation) -> dict[str, Any]:
    """What an episode was, for its row: scene, start, and what was believed of every object."""
    state, spec = seen.state, episode.layout.inventory[episode.subgoal.args["object"]]
    return {
        "skill": episode.subgoal.skill,
        "text": episode.subgoal.text,
        "args": dict(episode.subgoal.args),
        "kind": spec.kind,
        "colour": spec.colour,
        "twin": _twin(episode),
        "layout": episode.layout.seed,
        "stratum": episode.stratum,
        "perturb": dict(episode.perturb),
        "start_q": _round(state.q),
        "start_width": round(state.gripper, 4),
        "start_tool": pose_row(state.tool),
        "estimates": {name: [*pose_row(e.pose), round(e.sigma, 5)] for name, e in seen.objects.items()},
    }


def ended(stage: Stage) -> dict[str, Any]:
    """Where the arm ended, for a row."""
    state = stage.simulation.robot.observe().state
    return {"end_q": _round(state.q), "end_width": round(state.gripper, 4), "end_tool": pose_row(state.tool)}


def pose_row(pose: Pose) -> list[float]:
    """Position (m) and quaternion xyzw."""
    return _round([*pose.position, *pose.quaternion])


def _twin(episode: Episode) -> bool:
    """Whether something else that is movable has the object's colour: it is taken for it most easily."""
    inventory, name = episode.layout.inventory, episode.subgoal.args["object"]
    colour = inventory[name].colour
    return bool(colour) and any(o.movable and o.colour == colour for n, o in inventory.items() if n != name)


def _round(values: Any) -> list[float]:
    return np.round(np.asarray(values, dtype=float), 4).tolist()
