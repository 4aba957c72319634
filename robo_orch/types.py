# SPDX-License-Identifier: Apache-2.0
"""Values and protocols that cross borders between the parts of robo_orch.

SI units and REP-103 frames throughout: metres, radians, seconds, newtons; x forward, y left, z up.
Quaternions are ``xyzw`` (the ROS and scipy order); MuJoCo's ``wxyz`` appears only behind
:meth:`Pose.wxyz`. Unless a docstring says otherwise, poses are expressed in the robot's base frame.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]

#: A sink for run events: ``emit(type, **data)``; data must be JSON-serialisable.
EventSink = Callable[..., None]


def ignore_events(event: str, /, **data: Any) -> None:
    """The event sink of someone who does not listen."""


# --------------------------------------------------------------------------- codes and outcomes


class Code(StrEnum):
    """Every way something can end: verdicts, failures and events share this one vocabulary."""

    OK = "OK"
    NOT_YET = "NOT_YET"
    NO_PROGRESS = "NO_PROGRESS"
    WRONG_OBJECT = "WRONG_OBJECT"
    LOST_HOLD = "LOST_HOLD"
    UNSAFE = "UNSAFE"
    UNKNOWN = "UNKNOWN"

    EMPTY_GOAL = "EMPTY_GOAL"
    NOT_UNDERSTOOD = "NOT_UNDERSTOOD"
    UNKNOWN_OBJECT = "UNKNOWN_OBJECT"
    AMBIGUOUS_OBJECT = "AMBIGUOUS_OBJECT"
    CONTRADICTORY_GOAL = "CONTRADICTORY_GOAL"
    IMPOSSIBLE_GOAL = "IMPOSSIBLE_GOAL"
    NO_SKILL = "NO_SKILL"

    NO_CAPABLE_POLICY = "NO_CAPABLE_POLICY"
    PRECONDITION = "PRECONDITION"
    CONTRACT = "CONTRACT"

    UNREACHABLE = "UNREACHABLE"
    START_IN_COLLISION = "START_IN_COLLISION"
    GOAL_IN_COLLISION = "GOAL_IN_COLLISION"
    NO_PATH = "NO_PATH"
    NO_GRASP = "NO_GRASP"
    NO_PLACE = "NO_PLACE"
    NOT_PERCEIVED = "NOT_PERCEIVED"
    IMPRECISE_POSE = "IMPRECISE_POSE"

    EMPTY_CHUNK = "EMPTY_CHUNK"
    NON_FINITE_ACTION = "NON_FINITE_ACTION"
    WRONG_ACTION_SHAPE = "WRONG_ACTION_SHAPE"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    TRACKING_ERROR = "TRACKING_ERROR"
    STALE_OBSERVATION = "STALE_OBSERVATION"
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"
    POLICY_ERROR = "POLICY_ERROR"

    INTERRUPTED = "INTERRUPTED"
    INTERNAL = "INTERNAL"


class Stage(StrEnum):
    """Where in the loop something ended."""

    PLAN = "plan"
    ROUTE = "route"
    BRIDGE = "bridge"
    POLICY = "policy"
    VERIFY = "verify"
    SAFETY = "safety"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one piece of work ended: a code, where, and a sentence for a person.

    ``message`` names what was expected, what came and what to do. ``data`` holds JSON-serialisable
    detail. ``seconds`` is time on the robot's clock.
    """

    code: Code
    stage: Stage
    message: str = ""
    seconds: float = 0.0
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the work ended as intended."""
        return self.code is Code.OK


# --------------------------------------------------------------------------- geometry


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """A rigid transform: where a child frame is, seen from its parent.

    Attributes:
        position: ``(3,)`` metres.
        quaternion: ``(4,)`` unit quaternion, xyzw.
    """

    position: Array
    quaternion: Array

    @classmethod
    def of(cls, position: Any = (0.0, 0.0, 0.0), quaternion: Any = (0.0, 0.0, 0.0, 1.0)) -> Self:
        """Build a pose from anything array-like; the quaternion (xyzw) is normalised."""
        p = np.asarray(position, dtype=float).reshape(3).copy()
        q = np.asarray(quaternion, dtype=float).reshape(4)
        norm = float(np.linalg.norm(q))
        if not np.isfinite(p).all() or not np.isfinite(norm) or norm < 1e-9:
            raise ValueError(f"a pose needs a finite position and a non-zero quaternion, got {p} and {q}")
        return cls(p, q / norm)

    @classmethod
    def from_rotation(cls, position: Any, rotation: Rotation) -> Self:
        """Build a pose from a position and a scipy rotation."""
        return cls.of(position, rotation.as_quat())

    @classmethod
    def from_wxyz(cls, position: Any, wxyz: Any) -> Self:
        """Build a pose from MuJoCo's quaternion order."""
        w, x, y, z = np.asarray(wxyz, dtype=float).reshape(4)
        return cls.of(position, (x, y, z, w))

    @property
    def rotation(self) -> Rotation:
        """The orientation as a scipy rotation."""
        return Rotation.from_quat(self.quaternion)

    @property
    def wxyz(self) -> Array:
        """The quaternion in MuJoCo's order, ``(4,)``."""
        return self.quaternion[[3, 0, 1, 2]]

    @property
    def matrix(self) -> Array:
        """The rotation matrix, ``(3, 3)``; its columns are the child's axes seen from the parent."""
        x, y, z, w = self.quaternion.tolist()
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )

    def __matmul__(self, other: Pose) -> Pose:
        """Compose: ``a @ b`` is ``b``'s child frame seen from ``a``'s parent."""
        # Plain floats: a hundred poses are composed each tick, and scipy's checks cost ten times the arithmetic.
        ax, ay, az, aw = self.quaternion.tolist()
        bx, by, bz, bw = other.quaternion.tolist()
        quaternion = np.array(
            [
                aw * bx + ax * bw + ay * bz - az * by,
                aw * by - ax * bz + ay * bw + az * bx,
                aw * bz + ax * by - ay * bx + az * bw,
                aw * bw - ax * bx - ay * by - az * bz,
            ]
        )
        return Pose(self.matrix @ other.position + self.position, quaternion / math.sqrt(quaternion @ quaternion))

    def inverse(self) -> Pose:
        """The transform the other way round."""
        return Pose(-self.position @ self.matrix, self.quaternion * _CONJUGATE)

    def apply(self, points: Array) -> Array:
        """Map points ``(..., 3)`` from the child frame to the parent frame."""
        return np.asarray(points) @ self.matrix.T + self.position

    def distance(self, other: Pose) -> tuple[float, float]:
        """Translation (m) and rotation angle (rad) between two poses."""
        cosine = min(1.0, abs(float(self.quaternion @ other.quaternion)))
        return float(np.linalg.norm(self.position - other.position)), 2.0 * math.acos(cosine)


_CONJUGATE = np.array([-1.0, -1.0, -1.0, 1.0])


# --------------------------------------------------------------------------- what is perceived


class Precision(StrEnum):
    """How well an object's pose can be known at all (one standard deviation)."""

    FIDUCIAL = "fiducial"  # 1 mm
    MODEL = "model"  # 3-10 mm
    COARSE = "coarse"  # 3-5 cm, from segmentation
    NONE = "none"


@dataclass(frozen=True, slots=True, eq=False)
class PoseEstimate:
    """What perception believes about one named object.

    Attributes:
        name: the object's name in the scene's inventory.
        pose: in the robot's base frame.
        covariance: ``(6, 6)`` of position (m^2) then rotation vector (rad^2), base frame.
        stamp: capture time, s, on the robot's clock.
        source: which estimator said so.
        precision: the class of the estimate.
        visible: whether the object was seen at ``stamp`` (else the pose is remembered).
    """

    name: str
    pose: Pose
    covariance: Array
    stamp: float
    source: str
    precision: Precision = Precision.MODEL
    visible: bool = True

    @property
    def sigma(self) -> float:
        """Standard deviation of the position, m (the largest axis)."""
        return float(np.sqrt(np.max(np.diag(self.covariance)[:3])))

    @property
    def sigma_angle(self) -> float:
        """Standard deviation of the orientation, rad (the largest axis)."""
        return float(np.sqrt(np.max(np.diag(self.covariance)[3:])))


@dataclass(frozen=True, slots=True, eq=False)
class RobotState:
    """What the robot says of itself.

    Attributes:
        stamp: s, on the robot's clock.
        names: joint names, in the order of the arrays.
        q, qd, effort: ``(n,)`` rad, rad/s, N m.
        tool: pose of the tool point in the base frame.
        gripper: opening between the pads, m.
        grasping: the gripper was told to close and something keeps it from closing.
        holding: the name of the object believed to be held, if any.
        commanded: ``(n,)`` rad, the last position command, where the robot reports one; motions start from it.
    """

    stamp: float
    names: tuple[str, ...]
    q: Array
    qd: Array
    effort: Array
    tool: Pose
    gripper: float
    grasping: bool = False
    holding: str | None = None
    commanded: Array | None = None

    @property
    def start(self) -> Array:
        """Where a motion starts, ``(n,)`` rad: the last command, so that the arm does not dip, else ``q``."""
        return self.q if self.commanded is None else self.commanded


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """One consistent look at robot and world.

    ``stamp`` is the capture time (s) on the robot's clock; ``images`` are uint8 ``(H, W, 3)`` by
    camera name; ``objects`` holds an estimate per object that was ever perceived.
    """

    stamp: float
    state: RobotState
    objects: Mapping[str, PoseEstimate] = field(default_factory=dict)
    images: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)


class Perception(Protocol):
    """Turns raw sensing into pose estimates."""

    def observe(self, raw: Any) -> tuple[Mapping[str, PoseEstimate], Mapping[str, float]]:
        """Return the estimates by object name and a quality in [0, 1] by camera or source."""
        ...


# --------------------------------------------------------------------------- what is commanded


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
    """

    values: Array
    start: float
    period: float
    space: ActionSpace
    label: str = ""


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


class Robot(Protocol):
    """A body: simulated or real, the same executor drives both."""

    @property
    def period(self) -> float:
        """Control period, s: the time between two ticks."""
        ...

    def observe(self) -> Observation:
        """The latest state and estimates; never blocks on images."""
        ...

    def command(self, target: JointTarget) -> None:
        """Set the setpoint for the coming tick."""
        ...

    def tick(self) -> None:
        """Let one control period pass: simulation advances, a real robot waits."""
        ...

    def stop(self, mode: StopMode) -> StopReport:
        """Bring the arm to rest in ``mode`` and say what is true afterwards."""
        ...


class World(Protocol):
    """A simulated world; its referee is for judging runs, never for deciding anything in them."""

    def reset(self, seed: int) -> None:
        """Lay the scene out anew from a seed."""
        ...

    def step(self, target: JointTarget) -> None:
        """Advance one control period towards ``target``."""
        ...

    def render(self, camera: str) -> NDArray[np.uint8]:
        """An image ``(H, W, 3)`` from a named camera; an unknown name is an error."""
        ...

    def snapshot(self) -> Any:
        """Everything needed to continue from here, controller and held objects included."""
        ...

    def restore(self, snapshot: Any) -> None:
        """Continue from a snapshot, bit-equal."""
        ...


# --------------------------------------------------------------------------- what is to be done


@dataclass(frozen=True, slots=True)
class Predicate:
    """A fact about the world: ``on(red_cube, plate)``, possibly negated."""

    name: str
    args: tuple[str, ...]
    negated: bool = False

    def __str__(self) -> str:
        text = f"{self.name}({', '.join(self.args)})"
        return f"not {text}" if self.negated else text

    def negate(self) -> Predicate:
        """The opposite fact."""
        return Predicate(self.name, self.args, not self.negated)


@dataclass(frozen=True, slots=True)
class Goal:
    """What a person asked for: their words, and the conjunction of facts they stand for.

    Attributes:
        text: as it was said.
        predicates: what must hold at the end, in the order said.
        stages: where order was asked for ("then", "before"), the facts to bring about one stage after the other;
            a later stage may undo an earlier one. Empty where all may be done in any order.
    """

    text: str
    predicates: tuple[Predicate, ...]
    stages: tuple[tuple[Predicate, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Subgoal:
    """One step of a plan: a skill applied to named objects, done when its predicate holds.

    Attributes:
        text: in words, as a person would say it.
        skill: the kind of subgoal (``pick_place``, ``stack``, ``open_drawer``, ...).
        predicate: the postcondition.
        args: the skill's arguments by role, for example ``{"object": "red_cube", "target": "plate"}``.
    """

    text: str
    skill: str
    predicate: Predicate
    args: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One attempt of one card at one subgoal, as memory keeps it."""

    card: str
    version: str
    subgoal: Subgoal
    outcome: Outcome
    verdict: Code
    attempt: int
    start: float
    seconds: float
    seed: int


# --------------------------------------------------------------------------- policies


@dataclass(frozen=True, slots=True)
class Continue:
    """The policy has nothing new to command and wants to be asked again at the next tick."""


@dataclass(frozen=True, slots=True)
class Done:
    """The policy believes that it is finished."""

    message: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The policy gives up, and says why."""

    code: Code
    reason: str


Step = ActionChunk | Continue | Done | Failed


class Policy(Protocol):
    """Whatever can be asked for actions."""

    def reset(self, subgoal: Subgoal, observation: Observation, seed: int) -> None:
        """Start on a subgoal; hidden state and queues are cleared."""
        ...

    def act(self, observation: Observation, committed: ActionChunk | None = None) -> Step:
        """The next actions. ``committed`` is the prefix that will be executed anyway."""
        ...

    def close(self) -> None:
        """Release what the policy holds."""
        ...
