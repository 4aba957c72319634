# SPDX-License-Identifier: Apache-2.0
"""A simulated kitchen in which boxes are pushed, judged by the referee."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robo_orch.execution.executor import Executor
from robo_orch.policies.loaders import PolicyContext, load_policy
from robo_orch.policies.registry import Registry
from robo_orch.robots import load_robot
from robo_orch.sim.build import build
from robo_orch.skills import skill
from robo_orch.types import Outcome, Pose

PANDA = load_robot("panda")
CARD = Registry.load(only=["mpc/push-v1"])["mpc/push-v1"]
PUSH = skill("push")


@dataclass(frozen=True)
class Done:
    """What the policy said of its work, whether its postcondition is true, and what was unsafe."""

    outcome: Outcome
    true: bool
    unsafe: str
    labels: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.outcome.ok and self.true and not self.unsafe


class Table:
    """The kitchen with a box and what else is asked for, the rest in the corner behind the robot's reach."""

    def __init__(self, seed: int, *require: tuple[str, str]) -> None:
        self.sim = build("kitchen", "mujoco", seed, require)
        self.world, self.robot, self.inventory = self.sim.world, self.sim.robot, self.sim.layout.inventory
        self.labels: list[str] = []
        self._executor = Executor(self.robot, PANDA, self._note)

    def alone(self, *kept: str) -> None:
        """Take everything movable off the table but some."""
        free = [n for n, s in self.inventory.items() if not s.fixed and s.joint is None and n not in kept]
        for i, name in enumerate(free):
            self.put(name, -0.35 + 0.2 * (i % 2), 0.72 - 0.16 * (i // 2))

    def put(self, name: str, x: float, y: float, yaw: float = 0.0) -> None:
        """Somebody puts an upright thing on the table."""
        pose = Pose.of((x, y, 0.0), (0, 0, np.sin(yaw / 2), np.cos(yaw / 2)))
        self.world.place(name, Pose.of((x, y, 0.001 + self.inventory[name].height_below(pose)), pose.quaternion))

    def wait(self, seconds: float) -> None:
        for _ in self._executor.hold(seconds):
            pass

    def policy(self):
        return load_policy(PolicyContext(PANDA, self.inventory, CARD, 1.0))

    def push(self, name: str, region: str, seed: int = 0) -> Done:
        subgoal = PUSH.subgoal(name, region)
        self.labels.clear()
        self.world.referee.begin(subgoal.args, [(bound.between, bound.newtons) for bound in PUSH.contacts])
        outcome = self._executor.run(self.policy(), CARD, subgoal, seed, 60.0)
        self.wait(PUSH.hold_seconds)
        verdict = self.world.referee.end()
        labels = tuple(dict.fromkeys(self.labels))
        return Done(outcome, self.world.referee.holds(subgoal.predicate), verdict.because, labels)

    def _note(self, event: str, **data) -> None:
        if event == "chunk":
            self.labels.append(data["label"])
