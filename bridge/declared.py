# SPDX-License-Identifier: Apache-2.0
"""The bridge that goes to the start set which a card declares, around what is perceived.

::

    bring(card):
        the fingers are on no handle, and nothing is declared or the arm stands in the set already -> nothing to do
        run the approach through the executor, as a policy is run
        something is held and there is no way with it       -> leave the arm where it is
        it stands in the set now                            -> hand over, else NO_BRIDGE
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from robo_orch.bridge.approach import Approach
from robo_orch.bridge.handoff import NOT_NEEDED, Handoff
from robo_orch.bridge.names import DECLARED_START, NONE
from robo_orch.bridge.start import Starts
from robo_orch.execution.executor import Executor
from robo_orch.motion.planner import MotionPlanner
from robo_orch.objects import Inventory
from robo_orch.policies.card import PolicyCard, StartSet
from robo_orch.robots.features import mark
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import (
    ActionKind,
    ActionSpace,
    Code,
    GripperEncoding,
    Observation,
    Outcome,
    Robot,
    RobotState,
    Stage,
    StopMode,
    Subgoal,
)

#: s on the robot's clock that one hand-over may take (chosen: three times the longest that was seen).
SECONDS = 20.0
#: The tool is on a handle if it is this near to its middle, m (chosen: half the length of the longest).
HANDLE = 0.06


@dataclass(frozen=True, slots=True)
class Commands:
    """What the bridge's commands mean."""

    space: ActionSpace


@dataclass(frozen=True, slots=True)
class Source:
    """The bridge as one who commands."""

    action: Commands
    id: str = f"bridge/{DECLARED_START}"
    stop_mode: StopMode = StopMode.HOLD
    cameras: Mapping[str, tuple[int, int]] = field(default_factory=dict)


class DeclaredStart:
    """Brings the arm into declared start sets.

    Args:
        executor: of the robot; the bridge commands through it as policies do.
        robot, spec, inventory: what moves, and what may be in its way.
        speed: share (0, 1] of the robot's velocity limits.
    """

    def __init__(
        self, executor: Executor, robot: Robot, spec: RobotSpec, inventory: Inventory, speed: float = 1.0
    ) -> None:
        self._executor, self._robot, self._spec, self._inventory = executor, robot, spec, inventory
        self._speed = speed
        self._planner: MotionPlanner | None = None
        self._starts: dict[StartSet, Starts] = {}

    def bring(self, card: PolicyCard, subgoal: Subgoal, seed: int, time_limit: float) -> Handoff:
        """Bring the arm into the card's start set; see the module's text."""
        seen, starts = self._robot.observe(), self._set(card)
        state = seen.state
        if not self._on_handle(seen) and (starts is None or not _outside(starts, state)):
            return NOT_NEEDED
        source = Source(Commands(self._space(gripper=state.holding is None)))
        approach = Approach(self._plans(), source.action.space, starts)
        outcome = self._executor.run(approach, source, subgoal, seed, min(SECONDS, time_limit))
        if outcome.stage is Stage.SAFETY:
            return Handoff(DECLARED_START, outcome)
        if outcome.ok and starts is not None and (wrong := _outside(starts, self._robot.observe().state)):
            outcome = replace(outcome, code=Code.NO_BRIDGE, message=f"the arm is not at the start: {wrong}")
        if not outcome.ok and state.holding is not None:
            why = f"the arm stays where it is, holding {state.holding}: {outcome.message}"
            return Handoff(NONE, Outcome(Code.OK, Stage.BRIDGE, why, outcome.seconds, outcome.policy_seconds))
        code = Code.OK if outcome.ok else Code.NO_BRIDGE
        return Handoff(DECLARED_START, replace(outcome, code=code, stage=Stage.BRIDGE))

    def _set(self, card: PolicyCard) -> Starts | None:
        if card.start is None:
            return None
        if card.start not in self._starts:
            self._starts[card.start] = Starts(card.start, self._spec)
        return self._starts[card.start]

    def _on_handle(self, seen: Observation) -> bool:
        """Whether the fingers have closed on a handle, which no motion could take along."""
        if not seen.state.grasping or seen.state.holding is not None:
            return False
        parts = [spec for spec in self._inventory.values() if spec.joint and spec.grasps and spec.name in seen.objects]
        handles = [seen.objects[spec.name].pose.apply(mark(spec)) for spec in parts]
        return any(np.linalg.norm(handle - seen.state.tool.position) < HANDLE for handle in handles)

    def _plans(self) -> MotionPlanner:
        """Made when it is first needed: most runs need none."""
        if self._planner is None:
            self._planner = MotionPlanner(self._spec, self._inventory, speed=self._speed)
        return self._planner

    def _space(self, gripper: bool) -> ActionSpace:
        encoding = GripperEncoding.WIDTH if gripper else GripperEncoding.NONE
        dim = 2 * len(self._spec.joints) + gripper
        return ActionSpace(ActionKind.JOINT_TRAJECTORY, dim, gripper=encoding)


def _outside(starts: Starts, state: RobotState) -> str:
    """What of the robot is outside a set; of a hand that holds something, the opening does not count."""
    return starts.outside(state.q, None if state.holding is not None else state.gripper)
