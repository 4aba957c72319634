# SPDX-License-Identifier: Apache-2.0
"""A learned model, ready to run: inputs checked, buffers kept, latency steady."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from robo_orch.errors import ModelError
from robo_orch.kernels.binding import Binding
from robo_orch.kernels.model_file import check_file, failure
from robo_orch.kernels.runtime import start
from robo_orch.kernels.tensors import check, spec_of

#: Sets of input shapes whose buffers are kept (chosen: a robot or two, a batch of cameras, a probe).
KEPT = 8
#: Runs before the first that counts (chosen: allocations and kernel choice settle within three).
WARM_UP = 5


class Session:
    """An ONNX model on the best provider there is, with buffers that are used again.

    Runs from several threads take turns. ``Session.load`` makes one.

    Attributes:
        provider: what really runs the model, not what was asked for.
        inputs, outputs: what it takes and gives, by name, in the model's order.
        metadata: the custom metadata in the file.
    """

    def __init__(self, runtime: Any, source: Path | bytes) -> None:
        self._runtime, self._source = runtime, source
        self.provider: str = runtime.get_providers()[0]
        self.inputs = {i.name: spec_of(i.name, i.type, i.shape) for i in runtime.get_inputs()}
        self.outputs = {o.name: spec_of(o.name, o.type, o.shape) for o in runtime.get_outputs()}
        self.metadata: Mapping[str, str] = dict(runtime.get_modelmeta().custom_metadata_map)
        self._names = tuple(self.inputs)
        self._bindings: dict[tuple[tuple[int, ...], ...], Binding] = {}
        self._turn = threading.Lock()

    @classmethod
    def load(
        cls,
        source: str | Path | bytes,
        *,
        providers: Sequence[str] | None = None,
        require_gpu: bool = False,
        threads: int = 1,
    ) -> Session:
        """Load a model from a file or from its bytes.

        Args:
            source: path of an ONNX file, or its content.
            providers: in order of preference; ``None`` for TensorRT, CUDA, CPU as far as there are.
            require_gpu: refuse to run on the CPU instead of doing so silently.
            threads: that compute one operator; one has the steadiest latency beside other work.

        Raises:
            ModelError: a missing, damaged or foreign file, a newer opset, a provider that is not there, no GPU.
        """
        source = source if isinstance(source, bytes) else Path(source)
        check_file(source)
        return cls(start(source, providers, require_gpu, threads), source)

    @property
    def dynamic_batch(self) -> bool:
        """Whether the first axis of every input and output is one and the same free size."""
        first = {spec.dims[0] if spec.dims else 0 for spec in (*self.inputs.values(), *self.outputs.values())}
        return len(first) == 1 and all(isinstance(dim, str) and dim for dim in first)

    def run(self, inputs: Mapping[str, np.ndarray], *, copy: bool = True) -> dict[str, np.ndarray]:
        """One forward pass.

        Args:
            inputs: by name; exactly the model's names, shapes and dtypes; contiguous or not.
            copy: ``False`` returns the session's own buffers: valid until the next run, for one thread only.

        Returns:
            The outputs by name.

        Raises:
            ModelError: inputs that do not fit, NaN or infinity in them, or a model that fails as it runs.
        """
        with self._turn:
            binding = self._binding(inputs)
            binding.fill(inputs)
            try:
                self._runtime.run_with_iobinding(binding.io)
            except Exception as error:  # the runtime has no common class of its own
                raise failure(self._source, str(error)) from None
            return binding.results(copy)

    def run_batch(self, items: Sequence[Mapping[str, np.ndarray]]) -> list[dict[str, np.ndarray]]:
        """The same for several robots or cameras: one pass if the model's batch is free, else one after the other.

        Args:
            items: each as for ``run``, with its own first axis.

        Returns:
            The outputs of each item, in order.

        Raises:
            ModelError: as ``run``.
        """
        if not self.dynamic_batch or len(items) < 2:
            return [self.run(item) for item in items]
        for item in items:
            check(self.inputs, item)
        counts = [len(item[self._names[0]]) for item in items]
        joined = {name: _join([item[name] for item in items], name) for name in self._names}
        results, ends = self.run(joined), np.cumsum(counts)
        return [
            {name: value[end - n : end] for name, value in results.items()}
            for n, end in zip(counts, ends.tolist(), strict=True)
        ]

    def warm_up(self, inputs: Mapping[str, np.ndarray] | None = None, *, batch: int = 1, runs: int = WARM_UP) -> None:
        """Run a few times before anything moves or is timed: the first runs allocate and choose kernels.

        Args:
            inputs: what to run on; zeros of the shapes that will come if ``None``, free axes 1 long.
            batch: the first axis of those zeros, where it is free.
            runs: how often.
        """
        zeros = {name: spec.zeros(batch) for name, spec in self.inputs.items()}
        for _ in range(runs):
            self.run(inputs or zeros, copy=False)

    def _binding(self, inputs: Mapping[str, np.ndarray]) -> Binding:
        """The buffers for inputs of these shapes. What is known by its shapes has passed the check before."""
        try:
            shapes = tuple([inputs[name].shape for name in self._names])
            if len(inputs) == len(shapes) and (found := self._bindings.get(shapes)):
                return found
        except (KeyError, AttributeError):
            pass  # the check says what is wrong
        check(self.inputs, inputs)
        if len(self._bindings) >= KEPT:
            del self._bindings[next(iter(self._bindings))]
        made = Binding(self._runtime.io_binding(), self.inputs, tuple(self.outputs.values()), inputs)
        return self._bindings.setdefault(shapes, made)


def _join(parts: list[np.ndarray], name: str) -> np.ndarray:
    if len({part.shape[1:] for part in parts}) > 1:
        got = f"{name} of shapes {', '.join(str(list(part.shape)) for part in parts)}"
        raise ModelError("items that differ in the first axis only", got, "run them one after the other")
    return np.concatenate(parts)
