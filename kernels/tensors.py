# SPDX-License-Identifier: Apache-2.0
"""What a model takes and gives: names, shapes and dtypes, and whether given arrays are that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robo_orch.errors import ModelError, closest

#: ONNX Runtime's names of the element types that numpy has, too.
DTYPES: dict[str, np.dtype] = {
    "tensor(float)": np.dtype(np.float32),
    "tensor(double)": np.dtype(np.float64),
    "tensor(float16)": np.dtype(np.float16),
    "tensor(bool)": np.dtype(np.bool_),
    **{f"tensor({name})": np.dtype(name) for name in ("int8", "int16", "int32", "int64")},
    **{f"tensor({name})": np.dtype(name) for name in ("uint8", "uint16", "uint32", "uint64")},
}


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """One input or output of a model.

    Attributes:
        name: as in the model.
        dtype: of the elements.
        dims: the axes as the model declares them: a size, or the name of a size that is free ("" if it has none).
    """

    name: str
    dtype: np.dtype
    dims: tuple[int | str, ...]

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Sizes of the axes, ``None`` where any size will do."""
        return tuple(dim if isinstance(dim, int) else None for dim in self.dims)

    def fits(self, shape: Sequence[int]) -> bool:
        """Whether an array of this shape will do; an axis of size 0 never does."""
        return len(shape) == len(self.dims) and all(
            size > 0 and (size == dim or isinstance(dim, str)) for size, dim in zip(shape, self.dims, strict=True)
        )

    def zeros(self, batch: int = 1) -> np.ndarray:
        """An array that fits: the first axis is ``batch`` long if free, other free axes 1."""
        return np.zeros([n or (1 if i else batch) for i, n in enumerate(self.shape)], self.dtype)

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype} [{', '.join(str(dim) or '?' for dim in self.dims)}]"


def spec_of(name: str, kind: str, dims: Sequence[int | str | None]) -> TensorSpec:
    """A tensor as ONNX Runtime describes it.

    Raises:
        ModelError: elements that are no numbers, or a size below 1.
    """
    if kind not in DTYPES:
        raise ModelError("tensors of numbers", f"{name!r} of type {kind}", "export the model without that tensor")
    known = tuple(dim if isinstance(dim, int) and dim >= 0 else str(dim or "") for dim in dims)
    return TensorSpec(name, DTYPES[kind], known)


def check(specs: Mapping[str, TensorSpec], inputs: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays that a model does not take; names are never matched by position.

    Raises:
        ModelError: a missing or unknown name, no array, a dtype or shape that is another.
    """
    for name in inputs:
        if name not in specs:
            near = [other for other in closest(name, specs) if other not in inputs]
            remedy = f"did you mean {near[0]}?" if near else "leave it out"
            raise ModelError(f"inputs named {', '.join(specs)}", repr(name), remedy)
    for name, spec in specs.items():
        if name not in inputs:
            got = f"inputs named {', '.join(inputs) or '(none)'}"
            raise ModelError(f"an input named {name!r} ({spec})", got, "give every input by its name")
        _check_one(spec, inputs[name])
    _check_shared(specs, inputs)


def _check_one(spec: TensorSpec, value: np.ndarray) -> None:
    if not isinstance(value, np.ndarray):
        raise ModelError(f"an array for {spec}", type(value).__name__, f"numpy.asarray(…, numpy.{spec.dtype})")
    if not spec.fits(value.shape):
        got = f"{spec.name} of shape {list(value.shape)}"
        raise ModelError(str(spec), got, "bring the array into that shape; the first axis is usually the batch")
    if value.dtype != spec.dtype:
        remedy = f"convert it knowingly, for example with .astype(numpy.{spec.dtype})"
        raise ModelError(str(spec), f"{spec.name} of dtype {value.dtype}", remedy)


def _check_shared(specs: Mapping[str, TensorSpec], inputs: Mapping[str, np.ndarray]) -> None:
    """Axes that bear the same name have the same size."""
    sizes: dict[str, tuple[int, str]] = {}
    for name, spec in specs.items():
        for dim, size in zip(spec.dims, inputs[name].shape, strict=True):
            if not isinstance(dim, str) or not dim:
                continue
            known, first = sizes.setdefault(dim, (size, name))
            if known != size:
                got = f"{known} in {first} and {size} in {name}"
                raise ModelError(f"one size of the axis {dim!r}", got, "give all inputs the same batch")


def check_finite(name: str, value: np.ndarray) -> None:
    """Refuse NaN and infinity: a network turns one such number into a whole action of them.

    Raises:
        ModelError: says how many there are and where the first is.
    """
    bad = np.argwhere(~np.isfinite(value))
    if len(bad):
        first = tuple(bad[0].tolist())
        got = f"{len(bad)} of {value.size} that are not, the first {value[first]} at {list(first)}"
        raise ModelError(f"finite numbers in {name!r}", got, "look at what fills this input before the arm moves")
