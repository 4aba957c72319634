# SPDX-License-Identifier: Apache-2.0
"""Policy classes that were made for other frameworks, used as they are.

What such a class has: ``select_action(batch)``, one action a call (from a queue of its own, if it has one), or
``predict_action_chunk(batch)``, a chunk a call; often ``reset()``. ``batch`` is a dict of arrays with a first axis of
one, by the names that the card's ``observation`` has. A complete user's module::

    import torch
    from robo_orch.policies.wrap import Wrapped
    from theirs import TheirPolicy

    class Mine(Wrapped):
        convert = staticmethod(torch.from_numpy)

        def make(self, context):
            return TheirPolicy.from_pretrained(context.card.folder / "weights")

and in its card ``loader: python:mine:Mine``. No framework is imported here; what comes back may be a tensor of any.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robo_orch.errors import CardError
from robo_orch.policies.context import PolicyContext
from robo_orch.policies.contract import action_problem, check
from robo_orch.policies.learned import Answer, LearnedPolicy

_ONE, _CHUNK = "select_action", "predict_action_chunk"


def _as_it_is(array: NDArray[Any]) -> Any:
    return array


class Wrapped(LearnedPolicy):
    """A foreign policy object behind our contract; a subclass says how to make it.

    The card's ``chunk.length`` decides which method is called: ``select_action`` for 1, if there is one, else
    ``predict_action_chunk``. Actions are given out in the order in which they came; of a chunk the first
    ``chunk.execute``, and the rest is dropped when the next is asked for.

    Attributes:
        convert: makes of each array what the object takes, for example ``torch.from_numpy``; as it is if not set.
        model: the object.

    Raises:
        CardError: it has neither method, or only one that gives another number of actions than the card says.
    """

    convert: Callable[[NDArray[Any]], Any] = staticmethod(_as_it_is)

    def __init__(self, context: PolicyContext) -> None:
        super().__init__(context)
        self.model = self.make(context)
        self._call = self._method()
        self._feeder.warm_up()

    @abstractmethod
    def make(self, context: PolicyContext) -> Any:
        """The foreign object, its weights loaded."""

    def forget(self) -> None:
        """Clear its queue and hidden state."""
        if callable(reset := getattr(self.model, "reset", None)):
            reset()

    def infer(self, inputs: Mapping[str, NDArray[Any]]) -> Any:
        """What the object answers; words are given as a list of one text."""
        words = {name: value.tolist() for name, value in inputs.items() if value.dtype.kind == "U"}
        arrays = {name: self.convert(value) for name, value in inputs.items() if name not in words}
        return self._call({**arrays, **words})

    def read(self, said: Any) -> Answer:
        """A chunk ``(1, T, A)``, or one action ``(1, A)`` or ``(A,)``.

        Raises:
            CardError: actions of another shape than the card says.
        """
        values = _array(said)
        batched = values if values.ndim > 1 else values[None]
        check(self.card, filter(None, [action_problem(self.card, batched.shape)]))
        return Answer(np.atleast_2d(batched[0]))

    def _method(self) -> Callable[[Any], Any]:
        one, chunk = (getattr(self.model, name, None) for name in (_ONE, _CHUNK))
        single = self.card.chunk.length == 1
        for method in (one, chunk) if single else (chunk,):
            if callable(method):
                found: Callable[[Any], Any] = method
                return found
        wanted = f"{_ONE} or {_CHUNK}" if single else f"{_CHUNK}, since chunk.length is {self.card.chunk.length},"
        got = f"{type(self.model).__name__} {f'with {_ONE} only' if callable(one) else 'without it'}"
        remedy = "set chunk: {length: 1}" if callable(one) else "return the policy object from make()"
        raise CardError(f"{wanted} in what {self.card.id} wraps", got, remedy)


def _array(said: Any) -> NDArray[np.float64]:
    """Numbers of whatever framework, on whatever device."""
    for step in ("detach", "cpu", "float", "numpy"):
        if callable(method := getattr(said, step, None)):
            said = method()
    return np.asarray(said, dtype=float)
