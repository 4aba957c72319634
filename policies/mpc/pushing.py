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
from robo_orch.policies.mpc.cost import AIM, ROOM, Ground
from robo_orch.policies.mpc.drag import Drag, drags
from robo_orch.policies.mpc.hand import BOLD, PUSHING, WARY, Hand, Script, said
from robo_orch.policies.mpc.model import PAD_HALF, PushModel
from robo_orch.policies.mpc.plane import Shapes, heading
from robo_orch.policies.mpc.pushes import FACE, GRIPS, STEP, Box, Grip, pusher, starts, tool
from robo_orch.policies.mpc.search import Plan, Touch, search
from robo_orch.policies.mpc.way import Ways
from robo_orch.predicates import Facts, evaluate
from robo_orch.types import Array, Code, Pose, Predicate

#: How many pushes an attempt may take (chosen: most take one or two).
PUSHES = 7
#: How far inside the region's border the box's centre must be seen to be, m (chosen: three sigma of its pose).
ENOUGH = 0.016
#: How far the tool point is below the box's top, m (chosen: the pads' lower two thirds touch its side).
BELOW = 0.005
#: The longest way that is pushed before the next look, m (chosen).
PART = 0.12
#: The same for a box that is pressed on and taken along, m (chosen: it strays by a tenth of its way at most).
PART_ON_TOP = 0.25
#: How high over its place the hand comes, how high it leaves at least, and how far it moves off before, m (chosen).
ABOVE, CLEAR, OFF = 0.13, 0.04, 0.025
#: How far over the box the pads slow down, m, and how fast they then are, m/s (chosen: they land with less than 20 N).
LANDING, TOUCHING = 0.008, 0.02
#: Speed at which a box is taken along that is pressed on, m/s (chosen: faster, the press falters).
DRAGGING = 0.06
#: How far the palm is above the tool point (panda.urdf), and what heights may be off, m.
PALM_BELOW, GRAZE = 0.038, 0.004
#: Friction of a box on furniture (chosen: the larger of the two, wood's).
FRICTION = 0.6
#: What a push must bring the box nearer, m (chosen).
LEAST = 0.015
#: A push that touches something with a higher probability is not tried (chosen).
RISKY = 0.5
#: Pushes of a search that the arm is asked for (chosen).
TRIED = 6
#: A flat box is at least so many times as wide as high; the width a push needs is what the hand cannot grasp.
FLAT = 2.0
#: Lowest thing that is pushed, m: beside what is lower, a plate, the pads would stand on the table (chosen).
LOWEST = 0.025

T = TypeVar("T")


class Pushing:
    """One attempt at pushing an object into a region."""

    def __init__(self, hand: Hand, name: str, region: str) -> None:
        self.hand, self.name, self.region = hand, name, region
        self._touch: Touch | None = None
        self._expected: Array | None = None  # where the box should be after the latest push

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
        hand.estimate(self.name)
        hand.estimate(self.region)
        low, high = spec.bounds()
        size, most = high - low, hand.robot.gripper.max_width
        if min(size[:2]) < FLAT * size[2] or min(size[:2]) <= most:
            sizes = " x ".join(f"{1000 * s:.0f}" for s in size)
            reason = f"{self.name} is {sizes} mm: pushed are flat things wider than {1000 * most:.0f} mm"
            raise MotionFailure(Code.PRECONDITION, reason)
        if size[2] < LOWEST:
            reason = f"{self.name} is {1000 * size[2]:.0f} mm high: pushed are things of {1000 * LOWEST:.0f} mm or more"
            raise MotionFailure(Code.PRECONDITION, reason)
        facts = Facts.of(hand.inventory, hand.seen.objects, hand.seen.state)
        upright = evaluate(Predicate("upright", (self.name,)), facts)
        if upright.fails or hand.seen.state.holding is not None:
            reason = upright.because if upright.fails else f"the hand holds {hand.seen.state.holding}"
            raise MotionFailure(Code.PRECONDITION, reason)
        ground = hand.estimate(self.region).pose.apply(hand.inventory[self.region].surfaces[0].centre)
        self._floor = float(ground[2])
        self._top = self._floor + float(size[2])
        self._height = self._top - BELOW
        self._model = PushModel(spec, FRICTION, float(size[2]) - BELOW)

    def _look(self) -> Script[tuple[Box, float]]:
        """Where the box is seen, and how far inside the region, m."""
        seen = yield from self.hand.look(self.name)
        low, high = self.hand.inventory[self.name].bounds()
        at = np.array([*seen.pose.position[:2], heading(seen.pose)])
        if not seen.visible and self._expected is not None and self._touch is not None:
            at = self._expected  # the hand hides it: what was seen before it was pushed tells nothing
        box = Box(at, (high - low) / 2, seen.sigma)
        return box, float(self._ways(Shapes.of({}, {}, ()), box).inside(box.at[:2]))

    def _push(self, box: Box) -> Script[None]:
        """One push, or a part of it."""
        hand, touch = self.hand, self._touch
        if touch is not None:
            box = _touched(box, touch)
        ground = self._ground(box)
        plans = self._plans(box, ground, touch)
        plan, begin, over = self._choose(box, plans)
        words = f"the {said(self.name)} to the {said(self.region)}"
        if over is not None:
            if touch is not None:  # the way over begins elsewhere then
                yield from self._leave()
                plan, begin, over = self._choose(box, [plan])
            yield from self._go_behind(plan, begin, over)
        part = plan.path[1 : 2 + round((PART_ON_TOP if GRIPS[plan.grip].on_top else PART) / STEP)]
        grip = GRIPS[plan.grip]
        half_turn = self._half_turn(plan)
        speed = DRAGGING if grip.on_top else PUSHING
        motion = hand.along(self._tools(part, grip, half_turn), self.name, grip.width, speed=speed, press=grip.press)
        yield from hand.move(motion, f"pushing {words}")
        self._expected = plan.boxes[len(part)]
        self._touch = Touch(pusher(hand.seen.state.tool, grip, float(part[-1, 2])), int(plan.push[FACE]), plan.grip)

    def _plans(self, box: Box, ground: Ground, touch: Touch | None) -> list[Plan]:
        """Pushes that are worth trying, the best first: where no single one leads there, ways to take the box along."""
        if touch is not None and GRIPS[touch.grip].on_top:
            ways = drags(box, ground, (touch.pusher, touch.grip))
            if ways:
                return [_taken(way, fresh=False) for way in ways]
        found = search(self.hand.rng, self._model, box, ground, touch)
        left = float(ground.ways.togo(box.at[:2]))
        nearer = [plan for plan in found if plan.left < max(left - LEAST, 1e-9)]
        if nearer and nearer[0].fine:
            return nearer
        return [*(_taken(way, fresh=True) for way in drags(box, ground)), *nearer]

    def _go_behind(self, plan: Plan, begin: Pose, over: Trajectory | None) -> Script[None]:
        hand, words = self.hand, f"behind the {said(self.name)}"
        if over is not None:
            yield from hand.move(over, f"moving to {words}", GRIPS[plan.grip].width)
        yield from hand.move(self._boldly(partial(hand.straight, begin, name=self.name)), f"coming down {words}")
        if GRIPS[plan.grip].on_top:
            grip = GRIPS[plan.grip]
            down = self._tools(plan.path[:1], grip, self._half_turn(plan))
            motion = hand.along(down, self.name, grip.width, speed=TOUCHING, press=grip.press)
            yield from hand.move(motion, f"pressing on the {said(self.name)}")

    def _choose(self, box: Box, plans: Sequence[Plan]) -> tuple[Plan, Pose, Trajectory | None]:
        """The first plan that the arm can carry out, the tool's pose where it begins, and the way to above that."""
        failures: list[MotionFailure] = []
        for plan in [p for p in plans if p.risk < RISKY][:TRIED]:
            for half_turn in (False, True):
                try:
                    return self._planned(box, plan, half_turn)
                except MotionFailure as failure:
                    failures.append(failure)
                if not plan.fresh:
                    break
        raise _nothing(self.name, failures)

    def _planned(self, box: Box, plan: Plan, half_turn: bool) -> tuple[Plan, Pose, Trajectory | None]:
        hand, grip = self.hand, GRIPS[plan.grip]
        if not plan.fresh:
            half_turn = self._half_turn(plan)
        if not plan.fresh:
            tools = self._tools(plan.path, grip, half_turn)
            hand.along(tools[1:], self.name, grip.width, press=grip.press)
            return plan, tools[0], None
        first = plan.path[:1] if grip.on_top else starts(box, plan.push[None], ROOM)
        begin = self._tools(first, grip, half_turn, LANDING)[0]
        q, over = hand.approach(begin, _raised(begin, ABOVE), grip.width, self.name)
        tools = self._tools(plan.path, grip, half_turn)
        hand.along(tools, self.name, grip.width, q, press=grip.press)
        return plan, begin, over

    def _tools(self, pushers: Array, grip: Grip, half_turn: bool, over: float = 0.0) -> list[Pose]:
        """Tool poses for pusher poses ``(t, 3)``; those on top of the box ``over`` it, m."""
        height = self._top + PAD_HALF + over if grip.on_top else self._height
        return [tool(pose, height, grip, half_turn) for pose in pushers]

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
        if GRIPS[touch.grip].on_top:
            back = np.array([0.0, 0.0, 2 * LANDING])
        off = Pose(at.position + back, at.quaternion)
        for way in (
            (off, _raised(off, ABOVE)),
            (_raised(at, ABOVE),),
            (off, _raised(off, CLEAR)),
            (_raised(at, CLEAR),),
        ):
            with suppress(MotionFailure):
                motion = self._boldly(partial(hand.straight, *way, name=self.name))
                yield from hand.move(motion, "moving off")
                return

    def _boldly(self, plan: Callable[[], T]) -> T:
        """What ``plan`` gives, passing what is known little as closely as need be."""
        scene = self.hand.planner.scene
        try:
            with suppress(MotionFailure):
                return plan()
            scene.most = BOLD
            return plan()
        finally:
            scene.most = WARY

    def _ground(self, box: Box) -> Ground:
        hand = self.hand
        shapes = Shapes.of(hand.inventory, hand.seen.objects, {self.name})
        low = shapes.between(self._floor + GRAZE, self._top + GRAZE)
        tall = shapes.between(self._height + PALM_BELOW - GRAZE, 1.0)
        over = shapes.between(self._top + GRAZE, 1.0)
        high = shapes.between(self._top + PAD_HALF + PALM_BELOW - GRAZE, 1.0)
        return Ground(low, tall, over, high, self._ways(low, box))

    def _ways(self, shapes: Shapes, box: Box) -> Ways:
        region = self.hand.inventory[self.region].surfaces[0]
        return Ways(shapes, region, self.hand.estimate(self.region).pose, AIM, float(min(box.half[:2])))


def _touched(box: Box, touch: Touch) -> Box:
    """The box where the pads say it is: flush with them, and where it was seen along them."""
    if GRIPS[touch.grip].on_top:
        return box
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


def _taken(way: Drag, fresh: bool) -> Plan:
    """A way on which the box is taken along, as a push."""
    return Plan(np.array([0.0, way.grip, 0.0, 0.0, 0.0]), fresh, way.hand, way.boxes, way.cost, way.risk, 0.0)


def _raised(pose: Pose, height: float) -> Pose:
    return Pose(pose.position + np.array([0.0, 0.0, height]), pose.quaternion)


def _nothing(name: str, failures: Sequence[MotionFailure]) -> MotionFailure:
    """Why no push can be carried out."""
    if not failures:
        return MotionFailure(Code.NO_PATH, f"{name} has no free side from which it could be pushed there")
    first = failures[0]
    return MotionFailure(first.code, f"{name} cannot be pushed there: {first.reason}", first.touching)
