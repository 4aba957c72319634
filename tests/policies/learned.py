# SPDX-License-Identifier: Apache-2.0
"""Cards for the small models of this folder, and something to show them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from robo_orch.policies.card import PolicyCard, load_card
from robo_orch.policies.context import PolicyContext
from robo_orch.robots import load_robot
from robo_orch.skills import skill
from robo_orch.types import ActionChunk, Observation, Pose, RobotState
from tests.scenes import INVENTORY, estimate

MODELS = Path(__file__).parent / "models"
PANDA = load_robot("panda")
WORDS = np.linspace(0.0, 1.0, 384, dtype=np.float32)
GOAL = skill("stack").subgoal("red_cube", "blue_cube")

#: The card of still.onnx.
STILL: dict[str, Any] = {
    "schema": 1,
    "id": "mine/still-v1",
    "family": "rl",
    "description": "Goes a tenth of the way.",
    "skills": ["stack"],
    "poses": {"precision": "model"},
    "observation": {"state": {"kind": "features", "keys": ["object.toward", "gripper"], "normalize": "none"}},
    "action": {"kind": "ee_delta", "dim": 7, "rotation": "rotvec", "reference": "command", "gripper": "width"},
    "rate_hz": 10,
    "cost_seconds": 1.0,
    "loader": "onnx:still.onnx",
}
#: The card of seeing.onnx.
SEEING = STILL | {
    "id": "mine/seeing-v1",
    "family": "vla",
    "language": True,
    "observation": {
        "words": {"kind": "text", "encoder": "minilm-int8"},
        "wrist": {"kind": "image", "camera": "wrist", "size": [6, 4], "normalize": "fused"},
        "state": {"kind": "features", "keys": ["q", "gripper"], "normalize": "none"},
        "prefix": {"kind": "prefix", "length": "kept"},
    },
    "outputs": {"action": "actions", "confidence": "sure", "completion": "complete"},
    "finish": {"by": "completion", "above": 0.7, "looks": 2},
    "chunk": {"length": 4, "execute": 2},
    "loader": "onnx:seeing.onnx",
}


def state_input(**changes: Any) -> dict[str, Any]:
    """The ``observation`` of :data:`STILL` with another input ``state``."""
    return {"observation": {"state": STILL["observation"]["state"] | changes}}


def write(folder: Path, body: dict[str, Any], model: bool = True, **changes: Any) -> Path:
    """A card in a folder, with the model that it names unless told otherwise."""
    body = {key: value for key, value in (body | changes).items() if value is not None}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{body['id'].partition('/')[2]}.card.yaml"
    path.write_text(yaml.safe_dump(body))
    kind, _, name = body["loader"].partition(":")
    if model and kind == "onnx" and (MODELS / name).is_file():
        shutil.copy(MODELS / name, folder)
    return path


def card(folder: Path, body: dict[str, Any] = STILL, **changes: Any) -> PolicyCard:
    return load_card(write(folder, body, **changes))


def context(made: PolicyCard) -> PolicyContext:
    return PolicyContext(PANDA, INVENTORY, made)


def observation(stamp: float = 1.0, grey: int = 51, **at: tuple[float, ...]) -> Observation:
    """The red cube at (0.5, 0.1, 0.02) unless told otherwise; the wrist camera sees one grey."""
    places = {"red_cube": (0.5, 0.1, 0.02), "blue_cube": (0.6, 0.1, 0.02), "table": (0.5, 0.0, 0.0)} | at
    tool = Pose.of((0.4, 0.0, 0.3), (1.0, 0.0, 0.0, 0.0))
    state = RobotState(stamp, PANDA.names, PANDA.home, np.zeros(7), np.zeros(7), tool, 0.06)
    seen = {name: estimate(name, place, stamp=stamp) for name, place in places.items()}
    return Observation(stamp, state, seen, {"wrist": np.full((4, 6, 3), grey, np.uint8)})


def chunk(values: np.ndarray, made: PolicyCard) -> ActionChunk:
    return ActionChunk(values, 1.0, 0.1, made.action.space)
