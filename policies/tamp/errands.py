# SPDX-License-Identifier: Apache-2.0
"""Bring an object to its destination, moving or opening first what is in the way.

Where nothing stands in the way, an errand is one transfer and needs no task planner. Where geometry fails on movable
things, they become facts (``y`` obstructs ``x``), Fast Downward orders the actions, and after each of them everything
is thought through anew from what is seen then.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.objects import ObjectSpec
from robo_orch.policies.tamp.arm import BOLD, GIVE, Arm, Script
from robo_orch.policies.tamp.choice import Destination
from robo_orch.policies.tamp.failures import Failures
from robo_orch.policies.tamp.handles import open_part
from robo_orch.policies.tamp.symbols import Errand, Symbols
from robo_orch.policies.tamp.task import plan
from robo_orch.policies.tamp.transfer import check, transfer
from robo_orch.types import Array, Code

#: How many actions an errand may take, and how many things may be found to be in the way of one (chosen).
ACTIONS, IN_THE_WAY = 8, 3
#: How far the arm is turned out of the view from home, rad (chosen: the hand gets 0.3 m aside).
TURNS = (0.6, -0.6)
#: On how many pieces of furniture room for what is moved aside is looked for (chosen).
ASIDE = 3
#: Room for a hand beside what is still to be grasped or filled, where something is moved aside to, m (chosen: half the
#: hand's 0.2 m).
ELBOW_ROOM = 0.10


def run(arm: Arm, errand: Errand) -> Script[None]:
    """Bring ``errand.thing`` to ``errand.target``.

    Raises:
        MotionFailure: what is in the way and why it cannot be moved, or what went wrong.
    """
    destination = Destination(errand.target, inside=errand.how == "put_in")
    found = _Found()
    yield from _uncover(arm, errand.thing, errand.target)
    if not any(n not in arm.seen.objects or _vague(arm, n) for n in (errand.thing, errand.target)):
        yield from look_about(arm)  # what is refused is refused before anything moves
    for _ in range(ACTIONS):
        symbols = Symbols.of(arm.facts, errand, found.obstructs, found.blocks)
        if symbols.direct(errand):
            try:
                yield from transfer(arm, errand.thing, destination)
                return
            except MotionFailure as failure:
                if _bolder(arm, set(failure.touching)):
                    continue
                if not failure.touching and arm.seen.state.holding == errand.thing and not found.regrasped:
                    found.regrasped = True
                    yield from _lay_down(arm, errand.thing, errand)
                    continue
                things = _in_the_way(arm, errand, destination, failure)
                if _bolder(arm, things):
                    continue
                _movable(arm, things, errand.thing)
                found.note(failure, things, errand.thing, errand.target)
            symbols = Symbols.of(arm.facts, errand, found.obstructs, found.blocks)
        yield from _first_step(arm, errand, symbols, found)
    raise MotionFailure(Code.NO_PROGRESS, f"after {ACTIONS} actions {errand.thing} is not at {errand.target} yet")


def _uncover(arm: Arm, *names: str) -> Script[None]:
    """Take the arm out of the view and look again where it may be what hides something that has to be known better."""
    hidden = [n for n in names if n in arm.seen.objects and n != arm.seen.state.holding and _vague(arm, n)]
    if not any(not arm.seen.objects[name].visible for name in hidden):
        return
    with suppress(MotionFailure):
        yield from arm.move(arm.go(arm.seen, arm.robot.home), "moving out of the view")
        yield from arm.look(*hidden)


def look_about(arm: Arm) -> Script[None]:
    """Turn the arm aside, once, where it may be what hides a thing that is somewhere and was never seen."""
    never = {n for n, spec in arm.inventory.items() if spec.movable and n not in arm.seen.objects} - arm.sought
    if arm.seen.state.holding is not None or not never:
        return
    arm.sought |= never
    for turn in TURNS:
        q = arm.robot.home.copy()
        q[0] += turn
        with suppress(MotionFailure):
            yield from arm.move(arm.go(arm.seen, q, arm.gentle), "looking about")
            yield from arm.look(*sorted(never))
        if never <= arm.seen.objects.keys():
            return


def _vague(arm: Arm, name: str) -> bool:
    """Whether something is known too little to be grasped, or to put something on it."""
    return arm.seen.objects[name].sigma > arm.inventory[name].tolerance


class _Found:
    """What geometry found to be in the way so far, as facts for :class:`Symbols`."""

    def __init__(self) -> None:
        self.obstructs: set[tuple[str, str]] = set()
        self.blocks: set[tuple[str, str, str]] = set()
        self.regrasped = False

    def note(self, failure: MotionFailure, things: set[str], thing: str, target: str) -> None:
        """These are in the way of grasping a thing or, for any other failure than that, of setting it down."""
        if failure.code is Code.NO_GRASP:
            self.obstructs.update((other, thing) for other in things)
        else:
            self.blocks.update((other, thing, target) for other in things)

    def forget(self, moved: str) -> None:
        """It has been moved: what it obstructs, and what obstructs it, is to be found out anew."""
        self.obstructs = {fact for fact in self.obstructs if moved not in fact}
        self.blocks = {fact for fact in self.blocks if moved not in fact}


def _first_step(arm: Arm, errand: Errand, symbols: Symbols, found: _Found) -> Script[None]:
    """Carry out the first thing that a plan does: open something, or move something aside."""
    step = plan(symbols, errand)[0]
    name = step.args[0]
    if name not in (errand.thing, errand.target):
        arm.moves = (*arm.moves, name)
    if step.name == "open":
        yield from open_part(arm, name)
    else:
        try:
            yield from _move_aside(arm, name, errand)
        except MotionFailure as failure:
            others = set(failure.touching) - {name, errand.thing, errand.target}
            known = {other for other, thing in found.obstructs if thing == name}
            if failure.code is not Code.NO_GRASP or not others - known:
                raise
            found.obstructs.update((other, name) for other in others)
            return
    found.forget(name)


def _bolder(arm: Arm, things: set[str]) -> bool:
    """Whether it may help to pass things more closely: those that cannot be moved for they are known too little."""
    vague = any(_vague(arm, name) for name in things if name in arm.seen.objects)
    scene = arm.planner.scene
    if not vague or scene.give:
        return False
    scene.most = next((most for most in BOLD if most < scene.most), BOLD[-1])
    scene.give = GIVE if scene.most == BOLD[-1] else 0.0
    return True


def _movable(arm: Arm, things: set[str], thing: str) -> None:
    """Refuse at once where something that has to be moved cannot be grasped, for where it is is known too little.

    Raises:
        MotionFailure: ``IMPRECISE_POSE``.
    """
    for name in sorted(things):
        try:
            arm.estimate(name)
        except MotionFailure as failure:
            raise MotionFailure(failure.code, f"{name} is in the way of {thing}: {failure.reason}") from failure


def _in_the_way(arm: Arm, errand: Errand, destination: Destination, failure: MotionFailure) -> set[str]:
    """What has to be moved for the transfer to be possible: taken away in thought, the fewest first, until it is.

    Raises:
        MotionFailure: the one given, where moving things does not help.
    """
    away = set[str]()
    latest = failure
    while len(away) < IN_THE_WAY:
        new = set(latest.touching) - away - {errand.thing, errand.target}
        if not new or not all(arm.inventory[name].movable for name in new):
            break
        away |= new
        try:
            with arm.ignoring(away):
                check(arm, errand.thing, destination)
        except MotionFailure as another:
            latest = another
        else:
            return away
    raise failure


def _lay_down(arm: Arm, name: str, errand: Errand) -> Script[None]:
    """Put down what is held in a way that does not serve; it is grasped for its target then.

    Raises:
        MotionFailure: why that is not possible either.
    """
    failures = Failures(arm.inventory)
    for surface in _furniture(arm, errand):
        try:
            yield from transfer(arm, name, Destination(surface))
            return
        except MotionFailure as failure:
            failures.add(failure)
    raise failures.all(Code.NO_PLACE, f"{name} is held in a way that does not serve, and cannot be put down")


def _move_aside(arm: Arm, name: str, errand: Errand) -> Script[None]:
    """Put something where it is in nobody's way, on the first piece of furniture that has room."""
    failures = Failures(arm.inventory)
    code = Code.NO_PLACE
    for surface in _furniture(arm, errand):
        destination = Destination(surface, keep_out=tuple(_keep_out(arm, name, errand, surface)))
        try:
            check(arm, name, destination)
        except MotionFailure as failure:
            failures.add(failure)
            code = failure.code
            if code is Code.NO_GRASP:
                break
            continue
        yield from transfer(arm, name, destination)
        return
    raise failures.all(code, f"{name} is in the way of {errand.thing} and cannot be moved aside")


def _furniture(arm: Arm, errand: Errand) -> list[str]:
    """Furniture on which things can be put aside, the largest first."""
    free = [
        (max(float(np.prod(s.half)) for s in spec.surfaces), name)
        for name, spec in arm.inventory.items()
        if spec.fixed and spec.surfaces and spec.geoms and name in arm.seen.objects and name != errand.target
    ]
    return [name for _, name in sorted(free, reverse=True)[:ASIDE]]


def _keep_out(arm: Arm, name: str, errand: Errand, surface: str) -> Iterator[tuple[Array, float]]:
    """Circles around the thing and its target in which nothing may be put aside."""
    for other in {errand.thing, errand.target} - {name, surface}:
        if other in arm.seen.objects:
            reach = _reach(arm.inventory[other]) + _reach(arm.inventory[name]) + ELBOW_ROOM
            yield arm.seen.objects[other].pose.position[:2], reach


def _reach(spec: ObjectSpec) -> float:
    """Radius (m) of the circle about an object's origin that contains it, seen from above."""
    low, high = spec.bounds()
    return float(np.linalg.norm(np.maximum(-low, high)[:2]))
