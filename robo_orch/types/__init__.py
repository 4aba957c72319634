# SPDX-License-Identifier: Apache-2.0
"""Values and protocols that cross borders between the parts of robo_orch.

SI units and REP-103 frames throughout: metres, radians, seconds, newtons; x forward, y left, z up.
Quaternions are ``xyzw`` (the ROS and scipy order); MuJoCo's ``wxyz`` appears only behind
:meth:`Pose.wxyz`. Unless a docstring says otherwise, poses are expressed in the robot's base frame.
"""

from robo_orch.types.action import (
    ActionChunk,
    ActionKind,
    ActionSpace,
    DeltaReference,
    GripperEncoding,
    JointTarget,
    StopMode,
    StopReport,
)
from robo_orch.types.codes import Code, EventSink, Outcome, Stage, ignore_events
from robo_orch.types.geometry import Array, Pose
from robo_orch.types.protocols import Continue, Done, Failed, Perception, Policy, Robot, Step, World
from robo_orch.types.sensing import Observation, PoseEstimate, Precision, RobotState
from robo_orch.types.work import Goal, Predicate, Subgoal, Trial

__all__ = [
    "ActionChunk",
    "ActionKind",
    "ActionSpace",
    "Array",
    "Code",
    "Continue",
    "DeltaReference",
    "Done",
    "EventSink",
    "Failed",
    "Goal",
    "GripperEncoding",
    "JointTarget",
    "Observation",
    "Outcome",
    "Perception",
    "Policy",
    "Pose",
    "PoseEstimate",
    "Precision",
    "Predicate",
    "Robot",
    "RobotState",
    "Stage",
    "Step",
    "StopMode",
    "StopReport",
    "Subgoal",
    "Trial",
    "World",
    "ignore_events",
]
