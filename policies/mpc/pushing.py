# SPDX-License-Identifier: Apache-2.0
"""One attempt at pushing a box: look, search the next push, go behind the box, push a part of it, look again.

::

    until the box is seen well inside the region:
        search pushes from where box and hand are              (search.py)
        the first of them that the arm can carry out:
            unless the hand is there already: off, over, down behind the box
            push a part of the way
    move off and up
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.timing import Trajectory
from robo_orch.policies.mpc.hand import BOLD, Hand, Script, said
from robo_orch.policies.mpc.model import PushModel
from robo_orch.policies.mpc.plane import Shapes, heading
from robo_orch.policies.mpc.pushes import FACE, GRIPS, STEP, Box, pusher, starts, tool
from robo_orch.policies.mpc.search import ROOM, Ground, Plan, Touch, search
from robo_orch.policies.mpc.way import Ways
from robo_orch.predicates import Facts, evaluate
from robo_orch.types import Code, Pose, Predicate

#: How many pushes an attempt may take (chosen: most take one or two).
PUSHES = 10
#: How far inside the region's border the box's centre shall come, and how far it must be seen to be, m (chosen: six and
#: three sigma of its pose).
AIM, ENOUGH = 0.03, 0.016
#: How far the tool point is below the box's top, m (chosen: the pads' lower two thirds touch its side).
BELOW = 0.005
#: The longest way that is pushed before the next look, m (chosen).
PART = 0.12
#: How high over its place the hand comes, and how far it moves off, m (chosen).
ABOVE, OFF = 0.13, 0.025
#: Friction of a box on furniture (chosen: the larger of the two, wood's).
FRICTION = 0.6
#: A push that touches something with a higher probability is not tried (chosen).
RISKY = 0.5
#: Pushes of a search that the arm is asked for (chosen).
TRIED = 6
#: A flat box is at least so many times as wide as high; the width a push needs is what the hand cannot grasp.
FLAT = 2.0

T = TypeVar("T")


class Pushing:
    """One attempt at pushing an object into a region."""

    def __init__(self, hand: Hand, name: str, region: str) -> None:
        self.hand, self.name, self.region = hand, name, region
        self._touch: Touch | None = None

    def run(self) -> Script[None]:
        """The attempt.

        Raises:
            MotionFailure: ``PRECONDITION``, ``NOT_PERCEIVED`` and ``IMPRECISE_POSE`` before anything moves, ``NO_PATH``
                and ``UNREACHABLE`` where no push leads on, ``NO_PROGRESS`` after too many.
        """
        self._check()
        for _ in range(PUSHES):
            box, inside = yield from self._look()
            if inside >= ENOUGH:
                break
            try:
                yield from self._push(box)
            except MotionFailure:
                yield from self._leave()
                raise
        yield from self._leave()
        _, inside = yield from self._look()
        if inside < 0.0:
            reason = f"{self.name} is {-1000 * inside:.0f} mm short of {self.region} after {PUSHES} pushes"
            raise MotionFailure(Code.NO_PROGRESS, reason)

    def _check(self) -> None:
        """Refuse what is not made to be pushed."""
        hand, spec = self.hand, self.hand.inventory[self.name]
        pose = hand.estimate(self.name).pose
        hand.estimate(self.region)
        low, high = spec.bounds()
        size, most = high - low, hand.robot.gripper.max_width
        if min(size[:2]) < FLAT * size[2] or min(size[:2]) <= most:
            sizes = " x ".join(f"{1000 * s:.0f}" for s in size)
            reason = f"{self.name} is {sizes} mm: pushed are flat things wider than {1000 * most:.0f} mm"
            raise MotionFailure(Code.PRECONDITION, reason)
        facts = Facts.of(hand.inventory, hand.seen.objects, hand.seen.state)
        upright = evaluate(Predicate("upright", (self.name,)), facts)
        if upright.fails or hand.seen.state.holding is not None:
            reason = upright.because if upright.fails else f"the hand holds {hand.seen.state.holding}"
            raise MotionFailure(Code.PRECONDITION, reason)
        self._height = float(pose.position[2] + low[2] + size[2]) - BELOW
        self._model = PushModel(spec, FRICTION, float(size[2]) - BELOW)

    def _look(self) -> Script[tuple[Box, float]]:
        """Where the box is seen, and how far inside the region, m."""
        seen = yield from self.hand.look(self.name)
        low, high = self.hand.inventory[self.name].bounds()
        box = Box(np.array([*seen.pose.position[:2], heading(seen.pose)]), (high - low) / 2, seen.sigma)
        return box, float(self._ways(Shapes.of({}, {}, ()), box).inside(box.at[:2]))

    def _push(self, box: Box) -> Script[None]:
        """One push, or a part of it."""
        hand, touch = self.hand, self._touch
        if touch is not None:
            box = _touched(box, touch)
        plans = search(hand.rng, self._model, box, self._ground(box), touch)
        plan, begin, over = self._choose(box, plans)
        words = f"the {said(self.name)} to the {said(self.region)}"
        if over is not None:
            if touch is not None:  # the way over begins elsewhere then
                yield from self._leave()
                plan, begin, over = self._choose(box, [plan])
            yield from self._go_behind(plan, begin, over)
        part = plan.path[1 : 2 + round(PART / STEP)]
        grip = GRIPS[plan.grip]
        half_turn = self._half_turn(plan)
        tools = [tool(pose, self._height, grip, half_turn) for pose in part]
        motion = hand.along(tools, self.name, grip.width)
        yield from hand.move(motion, f"pushing {words}")
        self._touch = Touch(pusher(hand.seen.state.tool, grip, float(part[-1, 2])), int(plan.push[FACE]), plan.grip)

    def _go_behind(self, plan: Plan, begin: Pose, over: Trajectory | None) -> Script[None]:
        hand, words = self.hand, f"behind the {said(self.name)}"
        if over is not None:
            yield from hand.move(over, f"moving to {words}", GRIPS[plan.grip].width)
        yield from hand.move(self._boldly(partial(hand.straight, begin, name=self.name)), f"coming down {words}")

    def _choose(self, box: Box, plans: Sequence[Plan]) -> tuple[Plan, Pose, Trajectory | None]:
        """The first plan that the arm can carry out, the tool's pose where it begins, and the way to above that."""
        failures: list[MotionFailure] = []
        for plan in [p for p in plans if p.risk < RISKY][:TRIED]:
            for half_turn in (False, True):
                try:
                    return self._boldly(partial(self._planned, box, plan, half_turn))
                except MotionFailure as failure:
                    failures.append(failure)
                if not plan.fresh:
                    break
        raise _nothing(self.name, failures)

    def _planned(self, box: Box, plan: Plan, half_turn: bool) -> tuple[Plan, Pose, Trajectory | None]:
        hand, grip = self.hand, GRIPS[plan.grip]
        if not plan.fresh:
            half_turn = self._half_turn(plan)
        tools = [tool(pose, self._height, grip, half_turn) for pose in plan.path]
        if not plan.fresh:
            hand.along(tools[1:], self.name, grip.width)
            return plan, tools[0], None
        begin = tool(starts(box, plan.push[None], ROOM)[0], self._height, grip, half_turn)
        q, over = hand.approach(begin, _raised(begin, ABOVE), grip.width, self.name)
        hand.along(tools, self.name, grip.width, q)
        return plan, begin, over

    def _half_turn(self, plan: Plan) -> bool:
        """Which of the two ways round the tool stands that are as good."""
        ahead = tool(plan.path[0], self._height, GRIPS[plan.grip]).matrix[:, 0]
        return bool(ahead @ self.hand.seen.state.tool.matrix[:, 0] < 0.0)

    def _leave(self) -> Script[None]:
        """Off the box and up, if the hand is behind it."""
        touch, hand = self._touch, self.hand
        if touch is None:
            return
        self._touch = None
        back = -OFF * np.array([np.cos(touch.pusher[2]), np.sin(touch.pusher[2]), 0.0])
        at = hand.seen.state.tool
        off = Pose(at.position + back, at.quaternion)
        for way in ((off, _raised(off, ABOVE)), (_raised(at, ABOVE),)):
            with suppress(MotionFailure):
                motion = self._boldly(partial(hand.straight, *way, name=self.name))
                yield from hand.move(motion, "moving off")
                return

    def _boldly(self, plan: Callable[[], T]) -> T:
        """What ``plan`` gives, passing what is known little as closely as need be."""
        scene = self.hand.planner.scene
        try:
            for most in BOLD[:-1]:
                scene.most = most
                with suppress(MotionFailure):
                    return plan()
            scene.most = BOLD[-1]
            return plan()
        finally:
            scene.most = np.inf

    def _ground(self, box: Box) -> Ground:
        hand = self.hand
        shapes = Shapes.of(hand.inventory, hand.seen.objects, {self.name})
        floor = self._height + BELOW - 2 * box.half[2]
        low = shapes.between(floor + 0.001, floor + 2 * box.half[2] + 0.006)
        tall = shapes.between(self._height + 0.036, 1.0)
        return Ground(low, tall, self._ways(low, box))

    def _ways(self, shapes: Shapes, box: Box) -> Ways:
        region = self.hand.inventory[self.region].surfaces[0]
        return Ways(shapes, region, self.hand.estimate(self.region).pose, AIM, float(min(box.half[:2])))


def _touched(box: Box, touch: Touch) -> Box:
    """The box where the pads say it is: flush with them, and where it was seen along them."""
    at = box.at.copy()
    flush = touch.pusher[2] + np.pi - touch.face * np.pi / 2
    off = (flush - at[2] + np.pi) % (2 * np.pi) - np.pi
    if touch.grip == 0 and abs(off) < 0.12:
        at[2] += off
    ahead = np.array([np.cos(touch.pusher[2]), np.sin(touch.pusher[2])])
    half = box.half[touch.face % 2]
    distance = (at[:2] - touch.pusher[:2]) @ ahead
    at[:2] += ahead * (half + GRIPS[touch.grip].front - distance)
    return Box(at, box.half, box.sigma)


def _raised(pose: Pose, height: float) -> Pose:
    return Pose(pose.position + np.array([0.0, 0.0, height]), pose.quaternion)


def _nothing(name: str, failures: Sequence[MotionFailure]) -> MotionFailure:
    """Why no push can be carried out."""
    if not failures:
        return MotionFailure(Code.NO_PATH, f"{name} has no free side from which it could be pushed there")
    first = failures[0]
    return MotionFailure(first.code, f"{name} cannot be pushed there: {first.reason}", first.touching)
