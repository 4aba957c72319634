# SPDX-License-Identifier: Apache-2.0
"""Filling a model's inputs from an observation, as the card says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robo_orch.errors import CardError
from robo_orch.objects import Inventory
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.observation import Features, Image, Layout, Prefix, Statistics, Text
from robo_orch.robots.features import vector
from robo_orch.types import ActionChunk, Observation, Subgoal

Array32 = NDArray[np.float32]


class Feeder:
    """Makes the inputs of one card's model, each with a first axis of one."""

    def __init__(self, card: PolicyCard, inventory: Inventory) -> None:
        self._card, self._inventory = card, inventory
        self._args: Mapping[str, str] = {}
        self._text: dict[str, NDArray[Any]] = {}

    def warm_up(self) -> None:
        """Load what fills the inputs, so that nothing has to be loaded once the arm moves."""
        for spec in self._card.observation.values():
            if isinstance(spec, Text):
                _words("warm up", spec)

    def begin(self, subgoal: Subgoal) -> None:
        """A new subgoal: its objects, its words."""
        self._args = dict(subgoal.args)
        texts = {name: spec for name, spec in self._card.observation.items() if isinstance(spec, Text)}
        self._text = {name: _words(subgoal.text, spec)[None] for name, spec in texts.items()}

    def missing(self, observation: Observation) -> str:
        """What the model needs and the observation lacks, in words; empty if nothing."""
        for spec in self._card.observation.values():
            match spec:
                case Image():
                    if problem := _picture_problem(spec, observation.images.get(spec.camera)):
                        return f"{self._card.id} needs {problem}"
                case Features():
                    names = dict.fromkeys(self._args[role] for role in spec.roles)
                    if unseen := [name for name in names if name not in observation.objects]:
                        return f"{' and '.join(unseen)} {'has' if len(unseen) == 1 else 'have'} not been perceived"
                case _:
                    continue
        return ""

    def inputs(self, observation: Observation, committed: ActionChunk | None = None) -> dict[str, NDArray[Any]]:
        """The inputs by name, for an observation that lacks nothing.

        Args:
            committed: actions in the card's space that will be executed whatever the model says.

        Raises:
            CardError: committed actions of another width than the card's.
        """
        made: dict[str, NDArray[Any]] = dict(self._text)
        for name, spec in self._card.observation.items():
            match spec:
                case Features():
                    told = self.numbers(spec, observation, self._args)
                    made[name] = _normalised(told, spec.normalize)[None]
                case Image():
                    made[name] = _picture(observation.images[spec.camera], spec)[None]
                case Prefix():
                    made[name], made[spec.length] = self._prefix(committed)
                case Text():
                    continue
        return made

    def numbers(self, spec: Features, observation: Observation, args: Mapping[str, str]) -> Array32:
        """The numbers of an input ``(k,)`` as they are, before normalisation; ``args`` are objects by role."""
        return vector(observation, spec.keys, args, self._inventory)

    def _prefix(self, committed: ActionChunk | None) -> tuple[Array32, NDArray[np.int64]]:
        length, dim = self._card.chunk.length, self._card.action.dim
        rows, n = np.zeros((1, length, dim), np.float32), 0
        if committed is not None:
            if committed.values.shape[1:] != (dim,):
                got = f"committed actions {list(committed.values.shape)}"
                raise CardError(f"actions of width {dim} for {self._card.id}", got, "commit actions of its own space")
            n = min(len(committed.values), length)
            rows[0, :n] = committed.values[:n]
        return rows, np.array([n], np.int64)


def embedded(text: str) -> Array32:
    """A text's embedding by the pinned encoder, ``(384,)``."""
    from robo_orch.kernels.text import encoder

    found: Array32 = encoder().embed(text)
    return found


def _words(text: str, spec: Text) -> NDArray[Any]:
    return np.array(text) if spec.encoder == "none" else embedded(text)


def _normalised(values: Array32, how: object) -> Array32:
    if not isinstance(how, Statistics):
        return values
    mean, std = np.array(how.mean, np.float32), np.array(how.std, np.float32)
    normal: Array32 = np.divide(values - mean, std)
    return normal


def _picture_problem(spec: Image, image: NDArray[np.uint8] | None) -> str:
    width, height = spec.size
    if image is None:
        return f"a picture of camera {spec.camera}, there is none"
    if image.shape != (height, width, 3):
        return f"pictures {width} x {height} of camera {spec.camera}, got one of shape {list(image.shape)}"
    return ""


def _picture(image: NDArray[np.uint8], spec: Image) -> NDArray[Any]:
    made: NDArray[Any] = image
    if spec.dtype == "float32":
        made = _normalised(image.astype(np.float32) / np.float32(255.0), spec.normalize)
    return np.ascontiguousarray(made.transpose(2, 0, 1) if spec.layout is Layout.CHW else made)
