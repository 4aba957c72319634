# SPDX-License-Identifier: Apache-2.0
"""Take an object from where it is to somewhere else: grasp and placement are chosen together, then carried out.

Nothing moves before a grasp, a way off with the object and a spot that this grasp can serve are known to exist. The
spot is looked for again once the object is in the hand, for then it is known how it lies there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.scene import GRIPPER, Pairs
from robo_orch.motion.timing import Trajectory
from robo_orch.objects import Grasp
from robo_orch.policies.tamp.arm import CLEARANCE, Arm, Script, said
from robo_orch.policies.tamp.failures import Failures
from robo_orch.policies.tamp.grasps import leaning, ordered, unlike, usable
from robo_orch.policies.tamp.placements import doorways, placements
from robo_orch.policies.tamp.ways import CARRYING, GRASPING, LEAVING, LEAVING_FAR, Way, along, raised
from robo_orch.types import Array, Code, Observation, Pose

#: How far above its place an object is let go, m (chosen: three sigma of two poses known to 1 mm each, and room), or
#: this many sigma of its height over the target, if that is more.
RELEASE_HEIGHT, RELEASE_SIGMAS = 0.006, 2.0
#: From how much higher an object may be let go over a hollow that the hand does not go into, m (chosen: 0.1 s of fall).
DROPS = (0.0, 0.02, 0.04, 0.06)
#: Least distance from the open hand to the object that it is about to close on, were the estimate right, m (chosen).
BESIDE = 0.003
#: The last part of a way on which something may be touched, m, and its share of the speed (chosen: 12 N come gently).
LANDING, LANDING_SPEED = 0.025, 0.10
#: How much narrower than the object the gripper is told to close, m: that makes it press, 14 N a finger (chosen).
SQUEEZE = 0.014
#: An object that has moved this far since its approach was planned is approached anew, m (chosen).
MOVED = 0.02
#: How many approaches are made to an object that keeps moving (chosen).
APPROACHES = 3
#: The hand points to the side where its direction's vertical part is less than this (chosen: 45 degrees).
SIDE = 0.7
#: How many grasps of an object are tried, and how many of those that reach it are tried at the target (chosen).
GRASPS, SERVING = 24, 6
#: Descents after the first in the search for a posture at a spot, with room all around and in a doorway (chosen).
OPEN, NARROW = 1, 6
#: How many spots are tried with each grasp before the object is taken, and with the object in the hand (chosen).
GLANCE, SPOTS = 24, 48


@dataclass(frozen=True, slots=True, eq=False)
class Destination:
    """Where something shall go.

    Attributes:
        target: the object that it shall stand on, or lie in.
        inside: in the target's hollow.
        keep_out: circles (centre ``(2,)`` in the base frame, radius), m, in which its middle shall not be.
    """

    target: str
    inside: bool = False
    keep_out: tuple[tuple[Array, float], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Where an object shall be let go (in the target's frame), how far that is above where it comes to stand, m."""

    pose: Pose
    height: float


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """A spot, the way to it, and the posture ``(n,)`` at which that begins."""

    spot: Spot
    way: Way
    start: Array


def transfer(arm: Arm, name: str, destination: Destination) -> Script[None]:
    """Pick an object up, unless it is in the hand already, and set it down at its destination.

    Raises:
        MotionFailure: ``NO_GRASP`` or ``NO_PLACE`` with what is in the way, before anything was touched; ``LOST_HOLD``,
            ``WRONG_OBJECT``, ``NO_PROGRESS`` and others where it went wrong on the way.
    """
    if arm.seen.state.holding != name:
        yield from _pick(arm, name, destination)
    yield from _place(arm, name, destination)


def check(arm: Arm, name: str, destination: Destination) -> None:
    """Whether a transfer can be planned from what is seen, as far as the search goes.

    Raises:
        MotionFailure: as :func:`transfer` would before anything is touched.
    """
    if arm.seen.state.holding == name:
        _find_placement(arm, arm.seen, name, destination)
    else:
        _choose_grasp(arm, name, destination, ())


def _pick(arm: Arm, name: str, destination: Destination) -> Script[None]:
    tried: list[Grasp] = []
    while True:
        grasp = yield from _approach(arm, name, destination, tried)
        failure = yield from _close_on(arm, name, grasp)
        if failure is None:
            yield from leave(arm, name, CARRYING, f"lifting the {said(name)}")
            return
        tried.append(grasp)
        yield from arm.grip(_released(arm, arm.seen), "letting go")
        yield from leave(arm, name, LEAVING, "moving back")
        if len(tried) == APPROACHES:
            raise failure
        yield from arm.look(name)


def _approach(arm: Arm, name: str, destination: Destination, tried: Sequence[Grasp]) -> Script[Grasp]:
    for _ in range(APPROACHES):
        before = arm.pose(name)
        grasp, motion = _choose_grasp(arm, name, destination, tried)
        yield from arm.move(motion, f"moving to the {said(name)}", arm.opening_for(name, grasp))
        yield from arm.look(name)
        if before.distance(arm.pose(name))[0] <= MOVED:
            return grasp
    raise MotionFailure(Code.NO_PROGRESS, f"{name} kept moving, it was approached {APPROACHES} times")


def _close_on(arm: Arm, name: str, grasp: Grasp) -> Script[MotionFailure | None]:
    """Reach for an object and close on it; returns why it is not held then, if it is not."""
    try:
        tool = arm.pose(name) @ grasp.pose
        down = arm.planner.straight_to(arm.seen, tool, speed=arm.gentle, allow=_touching(name))
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


def _place(arm: Arm, name: str, destination: Destination) -> Script[None]:
    for attempt in range(APPROACHES):
        try:
            way, down = yield from _carry(arm, name, destination)
            break
        except MotionFailure as failure:
            # Seen from near, the spot is not free: look for another one, unless there is none or nothing to put there.
            if failure.code not in (Code.NO_PATH, Code.UNREACHABLE) or attempt == APPROACHES - 1:
                raise
    yield from arm.feel(down, f"setting the {said(name)} down")
    yield from arm.grip(_released(arm, arm.seen), f"letting the {said(name)} go")
    yield from leave(arm, name, LEAVING_FAR if len(way) > 1 else LEAVING, "moving away")


def _carry(arm: Arm, name: str, destination: Destination) -> Script[tuple[Way, Trajectory]]:
    """Carry an object to before its spot; returns the way to that, and the motion that sets it down there."""
    target = destination.target
    placement, motion = _plan_placement(arm, name, destination)
    yield from arm.move(motion, f"carrying the {said(name)} to the {said(target)}")
    yield from arm.look(target, name)
    if arm.seen.state.holding != name:
        raise MotionFailure(Code.LOST_HOLD, f"{name} was lost on the way to {target}")
    tool = _tool_for(arm.seen, name, target, placement.spot)
    poses = [*along(placement.way, tool)[-2::-1], tool]
    return placement.way, _landing(arm, poses, _touching(name, *_supports(arm, target)))


def _landing(arm: Arm, poses: Sequence[Pose], allow: Pairs) -> Trajectory:
    """The straight motion through poses, slow on its last part: something may be touched early there."""
    *first, last = poses
    up = last.position - first[-1].position if first else np.zeros(3)
    length = float(np.linalg.norm(up))
    if length <= LANDING:
        return arm.planner.straight_to(arm.seen, *poses, speed=arm.gentle, allow=allow)
    near = Pose(last.position - up * (LANDING / length), last.quaternion)
    motion = arm.planner.straight_to(arm.seen, *first, near, speed=arm.gentle, allow=allow)
    slow = LANDING_SPEED * arm.planner.speed
    return motion.then(arm.planner.straight_to(arm.seen, last, start=motion.q[-1], speed=slow, allow=allow))


def leave(arm: Arm, name: str, ways: tuple[Way, ...], label: str) -> Script[None]:
    """Move off from what the gripper is at, along the first way that is free; stay where none is."""
    for way in ways:
        try:
            poses = along(way, arm.seen.state.tool)
            speed = arm.careful(name) if arm.seen.state.holding == name else None
            motion = arm.planner.straight_to(arm.seen, *poses, speed=speed, allow=_touching(name))
        except MotionFailure:
            continue
        yield from arm.move(motion, label)
        return


def _choose_grasp(arm: Arm, name: str, destination: Destination, tried: Sequence[Grasp]) -> tuple[Grasp, Trajectory]:
    """A grasp with which the object can be taken off and set down, and the motion to where it is straight ahead."""
    failures = Failures(arm.inventory)
    arm.estimate(destination.target)
    gripper, tool = arm.robot.gripper, arm.seen.state.tool
    fitting = usable(arm.inventory[name], gripper)
    if _covered(arm, destination):
        fitting = leaning(fitting)  # from above there is no way in
    grasps = ordered(fitting, arm.estimate(name), tool, gripper.max_width, tried)
    useless: list[Grasp] = []
    for _ in range(min(GRASPS, len(grasps))):
        grasp = grasps.pop(0)
        try:
            before, held = _reach(arm, name, grasp)
        except MotionFailure as failure:
            failures.add(failure)
            continue
        try:
            _find_placement(arm, held, name, destination)
            return grasp, arm.go(arm.opened(arm.opening_for(name, grasp)), before)
        except MotionFailure as failure:
            failures.add(failure)
        useless.append(grasp)
        grasps = unlike(grasps, useless)
        if len(useless) == SERVING:
            break
    what = _no_room(name, destination) if useless else f"{name} cannot be grasped"
    raise failures.all(Code.NO_PLACE if useless else Code.NO_GRASP, what)


def _reach(arm: Arm, name: str, grasp: Grasp) -> tuple[Array, Observation]:
    """The posture ``(n,)`` before a grasp, and what would be seen with the object held; it could be lifted then."""
    tool, allow = arm.pose(name) @ grasp.pose, _touching(name)
    hand = arm.opened(arm.opening_for(name, grasp))
    ways, apart = [along(way, tool) for way in GRASPING], -BESIDE - arm.estimate(name).sigma
    _, postures = arm.planner.stance(hand, tool, ways, allow=allow, depth=apart)
    held = arm.imagine(postures[0], grasp.width, name, grasp.pose.inverse())
    arm.planner.stance(held, tool, [along(way, tool) for way in CARRYING], allow=allow, postures=0)
    return postures[-1], held


def _plan_placement(arm: Arm, name: str, destination: Destination) -> tuple[Placement, Trajectory]:
    failures = Failures(arm.inventory)
    for placement in _placements(arm, arm.seen, name, destination, failures, SPOTS):
        try:
            return placement, arm.go(arm.seen, placement.start, arm.careful(name))
        except MotionFailure as failure:
            failures.add(failure)
    raise failures.all(Code.NO_PLACE, _no_room(name, destination))


def _find_placement(arm: Arm, held: Observation, name: str, destination: Destination) -> Placement:
    failures = Failures(arm.inventory)
    for placement in _placements(arm, held, name, destination, failures, GLANCE):
        return placement
    raise failures.all(Code.NO_PLACE, _no_room(name, destination))


def _placements(
    arm: Arm, held: Observation, name: str, destination: Destination, failures: Failures, spots: int
) -> Iterator[Placement]:
    """Placements that the object can be brought to as it lies in the hand; what speaks against others."""
    target = destination.target
    allow, release = _touching(name, *_supports(arm, target)), _released(arm, held)
    tries = NARROW if _covered(arm, destination) else OPEN
    for spot in islice(_spots(arm, held, name, destination), spots):
        tool = _tool_for(held, name, target, spot)
        ways = [along(way, tool) for way in CARRYING]
        try:
            i, postures = arm.planner.stance(held, tool, ways, allow=allow, postures=tries, release=release)
        except MotionFailure as failure:
            failures.add(failure)
        else:
            yield Placement(spot, CARRYING[i], postures[-1])


def _spots(arm: Arm, held: Observation, name: str, destination: Destination) -> Iterator[Spot]:
    at, now = arm.pose(destination.target), held.objects[name].pose
    sigma = float(np.hypot(arm.seen.objects[name].sigma, arm.estimate(destination.target).sigma))
    height = max(RELEASE_HEIGHT, RELEASE_SIGMAS * sigma)
    drops = DROPS if destination.inside and not _covered(arm, destination) else DROPS[:1]
    target = arm.inventory[destination.target]
    inside, approach = destination.inside, _sideways(held)
    others = np.array([e.pose.position for n, e in arm.seen.objects.items() if n != name and arm.inventory[n].movable])
    others = others.reshape(-1, 3)
    for pose in placements(arm.inventory[name], target, at, now, arm.rng, inside, approach, arm.handy, others):
        off = [np.linalg.norm(pose.position[:2] - centre) - radius for centre, radius in destination.keep_out]
        if min(off, default=0.0) >= 0.0:
            for drop in drops:
                yield Spot(at.inverse() @ pose, height + drop)


def _covered(arm: Arm, destination: Destination) -> bool:
    """Whether the hand gets in through a doorway only."""
    return destination.inside and bool(doorways(arm.inventory[destination.target]))


def _sideways(held: Observation) -> float | None:
    """The hand's yaw (rad) if it points more to the side than down."""
    x, y, z = held.state.tool.matrix[:, 2]
    return float(np.arctan2(y, x)) if abs(z) < SIDE else None


def _tool_for(seen: Observation, name: str, target: str, spot: Spot) -> Pose:
    """Where the tool must be for the held object to be let go at a spot."""
    in_tool = seen.state.tool.inverse() @ seen.objects[name].pose
    return raised(seen.objects[target].pose @ spot.pose, spot.height) @ in_tool.inverse()


def _released(arm: Arm, held: Observation) -> float:
    """Opening at which what is held has been let go, m."""
    return min(held.state.gripper + 2 * CLEARANCE, arm.robot.gripper.max_width)


def _supports(arm: Arm, target: str) -> list[str]:
    """What bears that which stands on the target: furniture, where the target is a mere region of it."""
    if any(geom.collides for geom in arm.inventory[target].geoms):
        return [target]
    return [n for n, o in arm.inventory.items() if o.fixed and o.surfaces and o.geoms and n in arm.seen.objects]


def _touching(name: str, *supports: str) -> Pairs:
    """The pairs that may touch while an object is grasped, or set down on its supports."""
    return [(GRIPPER, name), *((name, support) for support in supports)]


def _no_room(name: str, destination: Destination) -> str:
    return f"there is no room for {name} {'in' if destination.inside else 'on'} {destination.target}"
