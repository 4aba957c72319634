# SPDX-License-Identifier: Apache-2.0
"""Situations in which somebody asks whether a subgoal was reached, made in physics.

::

    lay a scene out, let perception look at it; repeat:
        draw a subgoal about something that has only a coarse pose, and what became of it:
            let go at its target, beside it, in the hand over it, on another target, another object there, tipped,
            untouched
        put the objects so, the hand above or anywhere; let all of it come to rest; perception looks meanwhile
        the referee says what is true, of this subgoal and of others in the same picture

Nothing of the truth but these answers leaves here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.objects import Interior, ObjectSpec
from robo_orch.predicates import shutters
from robo_orch.robots.arm import Arm
from robo_orch.robots.spec import load_robot
from robo_orch.sim.build import Simulation, assemble
from robo_orch.sim.perturb import checked
from robo_orch.sim.scenes import Layout, lay_out, load_scene
from robo_orch.sim.scenes.footprint import Footprint
from robo_orch.skills import skill
from robo_orch.train.vla.expert import Hand
from robo_orch.train.vla.stage import start
from robo_orch.types import Array, JointTarget, Observation, Pose, Predicate, Subgoal
from robo_orch.verification.question import Bed, asked

#: The skills whose subgoals are judged.
SKILLS = ("pick_place", "stack", "place_in")
#: Situations on one layout, questions about one situation (chosen: laying out costs as much as three situations).
PER_LAYOUT, QUESTIONS = 16, 4
#: Time (s) in which everything comes to rest, and for what falls or tips.
REST, FALL = 0.4, 0.8
#: Largest ways beside a target's border, m: of a near miss; and how far within it things are let go, m (chosen).
BESIDE, WITHIN = 0.10, 0.03
#: One sigma of where a hand lets go about where it means to, m (chosen: what the expert and the policies scatter).
SCATTER = 0.012
#: From how far above things are let go, m, on and into.
DROP, DROP_IN = (0.001, 0.006), (0.01, 0.06)
#: How high (m) the hand is above what it let go, and with what share it is there and not anywhere else (chosen).
ABOVE, NEAR = (0.06, 0.12), 0.65
#: Spots and hands that are tried.
TRIES = 8
#: Distance (m) over which progress falls from all but done to nothing (chosen: half the table), and what it is at most
#: before it is done.
WAY, ALMOST = 0.5, 0.9


class Ending(StrEnum):
    """What became of a subgoal."""

    PLACED = "placed"
    BESIDE = "beside"
    HELD = "held"
    ELSEWHERE = "elsewhere"
    OTHER = "other"
    TIPPED = "tipped"
    UNTOUCHED = "untouched"


#: How often each is made (chosen: near misses weigh most among failures).
SHARES = {
    Ending.PLACED: 0.46,
    Ending.BESIDE: 0.24,
    Ending.HELD: 0.08,
    Ending.ELSEWHERE: 0.06,
    Ending.OTHER: 0.06,
    Ending.TIPPED: 0.04,
    Ending.UNTOUCHED: 0.06,
}


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """The world as it came to rest; ``subgoal`` was worked on, and ``ending`` is what was made of it."""

    simulation: Simulation
    subgoal: Subgoal
    ending: Ending

    @property
    def seen(self) -> Observation:
        """What the robot perceives."""
        return self.simulation.robot.observe()

    def holds(self, fact: Predicate) -> bool:
        """Whether a fact is true: the referee's word, for labels and for a bench's truth."""
        return self.simulation.world.referee.holds(fact)

    def true_pose(self, name: str) -> Pose:
        """Where an object truly is; for labels."""
        return self.simulation.world.referee.poses()[name]


def situations(
    seeds: Sequence[int], rng: np.random.Generator, scene: str = "kitchen", per_layout: int = PER_LAYOUT
) -> Iterator[Situation]:
    """Situations in layouts drawn from ``seeds``, without end; each is over when the next is asked for."""
    described = load_scene(scene)
    while True:
        layout = lay_out(described, int(seeds[int(rng.integers(len(seeds)))]))
        choices = subgoals(layout)
        if not choices:
            continue
        made = Maker(layout, rng)
        try:
            for _ in range(per_layout):
                found = made.situation(choices)
                if found is not None:
                    yield found
        finally:
            made.close()


def subgoals(layout: Layout) -> list[Subgoal]:
    """All about something that has only a coarse pose and that could be asked for in a layout."""
    found = []
    for kind in map(skill, SKILLS):
        fitting = (args for args in permutations(layout.inventory, 2) if kind.fits(args, layout.inventory))
        found += [s for s in (kind.subgoal(*args) for args in fitting) if asked(s.predicate, layout.inventory)]
    return found


def drawn(choices: Sequence[Subgoal], rng: np.random.Generator) -> Subgoal:
    """One of several, each target as likely: what can be stacked on is many things, a tray is one."""
    targets = sorted({s.predicate.args[1] for s in choices})
    target = targets[int(rng.integers(len(targets)))]
    there = [s for s in choices if s.predicate.args[1] == target]
    return there[int(rng.integers(len(there)))]


class Maker:
    """Makes situations in one layout; the world goes back to its beginning for each."""

    def __init__(self, layout: Layout, rng: np.random.Generator) -> None:
        self.layout, self._rng = layout, rng
        self._robot = load_robot(layout.robot)
        self._arm = Arm(self._robot)
        self._sim = assemble(layout, checked({}), int(rng.integers(2**31)))
        self._home = self._arm.tool(self._robot.home).position
        self._free = [o for o in layout.inventory.values() if not o.fixed and o.joint is None]
        self._wait(0.3)
        self._begin = self._sim.robot.snapshot()

    def situation(self, choices: Sequence[Subgoal]) -> Situation | None:
        """One situation; ``None`` where there is no room for it."""
        rng = self._rng
        self._sim.robot.restore(self._begin)
        subgoal = drawn(choices, rng)
        ending = Ending(rng.choice(list(SHARES), p=list(SHARES.values())))
        self._open(subgoal)
        moved = self._moved(subgoal, ending)
        if moved is None:
            return None
        name, pose = moved
        if ending is Ending.HELD:
            if not self._hold(name, pose):
                return None
        else:
            if name:
                self._sim.world.place(name, pose)
            if not self._lift(pose.position if name else self._home, self.layout.inventory.get(name)):
                return None
            self._wait(FALL if ending is Ending.TIPPED or subgoal.predicate.name == "in" else REST)
        return Situation(self._sim, subgoal, ending)

    def close(self) -> None:
        """Give GL resources back."""
        self._sim.world.close()

    def _moved(self, subgoal: Subgoal, ending: Ending) -> tuple[str, Pose] | None:
        """Which object somebody put where; no name if nobody did anything."""
        thing, target = subgoal.predicate.args
        rng, inventory = self._rng, self.layout.inventory
        if ending is Ending.UNTOUCHED:
            return "", Pose.of()
        if ending is Ending.OTHER:
            others = [o.name for o in self._free if o.movable and o.name not in (thing, target)]
            if not others:
                return None
            thing = others[int(rng.integers(len(others)))]
        if ending is Ending.ELSEWHERE:
            others = [o.name for o in inventory.values() if o.tops and o.name not in (thing, target)]
            target = others[int(rng.integers(len(others)))]
        relation = subgoal.predicate.name if ending is not Ending.ELSEWHERE else "on"
        pose = self._spot(inventory[thing], inventory[target], relation, ending)
        return None if pose is None else (thing, pose)

    def _spot(self, thing: ObjectSpec, target: ObjectSpec, relation: str, ending: Ending) -> Pose | None:
        """Where a thing is let go, at its target or beside it; clear of what stands there, as far as tried."""
        rng, poses = self._rng, self._sim.world.referee.poses()
        for bed in _beds(thing, target, relation, poses[target.name], rng):
            inside = ending is not Ending.BESIDE
            local = _within(bed, rng) if inside else _beside(bed, rng)
            yaw = float(rng.uniform(-math.pi, math.pi))
            turn = Rotation.from_euler("z", yaw)
            height = bed.height + float(rng.uniform(*(DROP_IN if relation == "in" else DROP)))
            if ending is Ending.TIPPED:
                turn = Rotation.from_rotvec(_level(rng) * rng.uniform(0.5, math.pi)) * turn
                height += 0.05
            if ending is Ending.HELD:
                height += float(rng.uniform(0.01, 0.15))
            spot = bed.at.apply(np.array([*local, height]))
            if not inside and relation == "on" and rng.random() < 0.7:
                spot[2] = self._ground(spot, bed, thing)
            pose = Pose.from_rotation(spot, turn)
            if self._clear(thing, target, pose):
                return pose
        return None

    def _ground(self, spot: Array, bed: Bed, thing: ObjectSpec) -> float:
        """The height (m) at which a thing beside its target is let go: above the table, if the target stands on it."""
        low = thing.height_below(Pose.of()) + 0.004
        return low if bed.at.position[2] < 0.08 else float(spot[2])

    def _clear(self, thing: ObjectSpec, target: ObjectSpec, pose: Pose) -> bool:
        """Whether no other free object stands where a thing is put."""
        poses = self._sim.world.referee.poses()
        mine, low = Footprint.of(thing, pose), float(pose.position[2]) - thing.height_below(pose)
        for other in self._free:
            at = poses[other.name]
            if other.name in (thing.name, target.name) or float(other.bounds(at)[1][2]) < low:
                continue
            if mine.apart(Footprint.of(other, at))[0] < 0.002:
                return False
        return True

    def _open(self, subgoal: Subgoal) -> None:
        """Doors and drawers that shut the target stand open, as a subgoal's preconditions have them."""
        for name in shutters(subgoal.predicate.args[1], self.layout.inventory):
            joint = self.layout.inventory[name].joint
            if joint is not None:
                self._sim.world.move_part(name, joint.limits[1] * float(self._rng.uniform(0.75, 1.0)))

    def _lift(self, above: Array, thing: ObjectSpec | None) -> bool:
        """Put the open hand over what it let go, or anywhere; whether a place was found at which it touches nothing."""
        rng = self._rng
        for _ in range(TRIES):
            hand = start(rng, self._home)
            if thing is not None and rng.random() < NEAR:
                top = thing.bounds()[1][2]
                way = np.array([*rng.normal(0.0, 0.025, 2), top + float(rng.uniform(*ABOVE))])
                hand = Hand(above + way, float(rng.uniform(-1.5, 1.5)), rng.normal(0.0, 0.02, 2), hand.width)
            if self._put(hand.pose, hand.width) and not self._sim.world.arm_touches():
                return True
        return False

    def _hold(self, name: str, pose: Pose) -> bool:
        """Close the hand about an object at ``pose``, which it then holds or drops; whether the hand gets there."""
        grasps = [g for g in self.layout.inventory[name].grasps if g.pose.matrix[2, 2] < -0.96]
        grasps = grasps or list(self.layout.inventory[name].grasps)
        grasp = grasps[int(self._rng.integers(len(grasps)))]
        self._sim.world.place(name, pose)
        if not self._put(pose @ grasp.pose, grasp.width + 0.002):
            return False
        self._sim.world.place(name, pose)
        self._wait(REST, 0.0)
        return True

    def _put(self, tool: Pose, width: float) -> bool:
        """Put the arm so that its tool is somewhere; whether it gets there."""
        q = self._arm.inverse(tool, self._robot.home)
        self._sim.world.put_arm(q, width)
        return self._sim.world.body().tool.distance(tool)[0] < 0.01

    def _wait(self, seconds: float, width: float | None = None) -> None:
        """Let time pass with the arm held still and the fingers told to open to ``width``, if told."""
        last, robot = self._sim.world.setpoint, self._sim.robot
        for _ in range(round(seconds / robot.period)):
            target = JointTarget(last.q, np.zeros_like(last.q), last.width if width is None else width, "hold")
            robot.command(target)
            robot.tick()


def progress(situation: Situation, fact: Predicate) -> float:
    """How much of a subgoal is done, [0, 1]: 1 where it holds, else by how far the object is from its target."""
    if situation.holds(fact):
        return 1.0
    thing, target = (situation.simulation.layout.inventory[name] for name in fact.args)
    at, bed = situation.true_pose(thing.name).position, next(_beds_at(thing, target, fact.name, situation))
    return ALMOST * max(0.0, 1.0 - float(np.linalg.norm(at - bed.nearest(at))) / WAY)


def truth(situation: Situation, fact: Predicate) -> tuple[float, float]:
    """Margin of the object's middle to the bed's border and its height above where it would stand, m; for labels."""
    thing, target = (situation.simulation.layout.inventory[name] for name in fact.args)
    at = situation.true_pose(thing.name).position
    beds = list(_beds_at(thing, target, fact.name, situation))
    bed = min(beds, key=lambda b: abs(float(b.at.inverse().apply(at)[2]) - b.height))
    local = bed.at.inverse().apply(at)
    return float(bed.margins(local[None, :2])[0]), float(local[2]) - bed.height


def others(situation: Situation, choices: Sequence[Subgoal], rng: np.random.Generator, n: int) -> list[Predicate]:
    """Further facts to ask for in the same picture: same object, same target, or any."""
    thing, target = situation.subgoal.predicate.args
    facts = list(dict.fromkeys(s.predicate for s in choices if s.predicate != situation.subgoal.predicate))
    alike = [f for f in facts if thing == f.args[0] or target == f.args[1]]
    found: list[Predicate] = []
    for pool in (alike, alike, facts):
        fresh = [f for f in pool if f not in found]
        if fresh and len(found) < n:
            found.append(fresh[int(rng.integers(len(fresh)))])
    return found


def _beds(thing: ObjectSpec, target: ObjectSpec, relation: str, at: Pose, rng: np.random.Generator) -> Iterator[Bed]:
    """Where the thing may be let go, one of the target's beds each time."""
    beds = _all_beds(thing, target, relation, at)
    for _ in range(TRIES):
        yield beds[int(rng.integers(len(beds)))]


def _beds_at(thing: ObjectSpec, target: ObjectSpec, relation: str, situation: Situation) -> Iterator[Bed]:
    yield from _all_beds(thing, target, relation, situation.true_pose(target.name))


def _all_beds(thing: ObjectSpec, target: ObjectSpec, relation: str, at: Pose) -> list[Bed]:
    foot, hollow = thing.height_below(Pose.of()), target.interior
    if relation == "in" and hollow is not None:
        return [Bed(at, hollow, min(float(s.centre[2]) for s in target.beds) + foot)]
    return [Bed(at, s, float(s.centre[2]) + foot) for s in target.tops]


def _within(bed: Bed, rng: np.random.Generator) -> Array:
    """A spot on a bed, ``(2,)``: somewhere that is clear of its border, if it is large enough, and a little scatter."""
    half, centre = np.array(bed.border.half[:2]), bed.border.centre[:2]
    room = np.maximum(half - WITHIN, 0.0)
    if not isinstance(bed.border, Interior) and bed.border.round:
        far = room[0] * math.sqrt(float(rng.random()))
        offset = far * _level(rng)[:2]
    else:
        offset = rng.uniform(-room, room)
    return centre + offset + rng.normal(0.0, SCATTER, 2)


def _beside(bed: Bed, rng: np.random.Generator) -> Array:
    """A spot up to :data:`BESIDE` outside of a bed's border, ``(2,)``."""
    half, centre = np.array(bed.border.half[:2]), bed.border.centre[:2]
    out = float(rng.uniform(0.0, BESIDE))
    if not isinstance(bed.border, Interior) and bed.border.round:
        return centre + (half[0] + out) * _level(rng)[:2]
    along = rng.uniform(-half, half)
    axis, sign = int(rng.integers(2)), float(rng.choice((-1.0, 1.0)))
    along[axis] = sign * (half[axis] + out)
    return centre + along


def _level(rng: np.random.Generator) -> Array:
    """A level direction, ``(3,)``."""
    angle = float(rng.uniform(-math.pi, math.pi))
    return np.array([math.cos(angle), math.sin(angle), 0.0])
