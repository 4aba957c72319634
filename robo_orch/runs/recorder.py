# SPDX-License-Identifier: Apache-2.0
"""Recording at the border of the world: whatever moves it, stop motions and holding still included, is on record."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from robo_orch.runs.folder import RunFolder
from robo_orch.runs.interrupt import Interrupts
from robo_orch.runs.schema import Command, Tick
from robo_orch.types import Array, JointTarget, Pose, World


class Body(Protocol):
    """The robot's own sensing: clock (s), joints ``(n,)`` rad and rad/s, finger positions (m), tool pose."""

    time: float
    q: Array
    qd: Array
    fingers: Array
    tool: Pose


class SensedWorld(World, Protocol):
    """A world that can be asked what the robot senses without moving on."""

    def body(self) -> Body:
        """What the robot's own sensors say."""
        ...


class RecordingWorld:
    """A world that passes everything through and writes a line per control period.

    ``physics_seconds`` is the wall time spent in the world's own steps. ``after_tick`` runs when a tick is on record,
    for example a film camera.
    """

    def __init__(self, world: SensedWorld, folder: RunFolder, interrupts: Interrupts) -> None:
        self._world, self._folder, self._interrupts = world, folder, interrupts
        self._shield = interrupts.shield()
        self.physics_seconds = 0.0
        self.after_tick: Callable[[], None] = lambda: None

    def step(self, target: JointTarget) -> None:
        """Advance one control period towards ``target`` and record both."""
        with self._shield:
            begun = time.perf_counter()
            self._world.step(target)
            self.physics_seconds += time.perf_counter() - begun
            self._folder.tick(_row(target, self._world.body()))
        self.after_tick()
        self._interrupts.check()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)


def _row(target: JointTarget, body: Body) -> Tick:
    return Tick(
        t=body.time,
        command=Command(target.q.tolist(), target.qd.tolist(), float(target.gripper), target.source),
        q=body.q.tolist(),
        qd=body.qd.tolist(),
        gripper=float(body.fingers.sum()),
        tool=[*body.tool.position.tolist(), *body.tool.quaternion.tolist()],
    )
