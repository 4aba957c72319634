# SPDX-License-Identifier: Apache-2.0
"""What stands in a run folder's files. ``docs/run-folder.md`` tells it to people, field by field.

A reader accepts keys that it does not know (later versions add some) and refuses a schema number that is newer
than its own.
"""

from __future__ import annotations

from typing import Any

import msgspec

#: Raised when a field changes its meaning or goes away; added fields do not raise it.
SCHEMA = 1


class RunInfo(msgspec.Struct, kw_only=True, frozen=True):
    """``config.json``: everything that is needed to set the run up again.

    ``require`` lists the (kind, colour) pairs that the goal names, which the scene must contain. ``scene_hash`` is
    null until the scene has been built.
    """

    schema: int = SCHEMA
    robo_orch: str
    goal: str
    scene: str
    sim: str
    seed: int
    planner: str
    cards: list[str]
    perturb: dict[str, float]
    speed: float
    time_limit: float
    pictures: str
    realtime: bool
    started: str
    libraries: dict[str, str]
    bridge: str = "none"
    task: str = ""
    require: list[tuple[str, str]] = []
    robot: str = ""
    period: float = 0.0
    scene_hash: str | None = None


class Command(msgspec.Struct, frozen=True):
    """The setpoint of one tick: ``q`` rad, ``qd`` rad/s, ``gripper`` m, and who commanded it."""

    q: list[float]
    qd: list[float]
    gripper: float
    source: str


class Tick(msgspec.Struct, frozen=True):
    """One line of ``trajectory.jsonl``: a control period, its command and what was measured at its end.

    ``t`` is the robot's clock (s) at the end of the period; ``q`` rad, ``qd`` rad/s, ``gripper`` m, ``tool`` is the
    tool point's position (m) and quaternion xyzw in the base frame.
    """

    t: float
    command: Command
    q: list[float]
    qd: list[float]
    gripper: float
    tool: list[float]


class Event(msgspec.Struct, frozen=True):
    """One line of ``events.jsonl``: ``seq`` counts from 0, ``t`` is the robot's clock (s), ``wall`` Unix time (s).

    ``data`` holds the remaining keys of the line, which depend on ``type``.
    """

    seq: int
    t: float
    wall: float
    type: str
    data: dict[str, Any]

    def line(self) -> dict[str, Any]:
        """The event as it stands in the file: one flat object."""
        return {"seq": self.seq, "t": self.t, "wall": self.wall, "type": self.type, **self.data}

    @classmethod
    def of_line(cls, line: dict[str, Any]) -> Event:
        """The event that a line of the file holds."""
        head = ("seq", "t", "wall", "type")
        data = {key: value for key, value in line.items() if key not in head}
        return cls(line["seq"], line["t"], line["wall"], line["type"], data)
