# SPDX-License-Identifier: Apache-2.0
"""A drawer or a door as something to be led: where it is at each opening, and how the hand goes with it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.scene import GRIPPER, Pairs
from robo_orch.motion.timing import Trajectory
from robo_orch.objects import Joint, JointKind
from robo_orch.policies.tamp.arm import Arm
from robo_orch.policies.tamp.failures import Failures
from robo_orch.predicates import Facts, evaluate, opening
from robo_orch.types import Array, Code, Observation, Pose, Predicate

#: How much of a hinge's turn the hand joins in, tried in this order (chosen): fingers may turn about an upright bar.
TURNS = (1.0, 0.5, 0.0)
#: Largest steps between the poses through which a handle is led, m and rad (chosen: chords stray 0.3 mm from an arc).
STEP, STEP_ANGLE = 0.02, 0.08
#: How near the search for the first touch gets, m, and where it begins (chosen).
TOUCH, FAR = 0.0005, 0.08


class Part:
    """A drawer or a door that is seen, and its joint.

    Raises:
        MotionFailure: ``NOT_PERCEIVED`` or ``IMPRECISE_POSE``; the part or what it is part of is not known well enough.
    """

    def __init__(self, arm: Arm, name: str) -> None:
        self.arm, self.name = arm, name
        joint = arm.inventory[name].joint
        if joint is None:
            raise MotionFailure(Code.PRECONDITION, f"{name} is no drawer and no door")
        self.joint: Joint = joint
        arm.estimate(joint.parent)
        arm.estimate(name)

    @property
    def value(self) -> float:
        """How far it is open, m or rad, as perceived last."""
        return opening(self.arm.facts, self.name)

    @property
    def range(self) -> float:
        """How far it opens, m or rad."""
        return self.joint.limits[1]

    @property
    def stands(self) -> str:
        """How far it is open, in words."""
        if self.joint.kind is JointKind.SLIDE:
            return f"it stands {1000 * self.value:.0f} of {1000 * self.range:.0f} mm open"
        return f"it stands {np.degrees(self.value):.0f} of {np.degrees(self.range):.0f} degrees open"

    @property
    def touching(self) -> Pairs:
        """What may touch while it is moved: the gripper; and furniture, which its joint lets it move past."""
        furniture = (n for n, o in self.arm.inventory.items() if (o.fixed or o.joint) and o.geoms and n != self.name)
        return [(GRIPPER, self.name), *((self.name, n) for n in furniture)]

    def at(self, value: float) -> Pose:
        """Its pose (base frame) when it is open so far, going from where it is seen."""
        now, then = (self.joint.pose(Pose.of(), v) for v in (self.value, value))
        return self.arm.pose(self.name) @ now.inverse() @ then

    def lever(self, tool: Pose) -> float:
        """How far a point at the tool moves when the joint moves by 1, m."""
        if self.joint.kind is JointKind.SLIDE:
            return 1.0
        axis, anchor = self._axis()
        return float(np.linalg.norm(np.cross(axis, tool.position - anchor)))

    def went(self, start: Array, now: Array) -> float:
        """By how much the joint's value grows when a point of the part goes from one position ``(3,)`` to another."""
        axis, anchor = self._axis()
        if self.joint.kind is JointKind.SLIDE:
            return float((now - start) @ axis)
        a, b = (np.cross(axis, p - anchor) for p in (start, now))
        return math.atan2(float(np.cross(a, b) @ axis), float(a @ b))

    def lead(self, seen: Observation, start: float, goal: float) -> Trajectory:
        """The motion of the tool, from where it is at the part, that takes the part from one opening to another.

        Args:
            seen: what is seen, or would be, when the motion begins.
            start: opening at which the part would be for the tool to touch it; beyond its own, the tool comes up to it.
            goal: opening in the end.

        Raises:
            MotionFailure: what the arm or the part would touch, or where the way breaks off.
        """
        failures, arm = Failures(self.arm.inventory), self.arm
        carried = riders(self.name, arm.facts)
        seen = replace(seen, objects={n: e for n, e in seen.objects.items() if n not in carried})
        for turn in TURNS if self.joint.kind is JointKind.HINGE else TURNS[:1]:
            way = self._way(seen.state.tool, start, goal, turn)
            try:
                return arm.planner.guide(seen, self.name, way, speed=arm.gentle, allow=self.touching)
            except MotionFailure as failure:
                failures.add(failure)
        raise failures.all(Code.UNREACHABLE, f"{self.name} cannot be led from {start:.2f} to {goal:.2f}")

    def first_touch(self, hand: Pose) -> Pose:
        """Where the tool touches the part with closed fingers, coming along the part's way from further open.

        Args:
            hand: tool pose in the part's frame that is drawn back until the fingers only just touch.

        Returns:
            Tool pose in the part's frame.

        Raises:
            MotionFailure: ``UNREACHABLE``; or ``NO_GRASP`` where the fingers would pass by.
        """
        arm, value = self.arm, self.value
        arm.planner.look(arm.opened(0.0))
        back, q = FAR / self.lever(self.at(value) @ hand), arm.seen.state.start
        while back > 0.0:
            tool = self.at(value + back) @ hand
            q = arm.planner.kinematics.inverse(tool, q, np.random.default_rng(0))
            gap = arm.planner.scene.gap(q, GRIPPER, self.name)
            if gap < TOUCH:
                return self.at(value).inverse() @ tool
            back -= max(gap, TOUCH) / self.lever(tool)
        raise MotionFailure(Code.NO_GRASP, f"closed fingers would pass by the handle of {self.name}")

    def _way(self, tool: Pose, start: float, goal: float, turn: float) -> list[tuple[Pose, Pose]]:
        """Poses of tool and part, closely spaced; the part itself is never further open than it is."""
        moved = abs(goal - start) * self.lever(tool)
        turned = abs(goal - start) if self.joint.kind is JointKind.HINGE else 0.0
        steps = max(1, math.ceil(moved / STEP), math.ceil(turned / STEP_ANGLE))
        in_part, way = self.at(start).inverse() @ tool, []
        opening_it, value = goal > start, self.value
        for v in np.linspace(start, goal, steps + 1):
            part = self.at(float(v))
            led = part @ in_part
            back = Rotation.from_rotvec((1.0 - turn) * (led.rotation * tool.rotation.inv()).as_rotvec())
            hand = Pose.from_rotation(led.position, back.inv() * led.rotation)
            way.append((hand, part if opening_it else self.at(min(float(v), value))))
        return way

    def _axis(self) -> tuple[Array, Array]:
        """The joint's axis, and a point on it, in the base frame."""
        part = self.arm.pose(self.name)
        return part.matrix @ self.joint.axis, part.apply(self.joint.anchor)


def riders(name: str, facts: Facts) -> set[str]:
    """What would move along with something: movable things that may be on or in it, or on or in one of those."""
    found, front = set[str](), [name]
    while front:
        carrier = front.pop()
        for thing, spec in facts.inventory.items():
            if spec.movable and thing not in found and thing != carrier and _carries(carrier, thing, facts):
                found.add(thing)
                front.append(thing)
    return found


def _carries(carrier: str, thing: str, facts: Facts) -> bool:
    truths = [evaluate(Predicate(relation, (thing, carrier)), facts) for relation in ("on", "in")]
    return any(truth.known and not truth.fails for truth in truths)
