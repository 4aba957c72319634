# SPDX-License-Identifier: Apache-2.0
"""Filling a model's inputs from an observation, as the card says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robo_orch.objects import Inventory
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.observation import Features, Image, Layout, Prefix, Statistics, Text
from robo_orch.robots.features import vector
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import ActionChunk, Observation, Subgoal

Array32 = NDArray[np.float32]


class Feeder:
    """Makes the inputs of one card's model, each with a first axis of one."""

    def __init__(self, card: PolicyCard, robot: RobotSpec, inventory: Inventory) -> None:
        self._card, self._robot, self._inventory = card, robot, inventory
        self._args: Mapping[str, str] = {}
        self._text: dict[str, Array32] = {}

    def begin(self, subgoal: Subgoal) -> None:
        """A new subgoal: its objects, its words."""
        self._args = dict(subgoal.args)
        self._text = {
            name: embedded(subgoal.text)[None]
            for name, spec in self._card.observation.items()
            if isinstance(spec, Text)
        }

    def missing(self, observation: Observation) -> str:
        """What a model needs and the observation lacks, in words; empty if nothing."""
        for spec in self._card.observation.values():
            if isinstance(spec, Image) and spec.camera not in observation.images:
                return f"{self._card.id} needs a picture of camera {spec.camera}"
            if isinstance(spec, Features):
                roles = {key.partition(".")[0] for key in spec.keys if "." in key}
                unseen = [self._args[r] for r in roles if self._args[r] not in observation.objects]
                if unseen:
                    return f"{' and '.join(unseen)} has not been perceived"
        return ""

    def inputs(self, observation: Observation, committed: ActionChunk | None = None) -> dict[str, NDArray[Any]]:
        """The inputs by name."""
        made: dict[str, NDArray[Any]] = dict(self._text)
        for name, spec in self._card.observation.items():
            match spec:
                case Features():
                    told = vector(observation, spec.keys, self._args, self._inventory)
                    made[name] = _normalised(told, spec.normalize)[None]
                case Image():
                    made[name] = _picture(observation.images[spec.camera], spec)[None]
                case Prefix():
                    made[name], made[spec.length] = self._prefix(committed)
                case _:
                    pass
        return made

    def _prefix(self, committed: ActionChunk | None) -> tuple[Array32, NDArray[np.int64]]:
        rows = np.zeros((1, self._card.chunk.length, self._card.action.dim), np.float32)
        n = 0 if committed is None else min(len(committed.values), self._card.chunk.length)
        if committed is not None:
            rows[0, :n] = committed.values[:n]
        return rows, np.array([n], np.int64)


def embedded(text: str) -> Array32:
    """A text's embedding by the pinned encoder, ``(384,)``."""
    from robo_orch.kernels.text import encoder

    return encoder().embed(text)


def _normalised(values: Array32, how: Any) -> Array32:
    if not isinstance(how, Statistics):
        return values
    return (values - np.array(how.mean, np.float32)) / np.array(how.std, np.float32)


def _picture(image: NDArray[np.uint8], spec: Image) -> NDArray[Any]:
    made: NDArray[Any] = image
    if spec.dtype == "float32":
        made = _normalised(image.astype(np.float32) / 255.0, spec.normalize)
    return np.ascontiguousarray(made.transpose(2, 0, 1)) if spec.layout is Layout.CHW else np.ascontiguousarray(made)
