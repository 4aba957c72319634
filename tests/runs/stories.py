# SPDX-License-Identifier: Apache-2.0
"""Runs as they could have happened, written as a run writes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from robo_orch.runs import provenance
from robo_orch.runs.config import RunConfig
from robo_orch.runs.folder import RunFolder
from robo_orch.runs.png import encode_png
from robo_orch.runs.result import blank
from robo_orch.runs.schema import Command, Event, Tick

CARD = "tamp/pick-place-v1"
STEPS = [
    {"text": "put the red cube on the plate", "skill": "pick_place", "predicate": "on(red_cube, plate)"}
    | {"args": {"object": "red_cube", "target": "plate"}, "state": "pending"},
    {"text": "stack the green cube on the blue cube", "skill": "stack", "predicate": "stacked(green_cube, blue_cube)"}
    | {"args": {"object": "green_cube", "target": "blue_cube"}, "state": "pending"},
]


def beginning(goal: str = "two things") -> list[tuple[str, float, dict]]:
    return [
        ("run_started", 0.0, {"goal": goal, "scene": "kitchen", "sim": "mujoco", "seed": 0}),
        ("goal_grounded", 0.0, {"text": goal, "predicates": [step["predicate"] for step in STEPS]}),
        ("plan_made", 0.0, {"steps": STEPS}),
    ]


def attempt(index: int, number: int, start: float, end: float, code: str, because: str = "it is so") -> list:
    step = STEPS[index]
    begun = {"index": index, "text": step["text"], "skill": step["skill"], "attempt": number, "card": CARD}
    routed = {"index": index, "card": CARD, "candidates": [{"card": CARD, "why": ""}], "because": "first"}
    found = {"index": index, "done": code == "OK", "safe": True, "peak_force": 5.0, "peak_pair": ["a", "b"]}
    return [
        ("routed", start, routed),
        ("step_started", start, begun),
        ("chunk", start + 0.1, {"card": CARD, "label": "reaching for it", "steps": 50, "period": 0.02}),
        ("policy_ended", end, {"index": index, "card": CARD, "code": "OK", "message": "let go"}),
        ("verdict", end, {"index": index, "code": code, "because": because, "predicate": step["predicate"]}),
        ("step_ended", end, {"index": index, "code": code, "attempts": number, "seconds": end - start}),
        ("referee", end, found | {"bound": 20.0, "moved": {}, "because": ""}),
    ]


def handoff(index: int, t: float, **changes) -> tuple[str, float, dict]:
    data = {"index": index, "from": "rl/push-v1", "to": CARD, "method": "declared-start", "ok": True, "code": "OK"}
    return ("handoff", t, data | {"seconds": 1.5, "message": "at the start"} | changes)


def with_a_retry(goal: str = "two things") -> list[tuple[str, float, dict]]:
    retry = ("recovery", 5.0, {"index": 1, "action": "retry", "because": "attempt 1 of 3"})
    return [
        *beginning(goal),
        *attempt(0, 1, 0.0, 2.0, "OK"),
        *attempt(1, 1, 2.0, 5.0, "NOT_YET", "green_cube is 40 mm above blue_cube"),
        retry,
        *attempt(1, 2, 5.0, 9.0, "OK"),
    ]


def events(story: list[tuple[str, float, dict]]) -> list[Event]:
    return [Event(i, t, 1000.0 + t, kind, data) for i, (kind, t, data) in enumerate(story)]


def tick(t: float, value: float = 0.1) -> Tick:
    command = Command([value] * 7, [0.0] * 7, 0.04, CARD)
    return Tick(t, command, [value] * 7, [0.0] * 7, 0.04, [0.4, 0.0, value, 0.0, 0.0, 0.0, 1.0])


def written(
    path: Path, goal: str = "two things", story=None, result: dict | None = None, frames: int = 2, ticks: int = 450
) -> Path:
    """A finished run folder; ``result`` overrides keys of a success, ``{}`` leaves it as it is."""
    config = RunConfig(goal, out=path)
    folder = RunFolder.create(path, goal)
    folder.config(provenance.describe(config))
    for kind, t, data in with_a_retry(goal) if story is None else story:
        folder.event(kind, t, data)
    for i in range(frames):
        name = folder.frame(f"{i:03d}.png", encode_png(np.full((16, 16, 3), i, np.uint8)))
        folder.event("key_frame", 9.0, {"index": 0, "file": name, "at": "step_ended", "taken": 9.0})
    for i in range(ticks):
        folder.tick(tick(0.02 * (i + 1), float(np.sin(i / 40))))
    good = {
        "success": True,
        "done": True,
        "progress": 1.0,
        "subgoals": [{"verdict": "OK"}] * 2,
        "state_hash": "ab" * 32,
    }
    folder.result(blank(config) | good | (result or {}))
    folder.close()
    return path
