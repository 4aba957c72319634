# SPDX-License-Identifier: Apache-2.0
"""Take an object from where it is to somewhere else: grasp and placement are chosen together, then carried out.

Nothing moves before a grasp, a way off with the object and a spot that this grasp can serve are known to exist. The
spot is looked for again once the object is in the hand, for then it is known how it lies there.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.scene import Pairs
from robo_orch.motion.timing import Trajectory
from robo_orch.objects import Grasp
from robo_orch.policies.tamp.arm import Arm, Script, said
from robo_orch.policies.tamp.choice import (
    Choice,
    Destination,
    Spot,
    choose_grasp,
    find_placement,
    plan_placement,
    released,
    supports,
    tool_for,
    touching,
)
from robo_orch.policies.tamp.looks import FINE
from robo_orch.policies.tamp.ways import CARRYING, LEAVING, LEAVING_FAR, Way, along, raised
from robo_orch.types import Array, Code, Pose

#: The last part of a way on which something may be touched, m, its share of the speed, and the force that ends it, N
#: (chosen: so slow an arm's own motion makes up to 1.5 N).
LANDING, LANDING_SPEED, LANDED = 0.015, 0.06, 3.0
#: The last part of the way to what is known little, m, and its share of the speed (chosen: fingers that land on it then
#: press no harder than it may be pressed).
NEARING, NEARING_SPEED = 0.05, 0.045
#: How much narrower than the object the gripper is told to close, m: that makes it press, 14 N a finger (chosen).
SQUEEZE = 0.014
#: Of how many setpoints one is kept when a way is gone back (chosen: the curve between them is as good as the same).
RETRACED = 5
#: An object that has moved this far since its approach was planned is approached anew, m (chosen).
MOVED = 0.02
#: How many approaches are made to an object that keeps moving (chosen).
APPROACHES = 3

#: The motion, if any, to shortly above where something is set down, and that from there to it.
Down = tuple[Trajectory | None, Trajectory]


def transfer(arm: Arm, name: str, destination: Destination) -> Script[None]:
    """Pick an object up, unless it is in the hand already, and set it down at its destination.

    Raises:
        MotionFailure: ``NO_GRASP`` or ``NO_PLACE`` with what is in the way, before anything was touched; ``LOST_HOLD``,
            ``WRONG_OBJECT``, ``NO_PROGRESS`` and others where it went wrong on the way.
    """
    spot = None
    if arm.seen.state.holding != name:
        spot = yield from _pick(arm, name, destination)
    yield from _place(arm, name, destination, spot)


def check(arm: Arm, name: str, destination: Destination) -> None:
    """Whether a transfer can be planned from what is seen, as far as the search goes.

    Raises:
        MotionFailure: as :func:`transfer` would before anything is touched.
    """
    if arm.seen.state.holding == name:
        find_placement(arm, arm.seen, name, destination)
    else:
        choose_grasp(arm, name, destination, ())


def _pick(arm: Arm, name: str, destination: Destination) -> Script[Spot]:
    """Take an object; returns the spot that it was taken for."""
    tried: list[Grasp] = []
    while True:
        choice = yield from _approach(arm, name, destination, tried)
        failure = yield from _close_on(arm, name, choice.grasp)
        if failure is None:
            yield from leave(arm, name, CARRYING, f"lifting the {said(name)}")
            if arm.seen.state.holding == name:
                yield from arm.hold(name, choice.grasp.pose.inverse())
            return choice.spot
        tried.append(choice.grasp)
        yield from arm.grip(released(arm, arm.seen), "letting go")
        yield from leave(arm, name, LEAVING, "moving back")
        if len(tried) == APPROACHES:
            raise failure
        yield from arm.look(name)


def _approach(arm: Arm, name: str, destination: Destination, tried: Sequence[Grasp]) -> Script[Choice]:
    for _ in range(APPROACHES):
        before = arm.pose(name)
        choice = choose_grasp(arm, name, destination, tried)
        yield from arm.move(choice.motion, f"moving to the {said(name)}", arm.opening_for(name, choice.grasp))
        yield from arm.look(name)
        if before.distance(arm.pose(name))[0] <= MOVED:
            return choice
    raise MotionFailure(Code.NO_PROGRESS, f"{name} kept moving, it was approached {APPROACHES} times")


def _close_on(arm: Arm, name: str, grasp: Grasp) -> Script[MotionFailure | None]:
    """Reach for an object and close on it; returns why it is not held then, if it is not."""
    try:
        down = arm.boldly(lambda: _reach_for(arm, name, arm.pose(name) @ grasp.pose))
    except MotionFailure as failure:
        return failure
    if not (yield from arm.feel(down, f"reaching for the {said(name)}")):
        return MotionFailure(Code.NO_GRASP, f"the hand ran into {name}, whose pose is known too little")
    yield from arm.close_on(name, grasp.width - SQUEEZE, f"closing on the {said(name)}")
    held = arm.seen.state.holding
    if held != name:
        code = Code.WRONG_OBJECT if held else Code.LOST_HOLD
        return MotionFailure(code, f"the gripper closed on {held or 'nothing'} instead of {name}")
    return None


def _reach_for(arm: Arm, name: str, tool: Pose) -> Trajectory:
    """The straight motion to a grasp, slow where the fingers may land on what is known little."""
    if arm.estimate(name).sigma <= FINE:
        return arm.planner.straight_to(arm.seen, tool, speed=arm.gentle, allow=touching(name))
    near, last = _slow_at_last(arm, [tool], touching(name), NEARING, NEARING_SPEED)
    return last if near is None else near.then(last)


def _place(arm: Arm, name: str, destination: Destination, spot: Spot | None) -> Script[None]:
    for attempt in range(APPROACHES):
        try:
            way, carried, down = yield from _carry(arm, name, destination, spot if attempt == 0 else None)
            break
        except MotionFailure as failure:
            # Seen from near, the spot is not free: look for another one, unless there is none or nothing to put there.
            if failure.code not in (Code.NO_PATH, Code.UNREACHABLE) or attempt == APPROACHES - 1:
                raise
    above, landing = down
    label = f"setting the {said(name)} down"
    if above is None or (yield from arm.feel(above, label)):
        yield from arm.feel(landing, label, LANDED)
    yield from arm.ease(label)
    yield from arm.release(released(arm, arm.seen), f"letting the {said(name)} go")
    came = (landing if above is None else above.then(landing)).q
    yield from leave(arm, name, LEAVING_FAR if len(way) > 1 else LEAVING, "moving away", came)
    if arm.caught():
        yield from _back(arm, carried.q)


def _carry(arm: Arm, name: str, destination: Destination, first: Spot | None) -> Script[tuple[Way, Trajectory, Down]]:
    """Carry an object to before its spot; returns the way to that, how it was come there, how it is set down."""
    target = destination.target
    placement, motion = plan_placement(arm, name, destination, first)
    yield from arm.move(motion, f"carrying the {said(name)} to the {said(target)}")
    yield from arm.look(target, name)
    if arm.seen.state.holding != name:
        raise MotionFailure(Code.LOST_HOLD, f"{name} was lost on the way to {target}")
    tool = tool_for(arm.seen, name, target, placement.spot)
    poses = [*along(placement.way, tool)[-2::-1], tool]
    allow = touching(name, *supports(arm, target))
    if not placement.spot.drops:
        try:  # until its support is felt, however far below it really is
            lower = raised(tool, -2.0 * placement.spot.height)
            fixed = [(name, n) for n, thing in arm.inventory.items() if thing.fixed and n in arm.seen.objects]
            return placement.way, motion, _slow_at_last(arm, [*poses, lower], [*allow, *fixed])
        except MotionFailure:
            pass
    return placement.way, motion, _slow_at_last(arm, poses, allow)


def _slow_at_last(
    arm: Arm, poses: Sequence[Pose], allow: Pairs, part: float = LANDING, share: float = LANDING_SPEED
) -> Down:
    """The straight motion through poses, its last ``part`` (m) apart and slow: something may be touched early there."""
    *first, last = poses
    up = last.position - (first[-1] if first else arm.seen.state.tool).position
    length = float(np.linalg.norm(up))
    slow = share * arm.planner.speed
    if length > part:
        first.append(Pose(last.position - up * (part / length), last.quaternion))
    if not first:
        return None, arm.planner.straight_to(arm.seen, last, speed=slow, allow=allow)
    motion = arm.planner.straight_to(arm.seen, *first, speed=arm.gentle, allow=allow)
    return motion, arm.planner.straight_to(arm.seen, last, start=motion.q[-1], speed=slow, allow=allow)


def leave(arm: Arm, name: str, ways: tuple[Way, ...], label: str, came: Array | None = None) -> Script[None]:
    """Move off from what the gripper is at, along the first way that is free; stay where none is.

    Args:
        came: joint angles ``(k, n)`` along which the arm came, the last way that is tried.
    """
    for way in ways:
        try:
            poses = along(way, arm.seen.state.tool)
            speed = min(arm.careful(name), arm.gentle) if arm.seen.state.holding == name else None
            motion = arm.planner.straight_to(arm.seen, *poses, speed=speed, allow=touching(name))
        except MotionFailure:
            continue
        yield from arm.move(motion, label)
        return
    if came is not None:
        nearest = int(np.argmin(np.abs(came - arm.seen.state.start).max(axis=1)))  # it may have been stopped on the way
        yield from _back(arm, came[: nearest + 1], touching(name))


def _back(arm: Arm, came: Array, allow: Pairs = ()) -> Script[None]:
    """Go back along joint angles ``(k, n)`` along which the arm came, if that is still free."""
    with suppress(MotionFailure):
        motion = arm.planner.retrace(arm.seen, came[::-RETRACED], speed=arm.gentle, allow=allow)
        yield from arm.move(motion, "moving back out")
