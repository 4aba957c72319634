# SPDX-License-Identifier: Apache-2.0
"""A policy that is an ONNX model: what ``loader: onnx:model.onnx`` makes of a card."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robo_orch.errors import CardError
from robo_orch.kernels.session import Session
from robo_orch.policies import golden
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.context import PolicyContext
from robo_orch.policies.contract import action_problem, check, input_shapes, model_problems
from robo_orch.policies.learned import Answer, LearnedPolicy


class NetworkPolicy(LearnedPolicy):
    """Runs the model that a card names, loaded, compared with its golden vector and warm once it is made.

    Attributes:
        session: the model.
        golden: by how much it differed from the card's golden vector.

    Raises:
        CardError, ModelError: the model is missing or broken, says something else than its golden vector, or card,
            model and robot do not fit.
    """

    def __init__(self, context: PolicyContext) -> None:
        super().__init__(context)
        card = context.card
        self.session = Session.load(model_path(card), require_gpu=card.require_gpu)
        check(card, model_problems(card, self.session.inputs, self.session.outputs, context.robot))
        shapes = input_shapes(card, context.robot)
        blank = {name: np.zeros((1, *shape), dtype) for name, (dtype, shape) in shapes.items()}
        self._feeder.warm_up()
        self.session.warm_up(blank)
        got = self.session.run(blank)[card.outputs.action]
        check(card, filter(None, [action_problem(card, got.shape)]))  # axes that the model leaves open
        self.golden = golden.verify(card, self.session.run)

    def infer(self, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        """The model's outputs by name."""
        return self.session.run(inputs)

    def read(self, said: Mapping[str, NDArray[Any]]) -> Answer:
        """The outputs that the card names."""
        told = self.card.outputs
        confidence, completion = (
            float(said[name].item()) if name else None for name in (told.confidence, told.completion)
        )
        return Answer(np.atleast_2d(said[told.action][0].astype(float)), confidence, completion)


def model_path(card: PolicyCard) -> Path:
    """The file that an ``onnx:`` loader names, beside the card.

    Raises:
        CardError: there is none.
    """
    name = card.loader.partition(":")[2]
    path = card.folder / name
    if not name or not path.is_file():
        near = ", ".join(sorted(p.name for p in card.folder.glob("*.onnx"))) or "no .onnx at all"
        remedy = "put the weights beside the card, or correct its loader"
        raise CardError(f"the weights of {card.id}, {name or 'onnx:FILE'}", f"{near} in {card.folder}", remedy)
    return path
