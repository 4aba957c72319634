# SPDX-License-Identifier: Apache-2.0
"""The motion to a start set, as a policy: free the hand, go there around what is perceived, set the gripper.

::

    if the hand is around or against something: open it unless it holds something, draw back, lift
    for each posture: the set's own, then some drawn from it
        plan through free space; the first that can be reached is gone to
    wait until the fingers are where they should be and something new has been seen
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

import numpy as np

from robo_orch.bridge.start import Starts
from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.planner import MotionPlanner
from robo_orch.motion.scene import GRIPPER
from robo_orch.motion.timing import Trajectory
from robo_orch.types import ActionChunk, ActionSpace, Array, Code, Done, Failed, Observation, Pose, Step, Subgoal

#: Planning effort of one approach, and of one way through free space (chosen: the whole is 1 s of one core).
EFFORT, WAY = 20_000, 3_000
#: How many sigma of their poses free motion keeps away from things, if it can, and else (chosen, as TAMP does).
SIGMAS = (2.0, 1.0)
#: Postures that are drawn from the set where its own cannot be reached (chosen).
DRAWS = 6
#: How far a hand that is caught draws back along its own axis, and up, m; at which share of the speed (chosen: clear of
#: every handle and of an object's upper half; slow enough to break off without a blow).
BACK, UP, GENTLE = 0.06, 0.05, 0.25
#: By how much a hand that is around something opens, m, and how long it takes, s (chosen: a finger's width each side).
OPENING, OPENING_SECONDS = 0.03, 0.5
#: Pieces in which is waited, s, how many at least (chosen: two frames of a 10 Hz estimator) and at most.
PIECE, LEAST, MOST = 0.1, 2, 10
#: The fingers have arrived when the opening is this close to what they were told, m (chosen).
ARRIVED = 0.003

Script = Generator[ActionChunk, None, None]


class Approach:
    """Goes to a start set; with none it only frees the hand.

    Args:
        planner: plans through what is perceived.
        space: ``joint_trajectory``, with the gripper's width as last component if the gripper may move.
        starts: where to.
    """

    def __init__(self, planner: MotionPlanner, space: ActionSpace, starts: Starts | None) -> None:
        self._planner, self._space, self._starts = planner, space, starts
        self._script: Script | None = None
        self._width = 0.0

    def reset(self, subgoal: Subgoal, observation: Observation, seed: int) -> None:
        """Start; all planning and drawing follows from ``seed``."""
        self._seen, self._rng = observation, np.random.default_rng(seed)
        self._planner.reset(seed, EFFORT)
        self._width = min(observation.state.gripper, self._planner.robot.gripper.max_width)
        self._script = self._go()

    def act(self, observation: Observation, committed: ActionChunk | None = None) -> Step:
        """The next piece of the way; ``Failed`` with ``NO_BRIDGE`` where there is none."""
        if self._script is None:
            return Failed(Code.POLICY_ERROR, "act was called before reset")
        self._seen = observation
        try:
            return next(self._script)
        except StopIteration:
            return Done("at the start")
        except MotionFailure as failure:
            return Failed(Code.NO_BRIDGE, f"{failure.code}: {failure.reason}")

    def close(self) -> None:
        """Forget the way."""
        self._script = None

    @property
    def _moves_gripper(self) -> bool:
        return self._space.dim > 2 * len(self._planner.robot.joints)

    def _go(self) -> Script:
        if touching := self._touching():
            if self._moves_gripper and self._seen.state.grasping:
                yield from self._open()
            if (retreat := self._retreat(touching)) is not None:
                yield self._chunk(retreat.q[1:], retreat.qd[1:], "drawing back")
        if self._starts is None:
            return
        if self._moves_gripper:
            self._width = float(np.clip(self._width, *self._starts.gripper))
        if self._starts.outside(self._seen.state.q):
            way = self._way(self._starts)
            yield self._chunk(way.q[1:], way.qd[1:], "moving to the start")
        yield from self._settle()

    def _touching(self) -> list[str]:
        """The objects that the hand is around or against."""
        scene, state = self._planner.scene, self._seen.state
        self._planner.look(self._seen)
        return list(scene.touched(scene.hand_contacts(state.tool)))

    def _open(self) -> Script:
        wide = min(self._seen.state.gripper + OPENING, self._planner.robot.gripper.max_width)
        rows = round(OPENING_SECONDS / self._planner.robot.period)
        widths = np.linspace(self._seen.state.gripper, wide, rows + 1)[1:]
        still = np.tile(self._seen.state.start, (rows, 1))
        self._width = wide
        yield self._chunk(still, np.zeros_like(still), "letting go", widths)

    def _retreat(self, touching: list[str]) -> Trajectory | None:
        """The first way out on straight lines; none where all are barred: what follows may find another."""
        tool = self._seen.state.tool
        back = tool @ Pose.of((0.0, 0.0, -BACK))
        ways = ((back, _lifted(back)), (back,), (_lifted(tool),), (tool @ Pose.of((0.0, 0.0, -BACK / 2)),))
        allow, speed = [(GRIPPER, name) for name in touching], GENTLE * self._planner.speed
        for way in ways:
            try:
                return self._planner.straight_to(self._seen, *way, speed=speed, allow=allow)
            except MotionFailure:
                continue
        return None

    def _way(self, starts: Starts) -> Trajectory:
        """The motion to the first posture that can be reached.

        Raises:
            MotionFailure: none can; the reason is that of the set's own posture.
        """
        wide = max(self._seen.state.gripper, self._width)
        seen = replace(self._seen, state=replace(self._seen.state, gripper=wide))
        first: MotionFailure | None = None
        for posture in self._postures(starts):
            try:
                return self._around(seen, posture)
            except MotionFailure as failure:
                first = first or failure
                if self._planner.effort.spent:
                    break
        raise first or MotionFailure(Code.NO_PATH, "there is no posture to go to")

    def _postures(self, starts: Starts) -> Iterator[Array]:
        yield starts.posture
        for _ in range(DRAWS):
            yield starts(self._rng)[0]

    def _around(self, seen: Observation, posture: Array) -> Trajectory:
        scene = self._planner.scene
        for sigmas in SIGMAS:
            scene.sigmas = sigmas
            try:
                with self._planner.effort.within(WAY):
                    return self._planner.to_configuration(seen, posture)
            except MotionFailure as failure:
                latest = failure
            finally:
                scene.sigmas = 1.0
        raise latest

    def _settle(self) -> Script:
        """Rest until the fingers have arrived and something new has been seen."""
        rows = round(PIECE / self._planner.robot.period)
        for i in range(MOST):
            still = np.tile(self._seen.state.start, (rows, 1))
            yield self._chunk(still, np.zeros_like(still), "settling")
            there = not self._moves_gripper or abs(self._seen.state.gripper - self._width) <= ARRIVED
            if there and i + 1 >= LEAST:
                return

    def _chunk(self, q: Array, qd: Array, label: str, widths: Array | None = None) -> ActionChunk:
        rows = [q, qd]
        if self._moves_gripper:
            rows.append((np.full(len(q), self._width) if widths is None else widths)[:, None])
        return ActionChunk(np.hstack(rows), self._seen.stamp, self._planner.robot.period, self._space, label)


def _lifted(pose: Pose) -> Pose:
    return Pose(pose.position + np.array([0.0, 0.0, UP]), pose.quaternion)
