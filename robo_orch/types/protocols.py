# SPDX-License-Identifier: Apache-2.0
"""Whatever can be driven, simulated, perceived with, or asked for actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from robo_orch.types.action import ActionChunk, JointTarget, StopMode, StopReport
from robo_orch.types.codes import Code
from robo_orch.types.sensing import Observation, PoseEstimate
from robo_orch.types.work import Subgoal


class Perception(Protocol):
    """Turns raw sensing into pose estimates."""

    def observe(self, raw: Any) -> tuple[Mapping[str, PoseEstimate], Mapping[str, float]]:
        """Return the estimates by object name and a quality in [0, 1] by camera or source."""
        ...


class Robot(Protocol):
    """A body: simulated or real, the same executor drives both."""

    @property
    def period(self) -> float:
        """Control period, s: the time between two ticks."""
        ...

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names of the cameras that :meth:`capture` knows."""
        ...

    def observe(self) -> Observation:
        """The latest state and estimates; never blocks on images."""
        ...

    def capture(self, sizes: Mapping[str, tuple[int, int]]) -> Mapping[str, NDArray[np.uint8]]:
        """The latest pictures ``(H, W, 3)`` of named cameras, each at its (width, height), pixels.

        Raises:
            RenderError: no such camera (the message lists those there are), or no pictures can be had.
        """
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
