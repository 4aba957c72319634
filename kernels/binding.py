# SPDX-License-Identifier: Apache-2.0
"""The buffers that a model reads from and writes to, for one set of input shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robo_orch.kernels.tensors import TensorSpec, check, check_finite


class Binding:
    """Input and output arrays that stay where they are, bound once to the runtime.

    An output whose size follows from the inputs' is written in place; for any other the runtime allocates.

    Args:
        io: an ``onnxruntime.IOBinding`` of the model; the host copies to and from a device are the runtime's.
        specs: of the inputs.
        outputs: of the outputs.
        inputs: arrays of the shapes that this binding is for.
    """

    def __init__(
        self,
        io: Any,
        specs: Mapping[str, TensorSpec],
        outputs: Sequence[TensorSpec],
        inputs: Mapping[str, np.ndarray],
    ) -> None:
        self.io = io
        self._specs = specs
        self._slots = [_Slot(name, np.empty(inputs[name].shape, spec.dtype)) for name, spec in specs.items()]
        for slot in self._slots:
            buffer = slot.buffer
            io.bind_input(slot.name, "cpu", 0, buffer.dtype, buffer.shape, buffer.ctypes.data)
        sizes = _sizes(specs, inputs)
        self._fixed: dict[str, np.ndarray] = {}
        self._free: list[str] = []
        self._order = [spec.name for spec in outputs]
        for spec in outputs:
            self._bind_output(spec, sizes)
        #: The runtime's order: as first bound.
        self._bound = [*self._fixed, *self._free]

    def _bind_output(self, spec: TensorSpec, sizes: Mapping[str, int]) -> None:
        shape = [dim if isinstance(dim, int) else sizes.get(dim, 0) for dim in spec.dims]
        if not all(shape):
            self._free.append(spec.name)
            return
        buffer = np.zeros(shape, spec.dtype)
        self.io.bind_output(spec.name, "cpu", 0, spec.dtype, buffer.shape, buffer.ctypes.data)
        self._fixed[spec.name] = buffer

    def fill(self, inputs: Mapping[str, np.ndarray]) -> None:
        """Copy inputs, whose names and shapes are known to fit, to where the model reads them.

        Raises:
            ModelError: another dtype, or NaN or infinity among floating-point numbers.
        """
        for slot in self._slots:
            value, buffer = inputs[slot.name], slot.buffer
            if value.dtype != buffer.dtype:
                check(self._specs, inputs)
            buffer[...] = value
            if slot.flags:
                np.isfinite(slot.flat, slot.finite)
                if 0 in slot.flags:
                    check_finite(slot.name, buffer)
        for name in self._free:  # else the runtime writes into what it allocated last time
            self.io.bind_output(name, "cpu")

    def results(self, copy: bool) -> dict[str, np.ndarray]:
        """The outputs by name, in the model's order; without ``copy`` valid until the next run."""
        results = {name: value.copy() for name, value in self._fixed.items()} if copy else dict(self._fixed)
        if not self._free:
            return results
        bound = dict(zip(self._bound, self.io.get_outputs(), strict=True))
        results |= {name: np.array(bound[name].numpy()) for name in self._free}
        return {name: results[name] for name in self._order}


class _Slot:
    """Where one input lies, flat for the check of finiteness, which whole numbers do not need.

    That check writes through ``finite`` into ``flags``, which is searched for a 0 in a tenth of the time that numpy
    takes to be called.
    """

    __slots__ = ("buffer", "finite", "flags", "flat", "name")

    def __init__(self, name: str, buffer: np.ndarray) -> None:
        self.name, self.buffer = name, buffer
        self.flat = buffer.reshape(-1)
        self.flags = bytearray(buffer.size if buffer.dtype.kind == "f" else 0)
        self.finite = np.frombuffer(self.flags, np.bool_)


def _sizes(specs: Mapping[str, TensorSpec], inputs: Mapping[str, np.ndarray]) -> dict[str, int]:
    """Sizes of the axes that have a name."""
    return {
        dim: size
        for name, spec in specs.items()
        for dim, size in zip(spec.dims, inputs[name].shape, strict=True)
        if isinstance(dim, str) and dim
    }
