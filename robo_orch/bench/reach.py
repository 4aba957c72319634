# SPDX-License-Identifier: Apache-2.0
"""Whether one arm can do at all what a task asks, by the true geometry: no task asks for anything else.

A plain search, with no policy's cleverness: some grasp within reach from which the thing can be lifted, and some spot
at which the same grasp can set it down. What a policy then fails at, it could have done.

For a policy that plans on poses, all of that must hold with the room that their errors need: nothing that is known to
40 mm may stand 20 mm beside the only grasp, and no spot may be at the very end of the arm's reach.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.kinematics import Kinematics
from robo_orch.motion.scene import GRIPPER, Pairs, PlanningScene
from robo_orch.objects import Grasp, Inventory, ObjectSpec
from robo_orch.robots import RobotSpec
from robo_orch.sim.perception import FURNITURE_SIGMA, SIGMA
from robo_orch.sim.scenes import Layout
from robo_orch.types import Array, Pose, PoseEstimate, Precision, Subgoal

#: How far back from a grasp the hand comes from; how deep it may overlap what it grasps, and that what it stands on, m
#: (chosen).
BACK, DEPTH, TOUCHING = 0.10, 0.02, 0.001
#: Descents of inverse kinematics after the first (chosen).
RESTARTS = 4
#: Grasps and spots that are tried, each spot at one heading of so many (chosen: failing then takes a second or two).
GRASPS, SPOTS, HEADINGS = 16, 48, 8
#: How high above its place a thing is let go, how much higher over a hollow, and how far above that it comes from, m
#: (chosen).
RELEASE, DROPS, LIFT = 0.004, (0.0, 0.03, 0.06), 0.05
#: How much farther out than a spot the tool must get for a policy that knows poses with an error, m (chosen: two sigma
#: of a pose of model precision, for the thing as it lies in the hand and for its target together).
BEYOND = 0.015
#: Facts that a transfer makes true.
_CARRIED = ("on", "stacked", "in", "at")


class Reach:
    """Tells what one robot can do in layouts.

    Args:
        robot: the arm.
        doubtful: with the room that the errors of perceived poses need, one sigma of each (else: as if all were known).
    """

    def __init__(self, robot: RobotSpec, doubtful: bool = False) -> None:
        self._robot, self._kinematics, self._doubtful = robot, Kinematics(robot), doubtful

    def lacking(self, layout: Layout, names: Collection[str]) -> list[str]:
        """Those of the named objects that have grasps of which none is within reach, sorted."""
        graspable = [layout.inventory[name] for name in sorted(names) if layout.inventory[name].grasps]
        if not graspable:
            return []
        look = _Look(self._robot, self._kinematics, layout.inventory, layout.poses, layout.seed, self._doubtful)
        return [obj.name for obj in graspable if not any(look.reached(obj))]

    def impossible(self, layout: Layout, subgoals: Sequence[Subgoal]) -> Subgoal | None:
        """The first of some subgoals, done one after the other, that this arm cannot do from there; none if it can."""
        poses = dict(layout.poses)
        for step in subgoals:
            look = _Look(self._robot, self._kinematics, layout.inventory, poses, layout.seed, self._doubtful)
            thing = layout.inventory.get(step.args.get("object", ""))
            if thing is None or not thing.grasps:
                continue
            if (joint := thing.joint) is not None:
                if not any(look.reached(thing)):
                    return step
                opened = step.predicate.name == "open"
                poses[thing.name] = joint.pose(poses[joint.parent], joint.limits[1] if opened else 0.0)
                _ride(poses, layout, thing.name, look.poses)
            elif step.predicate.name in _CARRIED and "target" in step.args:
                spot = look.carried(thing, step.args["target"], step.predicate.name == "in")
                if spot is None:
                    return step
                poses[thing.name] = spot
        return None


def _ride(poses: dict[str, Pose], layout: Layout, part: str, before: Mapping[str, Pose]) -> None:
    """What lies in a part moves with it."""
    hollow = layout.inventory[part].interior
    for name, pose in list(poses.items()):
        seen = before[part].inverse() @ pose
        if hollow is not None and layout.inventory[name].movable and hollow.inside(seen.position) > 0.0:
            poses[name] = poses[part] @ seen


class _Look:
    """One moment: where everything is."""

    def __init__(
        self,
        robot: RobotSpec,
        kinematics: Kinematics,
        inventory: Inventory,
        poses: Mapping[str, Pose],
        seed: int,
        doubtful: bool,
    ) -> None:
        self.poses = dict(poses)
        self._robot, self._kinematics, self._inventory = robot, kinematics, inventory
        self._rng = np.random.default_rng(seed)
        self._scene = PlanningScene(robot, inventory)
        self._beyond = BEYOND if doubtful else 0.0
        self._seen = {n: _believed(inventory[n], p, doubtful) for n, p in poses.items()}
        self._scene.update(self._seen, robot.gripper.max_width)

    def reached(self, obj: ObjectSpec) -> Iterator[Grasp]:
        """Grasps that the hand gets to straight from :data:`BACK` without touching anything else."""
        touching = [(GRIPPER, obj.name), *([(GRIPPER, obj.joint.parent)] if obj.joint else [])]
        for i in self._rng.permutation(len(obj.grasps))[:GRASPS]:
            at = self.poses[obj.name] @ obj.grasps[i].pose
            if self._line(at @ Pose.of((0.0, 0.0, -BACK)), at, touching):
                yield obj.grasps[i]

    def carried(self, thing: ObjectSpec, target: str, inside: bool) -> Pose | None:
        """Where a thing can be set down on or in a target; nowhere: none."""
        supports = [n for n, o in self._inventory.items() if n == target or (o.fixed and o.surfaces and o.geoms)]
        resting = [(thing.name, name) for name in supports]
        spots = list(self._spots(thing, self._inventory[target], self.poses[target], inside))
        for grasp in self.reached(thing):
            self._scene.attach(thing.name, grasp.pose.inverse())
            try:
                for spot in spots:
                    if self._set_down(spot @ grasp.pose, thing.name, resting):
                        return spot
            finally:
                self._scene.detach()
                self._scene.update(self._seen, self._robot.gripper.max_width)
        return None

    def _set_down(self, tool: Pose, thing: str, resting: Pairs) -> bool:
        up = Pose(tool.position + np.array([0.0, 0.0, LIFT]), tool.quaternion)
        with self._scene.allowing(resting, depth=TOUCHING):
            with self._scene.allowing([(GRIPPER, thing)], depth=DEPTH):
                if self._scene.hand_contacts(tool):
                    return False
            ways = (up, tool @ Pose.of((0.0, 0.0, -BACK)))
            return any(self._line(start, tool, [(GRIPPER, thing)]) for start in ways) and self._not_at_the_end(tool)

    def _not_at_the_end(self, tool: Pose) -> bool:
        """Whether the tool gets :data:`BEYOND` farther out."""
        out = tool.position * np.array([1.0, 1.0, 0.0])
        farther = tool.position + self._beyond * out / max(float(np.linalg.norm(out)), 1e-6)
        try:
            self._kinematics.inverse(Pose(farther, tool.quaternion), self._robot.home, self._rng, RESTARTS)
        except MotionFailure:
            return False
        return True

    def _line(self, start: Pose, end: Pose, grasped: Pairs) -> bool:
        """Whether some posture of the arm goes straight from one tool pose to another."""
        scene = self._scene
        with scene.allowing(grasped, depth=DEPTH):
            try:
                q = self._kinematics.inverse(start, self._robot.home, self._rng, RESTARTS, accept=scene.free)
                return all(map(scene.free, self._kinematics.straight(q, end)))
            except MotionFailure:
                return False

    def _spots(self, thing: ObjectSpec, target: ObjectSpec, at: Pose, inside: bool) -> Iterator[Pose]:
        """Upright poses of a thing on a target, or in its hollow, drawn evenly."""
        surfaces = target.beds if inside else target.tops
        foot = thing.height_below(Pose.of())
        for i in range(SPOTS if surfaces else 0):
            surface = surfaces[i % len(surfaces)]
            share = np.zeros(2) if i < len(surfaces) else self._rng.uniform(-1.0, 1.0, 2)
            middle = surface.centre + np.append(share * np.array(surface.half), 0.0)
            turn = np.pi * self._rng.integers(HEADINGS) / HEADINGS
            upright = (0.0, 0.0, float(np.sin(turn)), float(np.cos(turn)))
            if surface.inside(middle[:2]) >= 0.0:
                drop = DROPS[i % len(DROPS)] if inside else 0.0
                yield Pose.of(_above(at, middle, foot + RELEASE + drop), upright)


def sigmas(spec: ObjectSpec) -> tuple[float, float]:
    """The errors (m, rad) that a robot reckons with in the pose of an object that it sees."""
    still = spec.fixed or spec.joint is not None
    return FURNITURE_SIGMA if still else SIGMA.get(spec.precision, SIGMA[Precision.COARSE])


def _believed(spec: ObjectSpec, pose: Pose, doubtful: bool) -> PoseEstimate:
    covariance = np.diag(np.repeat(sigmas(spec), 3) ** 2) if doubtful else np.eye(6) * 1e-6
    return PoseEstimate(spec.name, pose, covariance, 0.0, "layout", spec.precision)


def _above(at: Pose, point: Array, height: float) -> Array:
    return at.apply(point) + np.array([0.0, 0.0, height])
