# SPDX-License-Identifier: Apache-2.0
"""Pick an object up from above and set it down: a script over planned motions and fresh looks.

The script is a generator: it yields chunks (or waits) and is sent the observation that followed, so that
it reads in the order in which things happen. Whatever cannot go on raises, and ``act`` reports it.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.planner import MotionPlanner
from robo_orch.motion.timing import Trajectory
from robo_orch.objects import Grasp, ObjectSpec
from robo_orch.policies.loaders import PolicyContext
from robo_orch.policies.tamp.placements import Placement, placements
from robo_orch.types import (
    ActionChunk,
    Array,
    Code,
    Done,
    Failed,
    Observation,
    Pose,
    PoseEstimate,
    Step,
    Subgoal,
)

#: How far above grasp and placement the straight part of the way begins, m (chosen).
APPROACH = 0.10
#: How far the object is let go above where it should stand, m (chosen: covers the error of a 1-5 mm pose).
RELEASE_HEIGHT = 0.003
#: How much narrower than the object the gripper is told to close, m: makes it press (chosen).
SQUEEZE = 0.02
#: How much wider than the object the gripper opens on the way to it, on each side, m (chosen).
CLEARANCE = 0.012
#: How long the arm rests before it looks again, s: two frames of a 10 Hz estimator and its latency (chosen).
LOOK_SECONDS = 0.3
#: How long the fingers take to close or open, s (chosen).
GRIP_SECONDS = 0.6
#: An object that has moved this far since the approach was planned is approached anew, m (chosen).
MOVED = 0.02
#: How often an approach is planned anew before giving up (chosen).
APPROACHES = 3

Script = Generator[ActionChunk, Observation, None]


class PickPlace:
    """Skills ``pick_place`` and ``stack``: roles ``object`` and ``target``."""

    def __init__(self, context: PolicyContext) -> None:
        self._context = context
        self._planner = MotionPlanner(context.robot, context.inventory, speed=context.speed)
        self._space = context.card.action.space
        self._script: Script | None = None
        self._started = False

    def reset(self, subgoal: Subgoal, observation: Observation, seed: int) -> None:
        """Start on a subgoal; planning is seeded with ``seed``."""
        self._planner.reset(seed)
        self._rng = np.random.default_rng(seed)
        self._width = observation.state.gripper
        self._script = self._pick_and_place(subgoal.args["object"], subgoal.args["target"], observation)
        self._started = False

    def act(self, observation: Observation, committed: ActionChunk | None = None) -> Step:
        """The next motion of the script, ``Done`` at its end, ``Failed`` with the reason where it cannot go on."""
        if self._script is None:
            return Failed(Code.POLICY_ERROR, "act was called before reset")
        try:
            if self._started:
                return self._script.send(observation)
            self._started = True
            return next(self._script)
        except StopIteration:
            return Done("set down and let go")
        except MotionFailure as failure:
            return Failed(failure.code, failure.reason)

    def close(self) -> None:
        """Nothing is held between runs."""
        self._script = None

    # ----- the script

    def _pick_and_place(self, name: str, target: str, seen: Observation) -> Script:
        if seen.state.holding != name:
            seen = yield from self._pick(name, seen)
        yield from self._place(name, target, seen)

    def _pick(self, name: str, seen: Observation) -> Generator[ActionChunk, Observation, Observation]:
        for _ in range(APPROACHES):
            estimate = self._precise(seen, name)
            grasp = self._approach(seen, name)
            self._width = min(grasp.width + 2 * CLEARANCE, self._context.robot.gripper.max_width)
            seen = yield self._chunk(grasp.trajectory, seen, f"moving above the {_words(name)}")
            seen = yield self._wait(seen, LOOK_SECONDS, f"looking at the {_words(name)}")
            if self._precise(seen, name).pose.distance(estimate.pose)[0] <= MOVED:
                break
        else:
            raise MotionFailure(Code.NO_PROGRESS, f"{name} kept moving while it was approached {APPROACHES} times")
        yield_to = self._grasp_pose(seen, name, grasp.grasp)
        down = self._planner.straight_to(seen, yield_to, allow=self._finger_pairs(name))
        seen = yield self._chunk(down, seen, f"reaching for the {_words(name)}")
        self._width = max(0.0, grasp.grasp.width - SQUEEZE)
        seen = yield self._wait(seen, GRIP_SECONDS, f"closing on the {_words(name)}")
        if seen.state.holding != name:
            held = seen.state.holding or "nothing"
            code = Code.WRONG_OBJECT if seen.state.holding else Code.LOST_HOLD
            raise MotionFailure(code, f"the gripper closed on {held} instead of {name}")
        return seen
