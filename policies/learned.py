# SPDX-License-Identifier: Apache-2.0
"""What all learned policies do alike, whatever computes their actions.

Each look: the card's inputs are filled by name, the model answers with actions in the card's space, the first of them
are given out in order. The policy says that it is done by what the card's ``finish`` says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robo_orch.kernels.timing import Timing
from robo_orch.latch import Latch
from robo_orch.objects import Inventory
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.context import PolicyContext
from robo_orch.policies.frozen import FrozenFrames
from robo_orch.policies.inputs import Feeder
from robo_orch.predicates import Facts, evaluate
from robo_orch.types import ActionChunk, Code, Done, Failed, Observation, Step, Subgoal


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a model says: actions ``(T, A)``; how sure it is and how much it believes done, [0, 1], where it tells."""

    actions: NDArray[np.float64]
    confidence: float | None = None
    completion: float | None = None


class LearnedPolicy(ABC):
    """A policy that is a function from inputs to actions. Subclasses say which, and forget what it remembers.

    Attributes:
        timing: how long answers take, split.
        confidence, completion: of the latest answer, ``None`` where the model does not tell.
    """

    def __init__(self, context: PolicyContext) -> None:
        self.card, self.timing = context.card, Timing()
        self.confidence: float | None = None
        self.completion: float | None = None
        self._feeder = Feeder(context.card, context.inventory)
        self._frames = FrozenFrames(context.card.cameras)
        self._end = _End(context.card, context.inventory)
        self._subgoal: Subgoal | None = None

    @abstractmethod
    def infer(self, inputs: Mapping[str, NDArray[Any]]) -> Any:
        """What the model says of inputs as the card has them, batch 1, in its own form."""

    @abstractmethod
    def read(self, said: Any) -> Answer:
        """That as an answer."""

    def forget(self) -> None:  # noqa: B027 - most models have nothing to forget
        """A new subgoal begins: clear hidden state and queues."""

    def reset(self, subgoal: Subgoal, observation: Observation, seed: int) -> None:
        """Start on a subgoal; the model stays loaded and warm."""
        self._subgoal = subgoal
        self.confidence = self.completion = None
        self._end.begin()
        self._feeder.begin(subgoal)
        self._frames.clear()
        self.forget()

    def act(self, observation: Observation, committed: ActionChunk | None = None) -> Step:
        """The next actions, or ``Done``; ``Failed(NOT_PERCEIVED)`` without a live picture or a pose that it needs."""
        if self._subgoal is None:
            return Failed(Code.POLICY_ERROR, "act was called before reset")
        if because := self._end.reached(observation, self._subgoal, self.completion):
            return Done(because)
        if missing := self._feeder.missing(observation) or self._frames.see(observation):
            return Failed(Code.NOT_PERCEIVED, missing)
        with self.timing.pre:
            inputs = self._feeder.inputs(observation, committed)
        with self.timing.infer:
            said = self.infer(inputs)
        with self.timing.post:
            answer = self.read(said)
        self.confidence, self.completion = answer.confidence, answer.completion
        rows, space = answer.actions[: self.card.chunk.execute], self.card.action.space
        return ActionChunk(rows, observation.stamp, 1.0 / self.card.rate_hz, space, self._label())

    def close(self) -> None:
        """Forget the subgoal; the model stays warm."""
        self._subgoal = None

    def _label(self) -> str:
        said = [f"{self.completion:.0%} done"] if self.completion is not None else []
        said += [f"confidence {self.confidence:.2f}"] if self.confidence is not None else []
        return ", ".join(said)


class _End:
    """When a card's policy says that it is done."""

    def __init__(self, card: PolicyCard, inventory: Inventory) -> None:
        self._finish, self._inventory, self._latch = card.finish, inventory, Latch(inventory)
        self._looks = 0

    def begin(self) -> None:
        """A new subgoal."""
        self._looks = 0
        self._latch.clear()

    def reached(self, observation: Observation, subgoal: Subgoal, completion: float | None) -> str:
        """Why it is over at this look, in words; empty if it is not."""
        finish = self._finish
        if finish is None:
            return ""
        if finish.by == "postcondition":
            self._latch.see(observation.objects)
            facts = Facts.of(self._inventory, observation.objects, observation.state, self._latch.peaks)
            now, because = evaluate(subgoal.predicate, facts).holds, "the postcondition was perceived"
        else:
            now, because = completion is not None and completion >= finish.above, "the model believes to be done"
        self._looks = self._looks + 1 if now else 0
        return because if self._looks >= finish.looks else ""
