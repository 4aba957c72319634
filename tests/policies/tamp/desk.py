# SPDX-License-Identifier: Apache-2.0
"""A simulated kitchen in which TAMP works on one subgoal after another, judged by the referee."""

from __future__ import annotations

from dataclasses import dataclass

from robo_orch.execution.executor import Executor
from robo_orch.policies.loaders import PolicyContext, load_policy
from robo_orch.policies.registry import Registry
from robo_orch.robots import load_robot
from robo_orch.sim.build import build
from robo_orch.skills import skill
from robo_orch.types import Outcome, Pose

PANDA = load_robot("panda")
CARDS = {name: card for card in Registry.load() if card.family == "tamp" for name in card.skills}


@dataclass(frozen=True)
class Done:
    """What a policy said of its work, whether its postcondition is true, and what was unsafe."""

    outcome: Outcome
    true: bool
    unsafe: str
    labels: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.outcome.ok and self.true and not self.unsafe


class Desk:
    def __init__(self, seed: int, *require: tuple[str, str], **perturb: float) -> None:
        self.sim = build("kitchen", "mujoco", seed, require, perturb)
        self.world, self.robot, self.inventory = self.sim.world, self.sim.robot, self.sim.layout.inventory
        self.events: list[tuple[str, dict]] = []
        self._executor = Executor(self.robot, PANDA, self._note)
        self._policies: dict[str, object] = {}
        self.wait(0.2)

    def wait(self, seconds: float) -> None:
        for _ in self._executor.hold(seconds):
            pass

    def put(self, name: str, x: float, y: float) -> None:
        """Somebody puts an upright thing on the table."""
        pose = Pose.of((x, y, 0.0))
        self.world.place(name, Pose.of((x, y, 0.001 + self.inventory[name].height_below(pose)), pose.quaternion))

    def policy(self, name: str):
        card = CARDS[name]
        if card.id not in self._policies:
            self._policies[card.id] = load_policy(PolicyContext(PANDA, self.inventory, card, 1.0))
        return self._policies[card.id]

    def do(self, name: str, *args: str, seed: int = 0) -> Done:
        kind, policy = skill(name), self.policy(name)
        subgoal = kind.subgoal(*args)
        self.events.clear()
        self.world.referee.begin(subgoal.args, [(bound.between, bound.newtons) for bound in kind.contacts])
        outcome = self._executor.run(policy, CARDS[name], subgoal, seed, 60.0)
        self.wait(kind.hold_seconds)
        verdict = self.world.referee.end()
        labels = tuple(dict.fromkeys(data["label"] for event, data in self.events if event == "chunk"))
        return Done(outcome, self.world.referee.holds(subgoal.predicate), verdict.because, labels)

    def _note(self, event: str, **data) -> None:
        self.events.append((event, data))
        if data.get("moves"):
            self.world.referee.concern(data["moves"])
