# SPDX-License-Identifier: Apache-2.0
"""The executor: runs one policy on a robot, one setpoint per tick, the same for simulation and hardware.

It is the only caller of :meth:`Robot.command`. Whatever ends a policy, the arm is brought to rest before
the outcome is returned.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np

from robo_orch.errors import RenderError
from robo_orch.execution.adapters import ChunkRefused, check_chunk, translate
from robo_orch.robots import RobotSpec
from robo_orch.robots.actions import Decoder, Setpoint
from robo_orch.types import (
    ActionChunk,
    ActionSpace,
    Code,
    Continue,
    Done,
    EventSink,
    Failed,
    JointTarget,
    Observation,
    Outcome,
    Policy,
    Robot,
    Stage,
    StopMode,
    Subgoal,
    ignore_events,
)

T = TypeVar("T")

_SAFETY = (Code.LIMIT_EXCEEDED, Code.TRACKING_ERROR, Code.NON_FINITE_ACTION, Code.STALE_OBSERVATION)
#: The arm has lost its command when a joint is further off than this, rad (chosen: 10x the free-motion error).
TRACKING_LIMIT = 0.15


class _Crashed(Exception):
    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class Commands(Protocol):
    """What somebody's commands mean."""

    @property
    def space(self) -> ActionSpace:
        """The space of every chunk."""
        ...


class Source(Protocol):
    """Who commands: a policy's card, or what stands for one."""

    @property
    def id(self) -> str:
        """Its name, with which its setpoints are recorded."""
        ...

    @property
    def action(self) -> Commands:
        """What its chunks mean."""
        ...

    @property
    def stop_mode(self) -> StopMode:
        """How the arm is brought to rest afterwards."""
        ...

    @property
    def cameras(self) -> Mapping[str, tuple[int, int]]:
        """Cameras that it looks through, each with the pictures' (width, height), pixels."""
        ...


class Executor:
    """Runs policies on one robot.

    Args:
        robot: the body.
        spec: its description.
        emit: where events go.
    """

    def __init__(self, robot: Robot, spec: RobotSpec, emit: EventSink = ignore_events) -> None:
        self._robot, self._spec, self._emit = robot, spec, emit
        self._decoder = Decoder(spec)
        self._last: Setpoint | None = None
        self._thought = 0.0

    def run(self, policy: Policy, card: Source, subgoal: Subgoal, seed: int, time_limit: float) -> Outcome:
        """Let a policy work on a subgoal until it is done, gives up, breaks its contract or runs out of time.

        Args:
            seed: handed to the policy.
            time_limit: s on the robot's clock.

        Returns:
            OK when the policy says that it is done; that is a claim, to be verified. The arm is at rest,
            also when an exception such as ``KeyboardInterrupt`` passes through.
        """
        start, self._thought = self._robot.observe().stamp, 0.0
        try:
            end = self._drive(policy, card, subgoal, seed, start + time_limit)
        except ChunkRefused as refused:
            end = Failed(refused.code, refused.reason)
        except RenderError as error:
            end = Failed(Code.NOT_PERCEIVED, f"no pictures for {card.id}: {error.got}")
        except _Crashed as crash:
            end = Failed(Code.POLICY_ERROR, f"{card.id} raised {type(crash.error).__name__}: {crash.error}")
        finally:
            self._stop(card)
        seconds = self._robot.observe().stamp - start
        if isinstance(end, Done):
            return Outcome(Code.OK, Stage.POLICY, end.message, seconds, self._thought)
        stage = Stage.SAFETY if end.code in _SAFETY else Stage.POLICY
        return Outcome(end.code, stage, end.reason, seconds, self._thought)

    def hold(self, seconds: float) -> Iterator[Observation]:
        """Hold still for a while, gripper as last told, yielding what is seen after each tick."""
        state = self._robot.observe().state
        still = JointTarget(state.start.copy(), np.zeros_like(state.q), self._width(state.gripper), "hold")
        for _ in range(max(1, round(seconds / self._spec.period))):
            yield self._command(still)

    def _drive(self, policy: Policy, card: Source, subgoal: Subgoal, seed: int, deadline: float) -> Done | Failed:
        observation = self._robot.observe()
        self._timed(policy.reset, subgoal, self._pictured(observation, card), seed)
        while observation.stamp < deadline:
            step = self._timed(policy.act, self._pictured(observation, card))
            match step:
                case Done() | Failed():
                    return step
                case Continue():
                    (observation,) = self.hold(self._spec.period)
                case ActionChunk():
                    observation = self._execute(step, card, observation, deadline)
                case _:
                    return Failed(Code.POLICY_ERROR, f"{card.id} returned {type(step).__name__}, not a step")
        return Failed(Code.TIMEOUT, f"{card.id} was not done in time")

    def _pictured(self, seen: Observation, card: Source) -> Observation:
        """What is seen, with the pictures of now that the card is to be given."""
        return replace(seen, images=self._robot.capture(card.cameras)) if card.cameras else seen

    def _timed(self, call: Callable[..., T], *args: Any) -> T:
        begun = time.perf_counter()
        try:
            return call(*args)
        except Exception as error:  # a policy is foreign code: its crash is an outcome, not ours
            raise _Crashed(error) from error
        finally:
            self._thought += time.perf_counter() - begun

    def _execute(self, chunk: ActionChunk, card: Source, seen: Observation, deadline: float) -> Observation:
        check_chunk(chunk, card.action.space, self._spec)
        motion = translate(chunk, self._before(seen), seen.state.q, self._decoder, card.id)
        data: dict[str, Any] = {"steps": len(chunk.values), "period": chunk.period, "clipped": motion.clipped}
        if chunk.moves:
            data["moves"] = list(chunk.moves)
        self._emit("chunk", card=card.id, label=chunk.label, **data)
        for target in motion.targets:
            seen = self._command(target)
            if seen.stamp >= deadline:
                return seen
        self._last = motion.after
        return seen

    def _before(self, seen: Observation) -> Setpoint:
        """Where a chunk begins: at the last setpoint, unless the robot has been told something else since (a stop)."""
        start, last = seen.state.start, self._last
        if last is not None and np.array_equal(last.q, start):
            return last
        return Setpoint(start, np.zeros_like(start), self._width(seen.state.gripper))

    def _width(self, measured: float) -> float:
        """The opening (m) that the gripper was last told to have."""
        return self._last.width if self._last is not None else min(measured, self._spec.gripper.max_width)

    def _command(self, target: JointTarget) -> Observation:
        before = self._robot.observe().stamp
        self._robot.command(target)
        self._robot.tick()
        self._last = Setpoint(target.q, target.qd, target.gripper)
        seen = self._robot.observe()
        if not seen.stamp > before:
            raise ChunkRefused(Code.STALE_OBSERVATION, f"the robot's clock stands still at {before:.3f} s")
        error = np.abs(seen.state.q - target.q)
        if error.max() > TRACKING_LIMIT:
            joint = self._spec.names[int(error.argmax())]
            reason = f"{joint} is {error.max():.3f} rad from its command, the limit is {TRACKING_LIMIT}"
            raise ChunkRefused(Code.TRACKING_ERROR, reason)
        return seen

    def _stop(self, card: Source) -> None:
        report = self._robot.stop(card.stop_mode)
        if not report.stopped:
            self._emit("stopped", mode=report.mode, stopped=report.stopped, message=report.message)
