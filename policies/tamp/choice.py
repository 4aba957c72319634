# SPDX-License-Identifier: Apache-2.0
"""Which grasp of an object, and which spot for it: chosen together, before anything moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.scene import GRIPPER, VAGUE, Pairs
from robo_orch.motion.timing import Trajectory
from robo_orch.objects import Grasp
from robo_orch.policies.tamp.arm import CLEARANCE, Arm
from robo_orch.policies.tamp.failures import Failures
from robo_orch.policies.tamp.grasps import drawn_back, leaning, ordered, unlike, usable
from robo_orch.policies.tamp.placements import doorways, placements
from robo_orch.policies.tamp.ways import CARRYING, GRASPING, LEAVING, Way, along, raised
from robo_orch.predicates import FLUSH
from robo_orch.types import Array, Code, Observation, Pose

#: How far above its place an object is let go, m (chosen: three sigma of two poses known to 1 mm each, and room), or
#: this many sigma of its height over the target, if that is more.
RELEASE_HEIGHT, RELEASE_SIGMAS = 0.006, 2.0
#: From how much higher an object may be let go over a hollow that the hand does not go into, m (chosen: 0.1 s of fall).
DROPS = (0.0, 0.02, 0.04, 0.06)
#: Least distance from the open hand to the object that it is about to close on, were the estimate right, m (chosen).
BESIDE = 0.003
#: How many sigma of an object's place its palm should stay off it beside that (chosen: 1 in 15 is touched gently).
PALM_SIGMAS = 1.5
#: The hand points to the side where its direction's vertical part is less than this (chosen: 45 degrees).
SIDE = 0.7
#: How many grasps of an object are tried, and how many of those that reach it are tried at the target (chosen).
GRASPS, SERVING = 24, 6
#: Descents after the first in the search for a posture at a spot, with room all around and in a doorway (chosen).
OPEN, NARROW = 1, 6
#: Planning effort of one choice of grasp and spot (chosen: simple ones take a thirtieth of it).
CHOICE = 12_000
#: How many spots are looked at with each grasp, and at how many of those with room for the hand a posture of the arm
#: is sought: before the object is taken, and with the object in the hand (chosen: a posture costs thirty looks).
GLANCE, SPOTS = (96, 20), (192, 40)


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
    """Where an object shall be set down.

    Attributes:
        pose: where it comes to stand, in the target's frame.
        height: how far above that the way down ends if nothing is felt before, m.
        drops: it shall be let go there, for the hand gets no lower.
    """

    pose: Pose
    height: float
    drops: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """A spot, the way to it, and the posture ``(n,)`` at which that begins."""

    spot: Spot
    way: Way
    start: Array


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A grasp, the spot that it can serve, and the motion to where the object is straight ahead."""

    grasp: Grasp
    spot: Spot
    motion: Trajectory


def choose_grasp(arm: Arm, name: str, destination: Destination, tried: Sequence[Grasp]) -> Choice:
    """A grasp with which the object can be taken off and set down, and the motion to where it is straight ahead."""
    arm.estimate(destination.target)
    with arm.planner.effort.within(CHOICE):
        return _grasp_that_serves(arm, name, destination, _candidates(arm, name, destination, tried))


def _candidates(arm: Arm, name: str, destination: Destination, tried: Sequence[Grasp]) -> list[Grasp]:
    """Grasps of the object that the gripper can make, best first."""
    gripper, tool = arm.robot.gripper, arm.seen.state.tool
    fitting = usable(arm.inventory[name], gripper)
    if _covered(arm, destination):
        fitting = leaning(fitting)  # from above there is no way in
    fitting = drawn_back(fitting, BESIDE + PALM_SIGMAS * arm.estimate(name).sigma)
    return ordered(fitting, arm.estimate(name), tool, gripper.max_width, tried, _vague(arm, name))


def _vague(arm: Arm, name: str) -> list[tuple[Array, float]]:
    """Where things are believed to be that are known too little to be passed closely, and how near they may be, m."""
    seen = ((e, arm.inventory[n]) for n, e in arm.seen.objects.items() if n != name)
    return [
        (e.pose.position, float(np.max(thing.bounds()[1][:2])) + 2.0 * e.sigma)
        for e, thing in seen
        if thing.movable and e.sigma > VAGUE
    ]


def _grasp_that_serves(arm: Arm, name: str, destination: Destination, grasps: list[Grasp]) -> Choice:
    failures, useless = Failures(arm.inventory), list[Grasp]()
    for _ in range(min(GRASPS, len(grasps))):
        if arm.planner.effort.spent:
            break
        grasp = grasps.pop(0)
        try:
            before, held = _reach(arm, name, grasp)
        except MotionFailure as failure:
            failures.add(failure)
            continue
        try:
            spot = find_placement(arm, held, name, destination).spot
            return Choice(grasp, spot, arm.go(arm.opened(arm.opening_for(name, grasp)), before))
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
    tool, allow = arm.pose(name) @ grasp.pose, touching(name)
    hand = arm.opened(arm.opening_for(name, grasp))
    ways, apart = [along(way, tool) for way in GRASPING], -BESIDE - arm.estimate(name).sigma
    _, postures = arm.planner.stance(hand, tool, ways, allow=allow, depth=apart)
    held = arm.imagine(postures[0], grasp.width, name, grasp.pose.inverse())
    arm.planner.stance(held, tool, [along(way, tool) for way in CARRYING], allow=allow, postures=0)
    return postures[-1], held


def plan_placement(arm: Arm, name: str, destination: Destination, first: Spot | None) -> tuple[Placement, Trajectory]:
    """Where the object can be brought to as it lies in the hand, ``first`` if possible, and the motion to there."""
    failures = Failures(arm.inventory)
    seen_spots = islice(_spots(arm, arm.seen, name, destination), SPOTS[0])
    spots = chain([first] if first else [], _clear_first(arm, name, destination, seen_spots))
    for placement in _placements(arm, arm.seen, name, destination, failures, spots, SPOTS[1]):
        try:
            return placement, arm.go(arm.seen, placement.start, arm.careful(name))
        except MotionFailure as failure:
            failures.add(failure)
    raise failures.all(Code.NO_PLACE, _no_room(name, destination))


def find_placement(arm: Arm, held: Observation, name: str, destination: Destination) -> Placement:
    """Some spot for the object as it lies in the hand, whatever the way to it.

    Raises:
        MotionFailure: ``NO_PLACE`` with what is in the way.
    """
    failures = Failures(arm.inventory)
    spots = _clear_first(arm, name, destination, islice(_spots(arm, held, name, destination), GLANCE[0]))
    for placement in _placements(arm, held, name, destination, failures, spots, GLANCE[1]):
        return placement
    raise failures.all(Code.NO_PLACE, _no_room(name, destination))


def _placements(
    arm: Arm,
    held: Observation,
    name: str,
    destination: Destination,
    failures: Failures,
    spots: Iterable[Spot],
    thorough: int,
) -> Iterator[Placement]:
    """Placements that the object can be brought to as it lies in the hand; what speaks against others.

    Args:
        thorough: at how many spots a posture of the arm is sought; those where the hand has no room are not counted.
    """
    target = destination.target
    allow, release = touching(name, *supports(arm, target)), released(arm, held)
    tries = NARROW if _covered(arm, destination) else OPEN
    for spot in spots:
        if arm.planner.effort.spent or thorough == 0:
            break
        before = arm.planner.kinematics.steps
        tool = tool_for(held, name, target, spot)
        ways = [along(way, tool) for way in CARRYING]
        try:
            i, postures = arm.planner.stance(held, tool, ways, allow=allow, postures=tries, release=release)
            _check_leaving(arm, name, arm.pose(target) @ spot.pose, postures[0], release)
        except MotionFailure as failure:
            failures.add(failure)
            thorough -= arm.planner.kinematics.steps > before
        else:
            yield Placement(spot, CARRYING[i], postures[-1])


def _check_leaving(arm: Arm, name: str, at: Pose, q: Array, opening: float) -> None:
    """Whether the hand can leave an object alone that stands at a pose, with the arm at ``q``.

    Raises:
        MotionFailure: what is in the way.
    """
    then = arm.imagine(q, opening)
    then = replace(then, objects={**then.objects, name: replace(then.objects[name], pose=at)})
    failures = Failures(arm.inventory)
    for way in LEAVING:
        try:
            arm.planner.straight_to(then, *along(way, then.state.tool), allow=touching(name))
            return
        except MotionFailure as failure:
            failures.add(failure)
    raise failures.all(Code.NO_PATH, f"the hand cannot leave {name}")


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
                yield Spot(at.inverse() @ pose, height + drop, drop > 0.0)


def _clear_first(arm: Arm, name: str, destination: Destination, spots: Iterable[Spot]) -> Iterator[Spot]:
    """The same spots, those last that things known little may reach, and at which it would come down on others."""
    near, at, later = [*_vague(arm, name), *_within(arm, name, destination)], arm.pose(destination.target), list[Spot]()
    reach = float(np.max(arm.inventory[name].bounds()[1][:2]))
    for spot in spots:
        where = (at @ spot.pose).position
        if any(float(np.linalg.norm((where - thing)[:2])) < far + reach for thing, far in near):
            later.append(spot)
        else:
            yield spot
    yield from later


def _within(arm: Arm, name: str, destination: Destination) -> list[tuple[Array, float]]:
    """Where things are that lie in the hollow already into which another is let fall, and how far they reach, m."""
    hollow = arm.inventory[destination.target].interior if destination.inside else None
    if hollow is None or _covered(arm, destination):
        return []
    into = arm.pose(destination.target).inverse()
    seen = ((e.pose.position, arm.inventory[n]) for n, e in arm.seen.objects.items() if n != name)
    there = [(p, thing) for p, thing in seen if thing.movable and hollow.inside(into.apply(p)) > 0.0]
    return [(p, float(np.max(thing.bounds()[1][:2]))) for p, thing in there]


def _covered(arm: Arm, destination: Destination) -> bool:
    """Whether the hand gets in through a doorway only."""
    return destination.inside and bool(doorways(arm.inventory[destination.target]))


def _sideways(held: Observation) -> float | None:
    """The hand's yaw (rad) if it points more to the side than down."""
    x, y, z = held.state.tool.matrix[:, 2]
    return float(np.arctan2(y, x)) if abs(z) < SIDE else None


def tool_for(seen: Observation, name: str, target: str, spot: Spot) -> Pose:
    """Where the tool must be for the held object to be let go at a spot."""
    in_tool = seen.state.tool.inverse() @ seen.objects[name].pose
    return raised(seen.objects[target].pose @ spot.pose, spot.height) @ in_tool.inverse()


def released(arm: Arm, held: Observation) -> float:
    """Opening at which what is held has been let go, m."""
    return min(held.state.gripper + 2 * CLEARANCE, arm.robot.gripper.max_width)


def supports(arm: Arm, target: str) -> list[str]:
    """What bears that which stands on the target: where the target is a mere region, the furniture it is part of."""
    spec = arm.inventory[target]
    if any(geom.collides for geom in spec.geoms):
        return [target]
    middles = [arm.pose(target).apply(surface.centre) for surface in spec.tops]
    furniture = (n for n, o in arm.inventory.items() if o.fixed and o.surfaces and o.geoms and n in arm.seen.objects)
    return [n for n in furniture if any(_bears(arm, n, middle) for middle in middles)]


def _bears(arm: Arm, furniture: str, point: Array) -> bool:
    """Whether a point ``(3,)`` is on one of the surfaces of furniture."""
    local = arm.seen.objects[furniture].pose.inverse().apply(point)
    surfaces = arm.inventory[furniture].tops
    return any(s.inside(local[:2]) > 0.0 and abs(local[2] - s.centre[2]) < FLUSH for s in surfaces)


def touching(name: str, *supports: str) -> Pairs:
    """The pairs that may touch while an object is grasped, or set down on its supports."""
    return [(GRIPPER, name), *((name, support) for support in supports)]


def _no_room(name: str, destination: Destination) -> str:
    return f"there is no room for {name} {'in' if destination.inside else 'on'} {destination.target}"
