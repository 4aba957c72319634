# SPDX-License-Identifier: Apache-2.0
"""The arm as TAMP's scripts see it: what was seen last, and motions that become chunks.

A script is a generator that yields chunks; before it is resumed, :attr:`Arm.seen` is what was seen after the chunk.
Whatever cannot go on raises :class:`MotionFailure`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TypeVar

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.known import known
from robo_orch.motion.planner import MotionPlanner
from robo_orch.motion.timing import Trajectory, stop_profile
from robo_orch.objects import Grasp
from robo_orch.policies.loaders import PolicyContext
from robo_orch.policies.tamp.feeling import REST, STEP, eased, force, nudge
from robo_orch.policies.tamp.heights import Heights
from robo_orch.policies.tamp.looks import FINE, between, may_be, mean, worth
from robo_orch.predicates import Facts
from robo_orch.types import ActionChunk, Array, Observation, Pose, PoseEstimate

#: Share of the speed at which things are touched: set down, pulled, pushed (chosen: a millimetre off is felt gently).
GENTLE = 0.3
#: How many sigma of their poses free motion keeps away from things, else (chosen: 1 in 40 is farther off to one side).
WIDE, LESS_WIDE = 2.0, 1.5
#: Planning effort of one attempt at a subgoal, and of one way through free space, wide and then near of what is known
#: little (chosen: the whole is about 2 s of one core; of 17 ways that a search found, one took more than 3,000).
EFFORT, WIDE_EFFORT, NEAR_EFFORT = 40_000, 3_000, 5_000
#: How far a joint must be from where it is at home for the arm to be possibly caught in a corner, rad (chosen: it costs
#: the check of one straight way where it is not).
TWISTED = 1.2
#: How much of a sigma counts where things known little would else be in the way, m, one after the other (chosen).
BOLD = (0.025, 0.012, 0.0)
#: How many sigma such things may be overlapped in the end (chosen: half is as likely as not to be beside them).
GIVE = 0.5
#: Mass that is carried at full speed, kg (chosen: held cubes of it never slip).
LIGHT = 0.06
#: Length that does not turn in the fingers at that speed, m (chosen).
SHORT = 0.12
#: Room between an object and each finger on the way to a grasp, m (chosen).
CLEARANCE = 0.009
#: Pieces in which the arm waits or moves while it keeps an eye on something, s: a frame of a 10 Hz estimator.
PIECE = 0.1
#: Pieces of a motion that feels its way, s (chosen: less than 20 N build up in one).
TOUCH_PIECE = 0.06
#: How the hand yields while the fingers close: how far for each newton, and at most in a step, m; the force that is
#: left, N (chosen: half of what a finger, 2000 N/m stiff, gives way).
YIELDING, YIELD_STEP, YIELDED = 0.00025, 0.002, 4.0
#: How fast the fingers close on what is known no better than :data:`FINE`, m/s; how far (m) they are told to go beyond
#: where one is stopped until the hand has given way; how often it may give way after that (chosen: 4 N a finger).
SLOW, LEAD, YIELDS = 0.03, 0.004, 12
#: How long a new look or the fingers are waited for at most, s (chosen: ten frames; the fingers' whole range).
PATIENCE = 1.0
#: Force at the tool, beyond what was there before, that counts as touching something, N (chosen: acceleration alone
#: makes up to 5 N at :data:`GENTLE`).
TOUCHED = 12.0
#: After so many pieces a slow motion is even: joints that move rub otherwise than joints at rest (chosen: 0.2 s).
EVEN = 3
#: Change of the force at the tool within one piece by less than which the arm is at rest, N (chosen).
STEADY = 0.5
#: The fingers have arrived when the opening is this close to what they were told, m (chosen).
ARRIVED = 0.002
#: Opening within one piece by less than which the fingers count as still, m (chosen).
STILL = 0.0005

T = TypeVar("T")
Script = Generator[ActionChunk, None, T]


class Arm:
    """One arm, its planner, and what it saw last.

    Attributes:
        robot, inventory: the body and what may be there.
        planner: plans motions; everything random follows from the seed of :meth:`begin`.
        rng: draws grasps and places.
        handy: points ``(k, 3)``, base frame, that the tool reaches with ease: those around the base as at home.
        moves: what is about to be moved beside the subgoal's objects.
        sought: what was looked about for already, though it was never seen.
        seen: the latest observation.
    """

    def __init__(self, context: PolicyContext) -> None:
        self.robot, self.inventory = context.robot, context.inventory
        self.planner = MotionPlanner(context.robot, context.inventory, speed=context.speed)
        self.rng = np.random.default_rng()
        self._space = context.card.action.space
        self._width = 0.0
        home = self.planner.kinematics.forward(context.robot.home).position
        turns = np.deg2rad([-100, -75, -50, -25, 0, 25, 50, 75, 100])
        self.handy = np.array([Rotation.from_euler("z", turn).apply(home) for turn in turns])
        self.moves: tuple[str, ...] = ()
        self.sought: set[str] = set()
        self._heights = Heights(context.inventory)
        self._grasped = ("", Pose.of())  # what was grasped last, and where in the tool's frame
        self._means: dict[str, tuple[PoseEstimate, Pose]] = {}  # with the tool's pose at which they were made

    def begin(self, seen: Observation, seed: int) -> None:
        """Start on something new; all sampling and planning follows from ``seed``."""
        self.moves = ()
        self._means.clear()
        self._grasped = ("", Pose.of())
        self.observe(seen)
        self.rng = np.random.default_rng(seed)
        self.planner.reset(seed, EFFORT)
        self.planner.scene.most, self.planner.scene.give = np.inf, 0.0
        self._width = min(seen.state.gripper, self.robot.gripper.max_width)

    def observe(self, seen: Observation) -> None:
        """Take note of what is seen now; where a longer look has told more than one frame, that stands.

        What seems to lean by no more than its pose's error stands upright, and what seems to be over something by no
        more than that stands on it (:class:`Heights`).
        """
        means = {name: mean for name, (mean, tool) in self._means.items() if self._stands(mean, tool, seen)}
        objects = {**seen.objects, **means}
        stood = {**objects, **self._heights.stood(objects, seen.state.holding)}
        self.seen = replace(seen, objects={**stood, **self._in_hand(seen, objects)})

    def _in_hand(self, seen: Observation, objects: Mapping[str, PoseEstimate]) -> dict[str, PoseEstimate]:
        """What is held, where :meth:`hold` found it in the hand, as long as that may be so."""
        name, in_tool = self._grasped
        if seen.state.holding != name or name not in objects:
            return {}
        there = seen.state.tool @ in_tool
        return {name: replace(objects[name], pose=there)} if may_be(there, objects[name]) else {}

    @property
    def facts(self) -> Facts:
        """What predicates are evaluated on."""
        return Facts.of(self.inventory, self.seen.objects, self.seen.state)

    def careful(self, name: str) -> float:
        """Share of the velocity limits for carrying something: inertia pulls on it no harder than on :data:`LIGHT`.

        What is longer than :data:`SHORT` would turn in the fingers: it is carried the slower.
        """
        low, high = self.inventory[name].bounds()
        steady = min(1.0, SHORT / float(np.max(high - low)))
        return self.planner.speed * steady * min(1.0, math.sqrt(LIGHT / self.inventory[name].mass))

    @property
    def gentle(self) -> float:
        """Share of the velocity limits for motions that touch something."""
        return GENTLE * self.planner.speed

    def estimate(self, name: str) -> PoseEstimate:
        """Where something is, known well enough to grasp it or to put something on it.

        Raises:
            MotionFailure: ``NOT_PERCEIVED`` or ``IMPRECISE_POSE``.
        """
        return known(name, self.seen, self.inventory)

    def pose(self, name: str) -> Pose:
        """The pose of :meth:`estimate`."""
        return self.estimate(name).pose

    def opening_for(self, name: str, grasp: Grasp) -> float:
        """How far the gripper opens around a grasp, m: as far as it can, the less well the pose is known."""
        doubt = 2.0 * self.seen.objects[name].sigma
        return min(grasp.width + 2 * (CLEARANCE + doubt), self.robot.gripper.max_width)

    def opened(self, gripper: float) -> Observation:
        """What is seen, but with the gripper so far open, m."""
        return replace(self.seen, state=replace(self.seen.state, gripper=gripper))

    @contextmanager
    def ignoring(self, names: Collection[str]) -> Iterator[None]:
        """Within the block some objects are as if they were not there."""
        before = self.seen
        self.seen = replace(before, objects={n: e for n, e in before.objects.items() if n not in names})
        try:
            yield
        finally:
            self.seen = before

    def go(self, seen: Observation, goal: Array, speed: float | None = None) -> Trajectory:
        """The motion to joint angles ``(n,)`` through free space, wide of what is known little where that is possible.

        Raises:
            MotionFailure: what is in the way.
        """
        scene = self.planner.scene
        for sigmas, effort in ((WIDE, WIDE_EFFORT), (LESS_WIDE, WIDE_EFFORT), (1.0, NEAR_EFFORT)):
            scene.sigmas = sigmas
            try:
                with self.planner.effort.within(effort):
                    return self.planner.to_configuration(seen, goal, speed=speed)
            except MotionFailure as failure:
                latest = failure
            finally:
                scene.sigmas = 1.0
        raise latest

    def boldly(self, plan: Callable[[], T]) -> T:
        """What ``plan`` gives, passing things that are known little as closely as need be.

        For motions that feel their way: from one look to the next such things seem to jump by what they are known to.

        Raises:
            MotionFailure: as the last try does.
        """
        scene, before = self.planner.scene, self.planner.scene.most
        try:
            for most in (most for most in (np.inf, *BOLD[:-1]) if most <= before):
                scene.most = most
                with suppress(MotionFailure):
                    return plan()
            scene.most = min(before, BOLD[-1])
            return plan()
        finally:
            scene.most = before

    def hold(self, name: str, in_tool: Pose) -> Script[None]:
        """Note where in the hand something is that the fingers closed on, and that has been lifted.

        Where it was grasped tells that, and a look at it now tells it again, with another error; along their way the
        fingers have put it in their middle.
        """
        self._grasped = ("", in_tool)
        if self.seen.objects[name].sigma > FINE:
            yield from self.look(name)
            looked = self.seen.state.tool.inverse() @ self.seen.objects[name].pose
            if may_be(in_tool, replace(self.seen.objects[name], pose=looked)):
                in_tool = between(in_tool, looked)
        self._grasped = (name, in_tool)

    def caught(self) -> bool:
        """Whether the arm stands in a corner from which no way home is found in a while."""
        home, seen = self.robot.home, self.seen
        if np.max(np.abs(seen.state.start - home)) < TWISTED:
            return False
        with suppress(MotionFailure), self.planner.effort.within(WIDE_EFFORT):
            self.planner.to_configuration(seen, home)
            return False
        return True

    def imagine(self, q: Array, gripper: float, holding: str | None = None, in_tool: Pose | None = None) -> Observation:
        """What would be seen if the arm stood at ``q`` with the gripper so far open, an object held at ``in_tool``."""
        tool, seen = self.planner.kinematics.forward(q), self.seen
        state = replace(seen.state, q=q, commanded=q, tool=tool, gripper=gripper, holding=holding)
        objects = dict(seen.objects)
        if holding is not None and in_tool is not None:
            objects[holding] = replace(objects[holding], pose=tool @ in_tool)
        return replace(seen, state=state, objects=objects)

    def move(self, motion: Trajectory, label: str, gripper: float | None = None) -> Script[None]:
        """Carry a motion out, the fingers on their way to ``gripper`` (m) meanwhile."""
        self._width = self._width if gripper is None else gripper
        yield self._chunk(motion.q[1:], motion.qd[1:], label)

    def follow(self, motion: Trajectory, label: str, alarm: Callable[[], str], piece: float = PIECE) -> Script[str]:
        """Carry a motion out piece by piece (s); brake where the alarm says that something is wrong.

        Returns:
            What the alarm said; empty if the motion was completed.
        """
        step = max(1, round(piece / motion.period))
        for i in range(1, len(motion.q), step):
            yield self._chunk(motion.q[i : i + step], motion.qd[i : i + step], label)
            last = min(i + step, len(motion.q)) - 1
            if wrong := alarm():
                brake = stop_profile(motion.q[last], motion.qd[last], self.robot.limits, motion.period)
                yield self._chunk(brake.q[1:], brake.qd[1:], label)
                return wrong
        return ""

    def feel(self, motion: Trajectory, label: str, touched: float = TOUCHED) -> Script[bool]:
        """Carry a motion out unless something is touched on the way; says whether it was completed.

        Args:
            touched: force (N) beyond that of the even motion that counts as touching, if less than :data:`TOUCHED`
                beyond that at rest.
        """
        forces = [(yield from self._settled(label))]

        def alarm() -> str:
            forces.append(self._force())
            off = np.linalg.norm(forces[-1] - np.array([forces[0], forces[min(EVEN, len(forces) - 1)]]), axis=1)
            return "touched" if off[0] > TOUCHED or off[1] > touched else ""

        wrong = yield from self.follow(motion, label, alarm, TOUCH_PIECE)
        return not wrong

    def ease(self, label: str) -> Script[None]:
        """Press no more on what was come upon."""
        yield self._chunk(*eased(self.robot, self.seen.state), label)

    def grip(self, width: float, label: str) -> Script[None]:
        """Open or close the fingers until they are there, or stand still on something."""
        self._width = min(max(0.0, width), self.robot.gripper.max_width)
        before = self.seen.state.gripper
        for i in range(round(PATIENCE / PIECE)):
            yield from self._wait(label)
            now = self.seen.state.gripper
            there = abs(now - self._width) <= ARRIVED
            if i > 1 and (there or (self.seen.state.grasping and abs(now - before) < STILL)):
                return
            before = now

    def release(self, width: float, label: str) -> Script[None]:
        """Open the fingers slowly until they let go, then on to a width, m: a squeeze that ends at once is a blow."""
        until = self.seen.state.gripper + ARRIVED
        while self._width < min(until, width):
            self._width += SLOW * PIECE
            yield from self._wait(label)
        yield from self.grip(width, label)

    def close_on(self, name: str, width: float, label: str) -> Script[None]:
        """Close the fingers, the hand giving way to the one that touches first, so that nothing is pushed or tipped.

        It gives way no farther than the object may be from where it is believed to be.
        """
        yield from self._wait(label)
        sigma, goal = self.seen.objects[name].sigma, min(max(0.0, width), self.robot.gripper.max_width)
        before, last, went, most = self._force(), self.seen.state.gripper, 0.0, YIELD_STEP + 2.0 * sigma
        self._width, rate = last, (SLOW if sigma > FINE else self.robot.gripper.speed) * (STEP + REST)
        for _ in range(round((last - goal) / rate) + YIELDS):
            across, open_at = self.seen.state.tool.matrix[:, 1], self.seen.state.gripper
            sideways = float((before - self._force()) @ across)  # what pushes the hand along the fingers' way, N
            # With both fingers on it nothing is pushed any more.
            calm = abs(sideways) < YIELDED or self.seen.state.grasping
            low, high = max(-YIELD_STEP, -most - went), min(YIELD_STEP, most - went)
            shift = 0.0 if calm else float(np.clip(YIELDING * sideways, low, high))
            went, squeezed = went + shift, self._width <= goal
            calm = calm or abs(went) >= most
            if calm or open_at - self._width < LEAD:
                self._width = max(goal, self._width - rate)
            yield self._chunk(*nudge(self.planner.kinematics, self.seen.state, shift * across), label)
            now, state = self.seen.state.gripper, self.seen.state
            there = abs(now - goal) <= ARRIVED or (state.grasping and abs(now - last) < STILL)
            if squeezed and there and calm:
                return
            last = now

    def look(self, *names: str) -> Script[None]:
        """Rest until everything named has been seen well since the arm came to rest, or has not for too long."""
        label, since = f"looking at the {' and the '.join(map(said, names))}", self.seen.stamp
        frames: dict[str, dict[float, PoseEstimate]] = {name: {} for name in names}
        for name in names:
            self._means.pop(name, None)
        for _ in range(round(PATIENCE / PIECE)):
            yield from self._wait(label)
            for name in names:
                estimate = self.seen.objects.get(name)
                if estimate is not None and estimate.stamp >= since:
                    frames[name][estimate.stamp] = estimate
            if all(seen and len(seen) >= worth(seen) for seen in frames.values()):
                break
        tool = self.seen.state.tool
        self._means.update((name, (mean(list(f.values())), tool)) for name, f in frames.items() if len(f) > 1)
        self.observe(self.seen)

    def _force(self) -> Array:
        return force(self.planner.kinematics, self.seen.state)

    def _settled(self, label: str) -> Script[Array]:
        """The force at the tool once the arm has come to rest: its servos still pull for a while after a motion."""
        force = self._force()
        for _ in range(round(PATIENCE / PIECE)):
            before = force
            yield from self._wait(label)
            force = self._force()
            if np.linalg.norm(force - before) < STEADY:
                break
        return force

    def _stands(self, mean: PoseEstimate, tool: Pose, seen: Observation) -> bool:
        """Whether an average may stand for what is seen now: nothing has moved, nor what holds it."""
        now = seen.objects.get(mean.name)
        if now is None or (seen.state.holding == mean.name and tool.distance(seen.state.tool)[0] > FINE):
            return False
        return may_be(mean.pose, now)

    def _wait(self, label: str) -> Script[None]:
        """Stand still for one :data:`PIECE`."""
        q = np.tile(self.seen.state.start, (round(PIECE / self.robot.period), 1))
        yield self._chunk(q, np.zeros_like(q), label)

    def _chunk(self, q: Array, qd: Array, label: str) -> ActionChunk:
        values = np.hstack([q, qd, np.full((len(q), 1), self._width)])
        return ActionChunk(values, self.seen.stamp, self.robot.period, self._space, label, self.moves)


def said(name: str) -> str:
    """A name as it is said."""
    return name.replace("_", " ")
