# SPDX-License-Identifier: Apache-2.0
"""Recording at the border of the world: whatever moves it, stop motions and holding still included, is on record."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from robo_orch.runs.folder import RunFolder
from robo_orch.runs.interrupt import Interrupts
from robo_orch.runs.schema import Command, Tick
from robo_orch.types import JointTarget, RobotState, World


class RecordingWorld:
    """A world that passes everything through and writes a line per control period.

    ``measure`` gives the robot's state without advancing or disturbing anything. ``physics_seconds`` is the wall time
    spent in the world's own steps. ``after_tick`` runs when a tick is on record, for example a film camera.
    """

    def __init__(
        self, world: World, folder: RunFolder, measure: Callable[[], RobotState], interrupts: Interrupts
    ) -> None:
        self._world, self._folder, self._measure, self._interrupts = world, folder, measure, interrupts
        self.physics_seconds = 0.0
        self.after_tick: Callable[[], None] = lambda: None

    def step(self, target: JointTarget) -> None:
        """Advance one control period towards ``target`` and record both."""
        with self._interrupts.shield():
            begun = time.perf_counter()
            self._world.step(target)
            self.physics_seconds += time.perf_counter() - begun
            self._folder.tick(_row(target, self._measure()))
        self.after_tick()
        self._interrupts.check()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)


def _row(target: JointTarget, state: RobotState) -> Tick:
    return Tick(
        t=state.stamp,
        command=Command(target.q.tolist(), target.qd.tolist(), float(target.gripper), target.source),
        q=state.q.tolist(),
        qd=state.qd.tolist(),
        gripper=float(state.gripper),
        tool=[*state.tool.position.tolist(), *state.tool.quaternion.tolist()],
    )
