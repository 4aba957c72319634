# SPDX-License-Identifier: Apache-2.0
"""From an observation to a timed, collision-free motion of the arm: what policies and bridges call."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from itertools import pairwise

import numpy as np

from robo_orch.motion.curve import CURVE_RESOLUTION, Curve, hugging_curve, smooth
from robo_orch.motion.effort import Effort
from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.kinematics import Kinematics
from robo_orch.motion.path import RESOLUTION, interpolate, plan_path
from robo_orch.motion.scene import DEPTH, PADDING, Pairs, PlanningScene
from robo_orch.motion.timing import Trajectory, time_path
from robo_orch.objects import Inventory
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Array, Code, Observation, Pose

#: How often a search is begun anew, with another seed or another arm posture, before it is given up (chosen).
TRIES = 3
#: Effort of one search for a path between two states (chosen: of 17 that were found, one took more than 3,000).
SEARCH = 4000
#: Descents after the first in the search for a posture from which a way can be gone (chosen).
POSTURES = 4


class MotionPlanner:
    """Plans motions of one robot around what is perceived, with what it holds.

    The same calls in the same order with the same seed give the same trajectories. Every call looks at the observation
    anew: object poses, gripper opening, and the held object, which moves with the tool.

    Attributes:
        kinematics, scene: what it plans with, free to be asked.
        speed: share in (0, 1] of the joints' velocity limits at which motions are timed unless a call says otherwise.
        effort: what planning has cost and may cost; whatever needs more ends with :class:`GaveUp`.
        plans: how many motions were asked for since the last reset.
    """

    def __init__(
        self, robot: RobotSpec, inventory: Inventory, seed: int = 0, speed: float = 1.0, padding: float = PADDING
    ) -> None:
        self.robot, self.speed = robot, speed
        self.kinematics = Kinematics(robot)
        self.scene = PlanningScene(robot, inventory, padding)
        self.effort = Effort(lambda: self.scene.checks + self.kinematics.steps)
        self.reset(seed)

    def reset(self, seed: int, effort: float = math.inf) -> None:
        """Begin anew: what follows depends on ``seed`` and the calls from here on alone, which may take ``effort``."""
        self.plans, self._seed = 0, seed
        self.effort.begin(effort)
        self.scene.detach()

    def to_configuration(
        self,
        observation: Observation,
        goal: Array,
        *,
        start: Array | None = None,
        speed: float | None = None,
        allow: Pairs = (),
    ) -> Trajectory:
        """Move to joint angles.

        Args:
            observation: the scene and what is held.
            goal: ``(n,)`` rad.
            start: where the motion begins exactly: ``(n,)`` rad; the last command (``state.start``) if not given.
            speed: share in (0, 1] of the joints' velocity limits; the planner's own if not given.
            allow: pairs of links or objects that may touch, see :meth:`PlanningScene.allowing`.

        Raises:
            MotionFailure: says what is in the way.
        """
        goal = np.asarray(goal, dtype=float)
        with self._planning(observation, start, allow) as q0:
            return self._tried(lambda attempt: self._around(q0, goal, attempt, speed))

    def to_pose(
        self,
        observation: Observation,
        pose: Pose,
        *,
        start: Array | None = None,
        speed: float | None = None,
        allow: Pairs = (),
        accept: Callable[[Array], bool] | None = None,
    ) -> Trajectory:
        """Move the tool to a pose (base frame), on whatever way is free.

        Args:
            accept: a further condition on the final joint angles, for example that what comes next is reachable from
                them. The other arguments are those of :meth:`to_configuration`.

        Raises:
            MotionFailure: ``UNREACHABLE``, ``GOAL_IN_COLLISION``, ``NO_PATH`` and the like, with the reason.
        """
        with self._planning(observation, start, allow) as q0:
            return self._tried(lambda attempt: self._around(q0, self.reach(pose, q0, attempt, accept), attempt, speed))

    def straight_to(
        self,
        observation: Observation,
        *way: Pose,
        start: Array | None = None,
        speed: float | None = None,
        allow: Pairs = (),
    ) -> Trajectory:
        """Move the tool through poses (base frame) on straight lines, with a stop at each: approach, lift.

        The arguments are those of :meth:`to_configuration`.

        Raises:
            MotionFailure: ``UNREACHABLE`` where a line breaks off, ``NO_PATH`` naming what it would touch.
        """
        with self._planning(observation, start, allow) as q0:
            legs: list[Trajectory] = []
            for pose in way:
                waypoints = self.kinematics.straight(legs[-1].q[-1] if legs else q0, pose)
                curve = hugging_curve(waypoints, self.robot.limits, len(waypoints) - 1)
                self._check(curve, "the straight line")
                legs.append(self._timed(curve, speed))
            return reduce(Trajectory.then, legs)

    def retrace(
        self, observation: Observation, states: Array, *, speed: float | None = None, allow: Pairs = ()
    ) -> Trajectory:
        """Move through joint angles ``(k, n)`` without a stop: back, for example, along a way that was gone.

        The other arguments are those of :meth:`to_configuration`.

        Raises:
            MotionFailure: ``NO_PATH``, naming what is in the way.
        """
        with self._planning(observation, None, allow) as q0:
            steps = np.vstack([q0, states])
            path = steps[np.append(True, np.max(np.abs(np.diff(steps, axis=0)), axis=1) > 1e-6)]
            curve = hugging_curve(path, self.robot.limits, len(path) - 1)
            self._check(curve, "the way back")
            return self._timed(curve, speed)

    def stance(
        self,
        observation: Observation,
        pose: Pose,
        ways: Sequence[Sequence[Pose]] = ((),),
        *,
        allow: Pairs = (),
        depth: float = DEPTH,
        postures: int = POSTURES,
        release: float | None = None,
    ) -> tuple[int, Array]:
        """Free joint angles at a pose from which one of several ways, straight from pose to pose, is free.

        How to get there is left open. To ask what will be possible later, pass an observation as it would be then. A
        way can be gone in either direction.

        Args:
            observation: the scene and what is held; the search begins at ``state.start``.
            pose: of the tool, base frame.
            ways: tool poses from there onwards, the ways in the order in which they are tried.
            allow: pairs that may touch, ``depth``: how deep, see :meth:`PlanningScene.allowing`.
            postures: descents after the first.
            release: opening (m) to which the gripper must have room to open at the pose.

        Returns:
            Which way, and joint angles ``(k + 1, n)`` rad at the pose and at those of the way.

        Raises:
            MotionFailure: of all postures tried, the failure that the fewest objects are to blame for.
        """
        failures: list[MotionFailure] = []
        found: list[tuple[int, Array]] = []

        def fits(q: Array) -> bool:
            try:
                self._check_state(q, "at the pose itself")
                if release is not None:
                    self._check_state(q, "when the gripper opens", release)
            except MotionFailure as failure:
                failures.append(failure)
                return False
            for i, way in roomy.items():
                try:
                    found.append((i, self._walk(q, way)))
                    return True
                except MotionFailure as failure:
                    failures.append(failure)
            return False

        with self._planning(observation, None, allow, depth) as q0:
            roomy = self._roomy(pose, ways, release)
            rng = np.random.default_rng([self._seed, self.plans])
            try:
                self.kinematics.inverse(pose, q0, rng, restarts=postures, accept=fits)
            except MotionFailure as failure:
                raise min(failures or [failure], key=self._blame) from failure
        return found[0]

    def guide(
        self,
        observation: Observation,
        name: str,
        way: Sequence[tuple[Pose, Pose]],
        *,
        start: Array | None = None,
        speed: float | None = None,
        allow: Pairs = (),
    ) -> Trajectory:
        """Move the tool along closely spaced poses while something moves with it: a drawer, a door.

        Args:
            observation: the scene; leave out what rides on the object.
            name: the object that is moved.
            way: tool pose and the object's pose, base frame, one pair after the other.
            start: joint angles ``(n,)`` at which the tool is near the first pose; ``state.start`` if not given.
            allow: pairs that may touch, those of gripper and object included.

        Raises:
            MotionFailure: ``UNREACHABLE`` where the way breaks off, ``NO_PATH`` naming what arm or object would touch.
        """
        with self._planning(observation, start, allow) as q0, self._guiding(name, q0, way[0][1]):
            waypoints = [q0]
            for i, (tool, pose) in enumerate(way):
                waypoints.extend(self.kinematics.straight(waypoints[-1], tool)[1:])
                self._check_guided(observation, name, pose, waypoints[-1], f"{100 * i / max(1, len(way) - 1):.0f} %")
            path = np.array(waypoints)
            return self._timed(hugging_curve(path, self.robot.limits, len(path) - 1), speed)

    def reach(self, pose: Pose, near: Array, attempt: int = 0, accept: Callable[[Array], bool] | None = None) -> Array:
        """Free joint angles ``(n,)`` that bring the tool to a pose, in the scene as last laid out.

        Attempt 0 begins at ``near``, later ones elsewhere, so that another posture of the arm may come out.

        Raises:
            MotionFailure: ``UNREACHABLE`` or ``GOAL_IN_COLLISION``.
        """
        rng = np.random.default_rng([self._seed, self.plans, attempt])
        limits = self.robot.limits
        seed = near if attempt == 0 else rng.uniform(limits.lower, limits.upper)

        def fits(q: Array) -> bool:
            return self.scene.free(q) and (accept is None or accept(q))

        try:
            return self.kinematics.inverse(pose, seed, rng, accept=fits)
        except MotionFailure as error:
            raise MotionFailure(error.code, error.reason + self._touching_at(pose, near, error.code)) from error

    def look(self, observation: Observation) -> None:
        """Lay the planning scene out as observed, the held object attached where it is estimated.

        Raises:
            MotionFailure: ``NOT_PERCEIVED``, something is held of which no pose is known.
        """
        state = observation.state
        held = state.holding
        if held is not None and held not in observation.objects:
            raise MotionFailure(Code.NOT_PERCEIVED, f"{held} is held, but where it is in the hand was never perceived")
        if self.scene.held not in (None, held):
            self.scene.detach()
        self.scene.update(observation.objects, state.gripper)
        if held is not None:
            self.scene.attach(held, state.tool.inverse() @ observation.objects[held].pose)

    @contextmanager
    def _planning(
        self, observation: Observation, start: Array | None, allow: Pairs, depth: float = DEPTH
    ) -> Iterator[Array]:
        self.plans += 1
        self.effort.go_on()
        self.look(observation)
        q0 = np.array(observation.state.start if start is None else start, dtype=float)
        with self.scene.allowing(allow, depth), self.scene.starting_at(q0):
            yield q0

    def _tried(self, plan: Callable[[int], Trajectory]) -> Trajectory:
        """The first attempt that finds a path; any other failure is final."""
        for attempt in range(TRIES):
            try:
                return plan(attempt)
            except MotionFailure as error:
                if error.code is not Code.NO_PATH or attempt == TRIES - 1 or self.effort.spent:
                    raise
        raise ValueError("TRIES is at least 1")

    def _around(self, start: Array, goal: Array, attempt: int, speed: float | None) -> Trajectory:
        scene, limits = self.scene, self.robot.limits
        seed = int(np.random.default_rng([self._seed, self.plans, 100 + attempt]).integers(1, 2**31 - 1))
        # A way that is free only when looked at loosely is searched for again with a close look.
        resolution = RESOLUTION if attempt == 0 else CURVE_RESOLUTION
        with self.effort.within(SEARCH):
            enough, explain = (lambda: self.effort.spent), scene.explain
            path = plan_path(
                start, goal, scene.free, limits, seed, resolution=resolution, explain=explain, enough=enough
            )
        return self._timed(smooth(path, scene.free, limits), speed)

    def _walk(self, q: Array, way: Sequence[Pose]) -> Array:
        """Joint angles ``(k + 1, n)`` at ``q`` and at the poses of a way from there, free all along."""
        stops = [q]
        for pose in way:
            waypoints = self.kinematics.straight(stops[-1], pose)
            for a, b in pairwise(waypoints):
                for state in interpolate(a, b)[1:]:
                    self._check_state(state, "on the straight line")
            stops.append(waypoints[-1])
        return np.array(stops)

    def _roomy(self, pose: Pose, ways: Sequence[Sequence[Pose]], release: float | None) -> dict[int, Sequence[Pose]]:
        """The ways at whose stops the hand has room whatever the arm does: looked at before any arm is put there.

        Raises:
            MotionFailure: the hand has no room at the pose, or on no way.
        """
        self._check_hand(pose, "at the pose itself")
        if release is not None:
            self._check_hand(pose, "when the gripper opens", release)
        found, failures = dict[int, Sequence[Pose]](), list[MotionFailure]()
        for i, way in enumerate(ways):
            try:
                for stop in way:
                    self._check_hand(stop, "on the straight line")
                found[i] = way
            except MotionFailure as failure:
                failures.append(failure)
        if not found:
            raise min(failures, key=self._blame)
        return found

    def _check_hand(self, tool: Pose, where: str, gripper: float | None = None) -> None:
        self.effort.go_on()
        self._refuse(self.scene.hand_contacts(tool, gripper), Code.GOAL_IN_COLLISION, where)

    def _check_state(self, q: Array, where: str, gripper: float | None = None) -> None:
        self.effort.go_on()
        if gripper is not None or not self.scene.certain(q):
            self._refuse(self.scene.contacts(q, gripper), Code.GOAL_IN_COLLISION, where)

    def _refuse(self, contacts: Sequence[tuple[str, str]], code: Code, where: str) -> None:
        """Refuse contacts, if there are any, with what touches where."""
        if contacts:
            raise MotionFailure(code, f"{where}, {self.scene.said(contacts)}", self.scene.touched(contacts))

    @contextmanager
    def _guiding(self, name: str, q: Array, pose: Pose) -> Iterator[None]:
        """Within the block, what the object is close to where it begins, it may stay close to."""
        self.scene.attach(name, self.kinematics.forward(q).inverse() @ pose)
        with self.scene.starting_at(q):
            self.scene.detach()
            yield

    def _check_guided(self, observation: Observation, name: str, pose: Pose, q: Array, share: str) -> None:
        """Whether the arm keeps clear of the object that it moves, and both of everything else."""
        scene, state = self.scene, observation.state
        moved = {**observation.objects, name: replace(observation.objects[name], pose=pose)}
        scene.update(moved, state.gripper)
        try:
            self._check_state(q, f"at {share} of the way")
            scene.attach(name, self.kinematics.forward(q).inverse() @ pose)
            self._check_state(q, f"at {share} of the way")
        finally:
            scene.detach()

    def _blame(self, failure: MotionFailure) -> tuple[bool, bool, int]:
        """What can be put right sorts first: few movable objects, then furniture, then nothing in particular."""
        movable = all(self.scene.inventory[name].movable for name in failure.touching)
        return not failure.touching, not movable, len(failure.touching)

    def _check(self, curve: Curve, what: str) -> None:
        states = curve.states()
        for i, q in enumerate(states):
            if not self.scene.certain(q):
                share = 100 * i / (len(states) - 1)
                code = Code.START_IN_COLLISION if i == 0 else Code.NO_PATH
                self._refuse(self.scene.contacts(q), code, f"at {share:.0f} % of {what}")

    def _timed(self, curve: Curve, speed: float | None) -> Trajectory:
        share = self.speed if speed is None else speed
        if not 0.0 < share <= 1.0:
            raise ValueError(f"speed is a share in (0, 1], got {share}")
        timed = time_path(curve, self.robot.limits.scaled(share), self.robot.period)
        # Splines stay within the limits of their waypoints but for rounding, and a robot refuses even that.
        return replace(timed, q=np.clip(timed.q, self.robot.limits.lower, self.robot.limits.upper))

    def _touching_at(self, pose: Pose, near: Array, code: Code) -> str:
        """What touches at the posture nearest to ``near``, as the end of a sentence."""
        if code is not Code.GOAL_IN_COLLISION:
            return ""
        nearest = self.kinematics.inverse(pose, near, np.random.default_rng(self._seed))
        what = self.scene.explain(nearest)
        return f"; in the nearest, {what}" if what else ""
