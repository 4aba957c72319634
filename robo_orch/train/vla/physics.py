# SPDX-License-Identifier: Apache-2.0
"""Errands in the physics of the simulated world: the expert's, to know that it is one, and the policy's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from robo_orch.robots.actions import Decoder
from robo_orch.robots.spec import load_robot
from robo_orch.sim.build import assemble
from robo_orch.sim.perturb import checked
from robo_orch.sim.scenes import Layout
from robo_orch.skills import skill
from robo_orch.train.vla.errand import Errand
from robo_orch.train.vla.expert import Hand, act, chosen
from robo_orch.train.vla.frames import OPENED
from robo_orch.train.vla.stage import hand_of
from robo_orch.train.vla.table import Table
from robo_orch.types import ActionKind, ActionSpace, Array, DeltaReference, Observation, Pose

#: What rows mean: steps of the tool to its command, in the base's axes, with the opening in metres.
SPACE = ActionSpace(ActionKind.EE_DELTA, 7, "base", "rotvec", DeltaReference.COMMAND)
#: Actions for which the expert may be at a loss, for example while an object swings in the hand.
LOST = 8
#: Control periods in an action at 10 Hz.
PERIODS = 5


@dataclass(frozen=True, slots=True)
class Result:
    """How an errand went: ``success`` is safe success; ``done``: the postcondition alone; ``because`` if unsafe."""

    success: bool
    done: bool
    seconds: float
    because: str = ""


class Episode:
    """One errand in one layout."""

    def __init__(self, layout: Layout, errand: Errand, seed: int = 0) -> None:
        self.layout, self.errand = layout, errand
        self.simulation = assemble(layout, checked({}), seed)
        self.robot, self.world = self.simulation.robot, self.simulation.world
        self._decoder = Decoder(load_robot(layout.robot))
        self._setpoint = self.world.setpoint
        kind = skill(errand.skill)
        self.subgoal = kind.subgoal(errand.object, errand.target)
        self.world.referee.begin(errand.args, [(c.between, c.newtons) for c in kind.contacts])
        self._begun, self._hold = self.robot.now, kind.hold_seconds
        self._since: float | None = None

    def begin(self, q: Array, width: float) -> None:
        """Put the arm where the episode starts."""
        self.robot.put(q, width, self.layout.seed)
        self._setpoint, self._begun = self.world.setpoint, self.robot.now

    @property
    def hand(self) -> Hand:
        """The hand as it was last told to be."""
        held = self.world.referee.held() == self.errand.object
        return hand_of(self._decoder.tool(self._setpoint.goal), self.robot.observe().state.gripper, held)

    @property
    def tool(self) -> Pose:
        """The tool as it is."""
        return self.world.body().tool

    @property
    def poses(self) -> Mapping[str, Pose]:
        """The truth."""
        return self.world.referee.poses()

    def observe(self, cameras: Mapping[str, tuple[int, int]]) -> Observation:
        """What the robot sees, with pictures."""
        seen = self.robot.observe()
        images = {name: self.world.render(name, size) for name, size in cameras.items()}
        return Observation(seen.stamp, seen.state, seen.objects, images)

    def step(self, row: Array) -> None:
        """One action ``(7,)``."""
        measured = self.robot.observe().state.q
        decoded = self._decoder.decode(row, SPACE, self._setpoint, measured, PERIODS, "vla")
        self._setpoint = decoded.after
        for target in decoded.targets:
            self.robot.command(target)
            self.robot.tick()
        holds = self.world.referee.holds(self.subgoal.predicate)
        self._since = (self._since or self.robot.now) if holds else None

    @property
    def result(self) -> Result:
        """As it stands."""
        verdict = self.world.referee.end()
        lasted = self._since is not None and self.robot.now - self._since >= self._hold - 1e-9
        return Result(lasted and verdict.safe, lasted, self.robot.now - self._begun, verdict.because)

    def close(self) -> None:
        """Give GL resources back."""
        self.world.close()


def expert_rows(episode: Episode) -> Callable[[], tuple[Array, bool] | None]:
    """The expert as a controller of an episode: its next row and whether it is done; ``None`` if it cannot go on."""
    inventory, first = episode.layout.inventory, Table(episode.layout.inventory, episode.poses)

    def row() -> tuple[Array, bool] | None:
        hand, poses = episode.hand, episode.poses
        at = poses[episode.errand.object]
        table = first if hand.gripped else Table(inventory, poses)
        in_hand = episode.tool.inverse() @ at if hand.gripped else None  # as the hand is, not as it was told to be
        held = hand.pose @ in_hand if in_hand is not None else None
        work = table.work(episode.errand, hand.position, held, in_hand)
        if work is None:
            return None
        action, done = act(hand, work, chosen(hand, work), OPENED)
        return action.row, done

    return row


def run_expert(episode: Episode, limit: int = 140) -> Result:
    """Let the expert do an errand, for ``limit`` actions at most."""
    say, row, lost = expert_rows(episode), np.zeros(7), 0
    for _ in range(limit):
        told = say()
        row, done = told if told is not None else (np.array([*np.zeros(6), row[-1]]), False)
        lost = 0 if told is not None else lost + 1
        if lost > LOST:
            break
        episode.step(np.asarray(row))
        if done and episode.result.done:
            break
    return episode.result
