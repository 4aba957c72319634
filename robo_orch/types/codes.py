# SPDX-License-Identifier: Apache-2.0
"""Every way something can end, where in the loop, and how it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

#: A sink for run events: ``emit(type, **data)``; data must be JSON-serialisable.
EventSink = Callable[..., None]


def ignore_events(event: str, /, **data: Any) -> None:
    """The event sink of someone who does not listen."""


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

    NO_BRIDGE = "NO_BRIDGE"

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
    detail. ``seconds`` is time on the robot's clock; ``policy_seconds`` wall time in a policy's own code, which decides
    nothing.
    """

    code: Code
    stage: Stage
    message: str = ""
    seconds: float = 0.0
    policy_seconds: float = 0.0
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the work ended as intended."""
        return self.code is Code.OK
