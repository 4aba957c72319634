# SPDX-License-Identifier: Apache-2.0
"""What is commanded, and what the numbers of an action mean."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from robo_orch.types.geometry import Array


class ActionKind(StrEnum):
    """What the numbers of an action mean."""

    JOINT_POSITION = "joint_position"
    JOINT_VELOCITY = "joint_velocity"
    JOINT_DELTA = "joint_delta"
    EE_POSE = "ee_pose"
    EE_DELTA = "ee_delta"
    JOINT_TRAJECTORY = "joint_trajectory"


class DeltaReference(StrEnum):
    """What a delta action is added to."""

    NONE = "none"
    COMMAND = "command"
    MEASURED = "measured"


class GripperEncoding(StrEnum):
    """How the last component of an action speaks of the gripper; canonical is ``WIDTH``."""

    NONE = "none"
    WIDTH = "width"  # metres between the pads
    OPEN_FRACTION = "open_fraction"  # 0 closed, 1 open
    CLOSE_FRACTION = "close_fraction"  # 0 open, 1 closed


@dataclass(frozen=True, slots=True)
class ActionSpace:
    """The meaning of a policy's actions. Mandatory in every card: nothing is guessed.

    Attributes:
        kind: what the arm's components are.
        dim: width of one action, gripper included. ``joint_trajectory`` rows are
            ``[q (n), qd (n), gripper]``.
        frame: frame of Cartesian actions (``base`` or ``tool``).
        rotation: encoding of rotations (``none``, ``rotvec``, ``xyzw``).
        reference: what deltas are added to.
        gripper: encoding of the last component.
    """

    kind: ActionKind
    dim: int
    frame: str = "base"
    rotation: str = "none"
    reference: DeltaReference = DeltaReference.NONE
    gripper: GripperEncoding = GripperEncoding.WIDTH


@dataclass(frozen=True, slots=True, eq=False)
class ActionChunk:
    """A run of actions at a fixed period, stamped in absolute time.

    Attributes:
        values: ``(T, A)`` in the units of ``space``; T >= 1.
        start: absolute time of step 0, s, on the robot's clock.
        period: s between steps.
        space: what the numbers mean.
        label: what the chunk is for, shown to people.
        moves: names of objects beside the subgoal's that the policy means to move, for example what is in the way; said
            before they are touched, else they count as bystanders.
    """

    values: Array
    start: float
    period: float
    space: ActionSpace
    label: str = ""
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class JointTarget:
    """One setpoint of the arm: what the low-level path interpolates to within one control period.

    ``q``, ``qd``: ``(n,)`` rad, rad/s; ``gripper``: opening in m; ``source`` names who commands.
    """

    q: Array
    qd: Array
    gripper: float
    source: str = ""


class StopMode(StrEnum):
    """What a robot does when it must not go on."""

    HOLD = "hold"
    PARK = "park"
    LIMP = "limp"


@dataclass(frozen=True, slots=True)
class StopReport:
    """What really happened on a stop request: mode asked for, whether the arm is still, how long it took."""

    mode: StopMode
    stopped: bool
    seconds: float
    message: str = ""
