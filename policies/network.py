# SPDX-License-Identifier: Apache-2.0
"""A policy that is an ONNX model: what ``loader: onnx:model.onnx`` makes of a card.

Each look: the card's inputs are filled by name, the model answers with a chunk in the card's action space, the first
actions of it are given out. The policy says that it is done by what the card's ``finish`` says.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robo_orch.errors import CardError
from robo_orch.kernels.session import Session
from robo_orch.kernels.timing import Timing
from robo_orch.latch import Latch
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.contract import check, model_problems, robot_problems
from robo_orch.policies.inputs import Feeder
from robo_orch.policies.loaders import PolicyContext
from robo_orch.predicates import Facts, evaluate
from robo_orch.types import ActionChunk, Code, Done, Failed, Observation, Step, Subgoal


class NetworkPolicy:
    """Runs the model that a card names.

    Attributes:
        session: the model.
        timing: how long answers take, split.
        confidence, completion: of the latest answer, ``None`` where the model has no such output.

    Raises:
        CardError, ModelError: the model is missing or broken, or card, model and robot do not fit.
    """

    def __init__(self, context: PolicyContext) -> None:
        card = context.card
        self.card, self.timing = card, Timing()
        check(card, robot_problems(card, context.robot))
        self.session = Session.load(model_path(card), require_gpu=card.require_gpu)
        check(card, model_problems(card, self.session.inputs, self.session.outputs, context.robot))
        self._feeder = Feeder(card, context.robot, context.inventory)
        self._inventory, self._latch = context.inventory, Latch(context.inventory)
        self.session.warm_up()
        self.confidence: float | None = None
        self.completion: float | None = None
        self._subgoal: Subgoal | None = None
        self._looks = 0

    def reset(self, subgoal: Subgoal, observation: Observation, seed: int) -> None:
        """Start on a subgoal."""
        self._subgoal, self._looks = subgoal, 0
        self.confidence = self.completion = None
        self._latch.clear()
        self._feeder.begin(subgoal)

    def act(self, observation: Observation, committed: ActionChunk | None = None) -> Step:
        """The next actions, or ``Done``.

        ``Failed(STALE_OBSERVATION)`` where a picture or a pose that the model needs is not there.
        """
        if self._subgoal is None:
            return Failed(Code.POLICY_ERROR, "act was called before reset")
        if self._finished(observation, self._subgoal):
            return Done("the postcondition was perceived" if self._by_fact else "the model believes to be done")
        if missing := self._feeder.missing(observation):
            return Failed(Code.NOT_PERCEIVED, missing)
        with self.timing.pre:
            inputs = self._feeder.inputs(observation, committed)
        with self.timing.infer:
            outputs = self.session.run(inputs)
        with self.timing.post:
            rows = self._read(outputs)
        return ActionChunk(rows, observation.stamp, 1.0 / self.card.rate_hz, self.card.action.space, self._label())

    def close(self) -> None:
        """Forget the subgoal; the model stays warm."""
        self._subgoal = None

    @property
    def _by_fact(self) -> bool:
        return self.card.finish is None or self.card.finish.by == "postcondition"

    def _finished(self, observation: Observation, subgoal: Subgoal) -> bool:
        finish = self.card.finish
        if finish is None:
            return False
        self._latch.see(observation.objects)
        if self._by_fact:
            facts = Facts.of(self._inventory, observation.objects, observation.state, self._latch.peaks)
            now = evaluate(subgoal.predicate, facts).holds
        else:
            now = self.completion is not None and self.completion >= finish.above
        self._looks = self._looks + 1 if now else 0
        return self._looks >= finish.looks

    def _read(self, outputs: dict[str, NDArray[np.float32]]) -> NDArray[np.float64]:
        told, card = self.card.outputs, self.card
        if told.confidence:
            self.confidence = float(outputs[told.confidence].ravel()[0])
        if told.completion:
            self.completion = float(outputs[told.completion].ravel()[0])
        rows = outputs[told.action][0].astype(float).reshape(-1, card.action.dim)
        return rows[: card.chunk.execute]

    def _label(self) -> str:
        said = [f"{self.completion:.0%} done"] if self.completion is not None else []
        said += [f"confidence {self.confidence:.2f}"] if self.confidence is not None else []
        return ", ".join(said)


def model_path(card: PolicyCard) -> str:
    """The file that an ``onnx:`` loader names, beside the card.

    Raises:
        CardError: there is none.
    """
    path = card.folder / card.loader.partition(":")[2]
    if not path.is_file():
        near = ", ".join(sorted(p.name for p in card.folder.glob("*.onnx"))) or "no *.onnx there"
        remedy = "put the weights beside the card or correct its loader"
        raise CardError(f"the model of {card.id}", f"no file {path.name} beside the card ({near})", remedy)
    return str(path)
