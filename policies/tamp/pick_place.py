# SPDX-License-Identifier: Apache-2.0
"""Pick an object up from above and set it down: a script over planned motions and fresh looks.

The script is a generator: it yields chunks and is sent the observation that followed each, so that it reads
in the order in which things happen. Whatever cannot go on raises, and ``act`` reports it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TypeVar

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.planner import MotionPlanner
from robo_orch.motion.scene import GRIPPER, Pairs
from robo_orch.motion.timing import Trajectory
from robo_orch.objects import Grasp
from robo_orch.policies.loaders import PolicyContext
from robo_orch.policies.tamp.placements import placements
from robo_orch.types import ActionChunk, Array, Code, Done, Failed, Observation, Pose, PoseEstimate, Step, Subgoal

#: Length of the straight part of the way to a grasp or placement, m (chosen).
APPROACH = 0.10
#: How far above its place an object is let go, m (chosen: three sigma of two poses known to 1 mm each, and room).
RELEASE_HEIGHT = 0.006
#: Share of the speed at which an object is set down (chosen: what is off by a millimetre is touched gently).
GENTLE = 0.4
#: How much narrower than the object the gripper is told to close, m: that makes it press (chosen).
SQUEEZE = 0.02
#: Room between object and each finger on the way to a grasp, m (chosen).
CLEARANCE = 0.012
#: How long the arm rests before it looks again, s: two frames of a 10 Hz estimator and its latency (chosen).
LOOK_SECONDS = 0.3
#: How long fingers are given to close or open, s (chosen).
GRIP_SECONDS = 0.6
#: An object that has moved this far since its approach was planned is approached anew, m (chosen).
MOVED = 0.02
#: How many approaches are made to an object that keeps moving (chosen).
APPROACHES = 3

T = TypeVar("T")
Script = Generator[ActionChunk, Observation, Observation]


class PickPlace:
    """The policy of skills with the roles ``object`` and ``target``: ``pick_place`` and ``stack``."""

    def __init__(self, context: PolicyContext) -> None:
        self._robot, self._inventory = context.robot, context.inventory
        self._space = context.card.action.space
        self._planner = MotionPlanner(context.robot, context.inventory, speed=context.speed)
        self._rng = np.random.default_rng()
        self._width = 0.0
        self._script: Script | None = None

    def reset(self, subgoal: Subgoal, observation: Observation, seed: int) -> None:
        """Start on a subgoal; all sampling and planning follows from ``seed``."""
        self._rng = np.random.default_rng(seed)
        self._planner.reset(seed)
        self._width = observation.state.gripper
        self._script = self._carry_out(subgoal.args["object"], subgoal.args["target"])
        next(self._script)

    def act(self, observation: Observation, committed: ActionChunk | None = None) -> Step:
        """The next motion of the script, ``Done`` at its end, ``Failed`` with the reason where it cannot go on."""
        if self._script is None:
            return Failed(Code.POLICY_ERROR, "act was called before reset")
        try:
            return self._script.send(observation)
        except StopIteration:
            return Done("set down and let go")
        except MotionFailure as failure:
            return Failed(failure.code, failure.reason)

    def close(self) -> None:
        """Forget the subgoal."""
        self._script = None

    def _carry_out(self, name: str, target: str) -> Script:
        seen = yield  # type: ignore[misc]  # primed by reset; the first observation comes with act
        if seen.state.holding != name:
            seen = yield from self._pick(name, seen)
        return (yield from self._place(name, target, seen))

    def _pick(self, name: str, seen: Observation) -> Script:
        grasp, seen = yield from self._approach(name, seen)
        down = self._planner.straight_to(seen, self._at(seen, name).pose @ grasp.pose, allow=_touching(name))
        seen = yield self._chunk(down, seen, f"reaching for the {_words(name)}")
        seen = yield self._grip(seen, max(0.0, grasp.width - SQUEEZE), f"closing on the {_words(name)}")
        if seen.state.holding != name:
            held = seen.state.holding
            code = Code.WRONG_OBJECT if held else Code.LOST_HOLD
            raise MotionFailure(code, f"the gripper closed on {held or 'nothing'} instead of {name}")
        return (yield self._chunk(self._up(seen, name), seen, f"lifting the {_words(name)}"))

    def _approach(self, name: str, seen: Observation) -> Generator[ActionChunk, Observation, tuple[Grasp, Observation]]:
        for _ in range(APPROACHES):
            before = self._at(seen, name).pose
            grasp, motion = self._plan_grasp(name, seen)
            self._width = min(grasp.width + 2 * CLEARANCE, self._robot.gripper.max_width)
            seen = yield self._chunk(motion, seen, f"moving above the {_words(name)}")
            seen = yield self._wait(seen, LOOK_SECONDS, f"looking at the {_words(name)}")
            if before.distance(self._at(seen, name).pose)[0] <= MOVED:
                return grasp, seen
        raise MotionFailure(Code.NO_PROGRESS, f"{name} kept moving, it was approached {APPROACHES} times")

    def _place(self, name: str, target: str, seen: Observation) -> Script:
        place, motion = self._plan_placement(name, target, seen)
        seen = yield self._chunk(motion, seen, f"carrying the {_words(name)} over the {_words(target)}")
        seen = yield self._wait(seen, LOOK_SECONDS, f"looking at the {_words(target)}")
        if seen.state.holding != name:
            raise MotionFailure(Code.LOST_HOLD, f"{name} was lost on the way to {target}")
        spot = self._at(seen, target).pose @ place
        tool = _tool_for(seen, name, _raised(spot, RELEASE_HEIGHT))
        gentle = GENTLE * self._planner.speed
        down = self._planner.straight_to(seen, tool, speed=gentle, allow=_touching(name, target))
        seen = yield self._chunk(down, seen, f"setting the {_words(name)} down")
        wide = min(self._inventory[name].grasps[0].width + 2 * CLEARANCE, self._robot.gripper.max_width)
        seen = yield self._grip(seen, wide, f"letting the {_words(name)} go")
        return (yield self._chunk(self._up(seen, name), seen, "moving away"))

    def _plan_grasp(self, name: str, seen: Observation) -> tuple[Grasp, Trajectory]:
        at = self._at(seen, name).pose
        grasps = sorted(self._inventory[name].grasps, key=lambda g: seen.state.tool.distance(at @ g.pose)[1])
        motions = ((g, self._reach(seen, at @ g.pose, _touching(name))) for g in grasps)
        return _first(motions, Code.NO_GRASP, f"{name} cannot be grasped")

    def _plan_placement(self, name: str, target: str, seen: Observation) -> tuple[Pose, Trajectory]:
        at, thing = self._at(seen, target).pose, self._inventory[name]
        heading = seen.objects[name].pose
        spots = placements(thing, self._inventory[target], at, heading, self._rng)
        tools = ((spot, _tool_for(seen, name, _raised(spot, RELEASE_HEIGHT))) for spot in spots)
        allow = _touching(name, target)
        motions = ((at.inverse() @ spot, self._reach(seen, tool, allow)) for spot, tool in tools)
        return _first(motions, Code.NO_PLACE, f"there is no room for {name} on {target}")

    def _reach(self, seen: Observation, tool: Pose, allow: Pairs) -> Trajectory | MotionFailure:
        """A way to the point above ``tool`` from which the straight way down is free as well."""
        try:
            motion = self._planner.to_pose(seen, _raised(tool, APPROACH))
            self._planner.straight_to(seen, tool, start=motion.q[-1], allow=allow)
        except MotionFailure as failure:
            return failure
        return motion

    def _up(self, seen: Observation, name: str) -> Trajectory:
        return self._planner.straight_to(seen, _raised(seen.state.tool, APPROACH), allow=_touching(name))

    def _at(self, seen: Observation, name: str) -> PoseEstimate:
        estimate = seen.objects.get(name)
        if estimate is None:
            raise MotionFailure(Code.NOT_PERCEIVED, f"{name} has not been perceived")
        tolerance = self._inventory[name].tolerance
        if estimate.sigma > tolerance:
            reason = f"{name} is known to {1000 * estimate.sigma:.0f} mm, {1000 * tolerance:.0f} mm are needed"
            raise MotionFailure(Code.IMPRECISE_POSE, reason)
        return estimate

    def _grip(self, seen: Observation, width: float, label: str) -> ActionChunk:
        self._width = width
        return self._wait(seen, GRIP_SECONDS, label)

    def _wait(self, seen: Observation, seconds: float, label: str) -> ActionChunk:
        q = np.tile(seen.state.start, (round(seconds / self._robot.period), 1))
        return self._rows(q, np.zeros_like(q), seen, label)

    def _chunk(self, motion: Trajectory, seen: Observation, label: str) -> ActionChunk:
        return self._rows(motion.q[1:], motion.qd[1:], seen, label)

    def _rows(self, q: Array, qd: Array, seen: Observation, label: str) -> ActionChunk:
        values = np.hstack([q, qd, np.full((len(q), 1), self._width)])
        return ActionChunk(values, seen.stamp, self._robot.period, self._space, label)


def _first(motions: Iterable[tuple[T, Trajectory | MotionFailure]], code: Code, what: str) -> tuple[T, Trajectory]:
    reasons: dict[str, None] = {}
    for choice, motion in motions:
        if isinstance(motion, Trajectory):
            return choice, motion
        reasons[motion.reason] = None
    raise MotionFailure(code, f"{what}: {'; '.join(list(reasons)[:3]) or 'it has no such place'}")


def _raised(pose: Pose, height: float) -> Pose:
    return Pose(pose.position + np.array([0.0, 0.0, height]), pose.quaternion)


def _tool_for(seen: Observation, name: str, spot: Pose) -> Pose:
    """Where the tool must be for the held object to be at ``spot``."""
    in_tool = seen.state.tool.inverse() @ seen.objects[name].pose
    return spot @ in_tool.inverse()


def _touching(name: str, *supports: str) -> Pairs:
    """The pairs that may touch while an object is grasped, or set down on its supports."""
    return [(GRIPPER, name), *((name, support) for support in supports)]


def _words(name: str) -> str:
    return name.replace("_", " ")
