# SPDX-License-Identifier: Apache-2.0
"""Replaying a run: a fresh world, the recorded commands, and nothing that decides."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robo_orch import __version__
from robo_orch.errors import RunError
from robo_orch.runs.provenance import libraries
from robo_orch.runs.record import RunRecord
from robo_orch.runs.schema import Tick
from robo_orch.types import JointTarget


@dataclass(frozen=True, slots=True)
class Replay:
    """Whether the same commands led to the same states, by hash over every tick; ``because`` where they did not."""

    match: bool
    state_hash: str
    expected_hash: str
    ticks: int
    because: str = ""


def replay(run_dir: Path) -> Replay:
    """Execute a run's recorded commands in a fresh world.

    Raises:
        RunError: no run folder, or a run that was killed before its hash was written.
        SceneError: its scene does not exist here.
    """
    from robo_orch.sim.build import build

    record = RunRecord.open(run_dir)
    expected, info = _expected(record), record.info
    simulation = build(info.scene, info.sim, info.seed, info.require, info.perturb)
    ticks = 0
    joints = len(simulation.world.setpoint.q)
    for tick in record.ticks():
        ticks += 1
        if not len(tick.command.q) == len(tick.command.qd) == joints:
            got = f"{len(tick.command.q)} and {len(tick.command.qd)} in line {ticks} of trajectory.jsonl"
            raise RunError(f"{joints} joint positions and velocities a command", got, "run the goal again")
        simulation.world.step(target(tick))
    got = simulation.world.state_hash
    because = "" if got == expected else _difference(record, ticks, simulation.layout.scene_hash)
    return Replay(got == expected, got, expected, ticks, because)


def target(tick: Tick) -> JointTarget:
    """A recorded command as the world takes it."""
    command = tick.command
    return JointTarget(np.array(command.q), np.array(command.qd), command.gripper, command.source)


def _expected(record: RunRecord) -> str:
    if record.result is None:
        got = f"{record.path}, whose run was killed before it could write result.json"
        raise RunError("a run that recorded its state hash", got, "its events can still be read; run the goal again")
    expected = record.result.get("state_hash")
    if not isinstance(expected, str):
        got = f"{record.path}, which ended before there was a world"
        raise RunError("a run that recorded its state hash", got, "run the goal again")
    return expected


def _difference(record: RunRecord, ticks: int, scene_hash: str) -> str:
    """Why the states may differ."""
    info, seconds = record.info, float((record.result or {}).get("sim_seconds", 0.0))
    if info.period and round(seconds / info.period) != ticks:
        return f"the run had {round(seconds / info.period)} ticks, its trajectory.jsonl has {ticks}"
    if scene_hash != info.scene_hash:
        return f"the scene is another one: recorded {info.scene_hash}, here {scene_hash}"
    here, then = {"robo_orch": __version__, **libraries()}, {"robo_orch": info.robo_orch, **info.libraries}
    changed = [
        f"{name} {version} -> {here.get(name, 'none')}" for name, version in then.items() if here.get(name) != version
    ]
    return f"made with other versions: {', '.join(changed)}" if changed else "the same versions, other states"
