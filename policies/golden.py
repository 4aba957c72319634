# SPDX-License-Identifier: Apache-2.0
"""A golden vector: inputs of one real observation and what the model said to them where it was exported.

Whoever exports a model writes it; whoever loads the model compares. It catches weights of another training run,
statistics that were lost on the way, and a runtime that computes something else.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robo_orch.errors import CardError
from robo_orch.policies.card import PolicyCard

#: Largest difference of any output (chosen: what float32 kernels differ by, ten times over).
TOLERANCE = 1e-4
_INPUT, _OUTPUT = "input/", "output/"

Arrays = Mapping[str, NDArray[Any]]


def write(path: Path, inputs: Arrays, outputs: Arrays) -> None:
    """Write a golden vector: arrays by the names that the model has for them, batch 1."""
    named = {_INPUT + name: value for name, value in inputs.items()}
    np.savez_compressed(path, allow_pickle=False, **named | {_OUTPUT + name: value for name, value in outputs.items()})


def read(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Inputs and outputs by name.

    Raises:
        CardError: no such file, or one that is no golden vector.
    """
    expected, remedy = "a golden vector, inputs and outputs in an .npz", "write it with robo_orch.policies.golden.write"
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise CardError(expected, f"{path.name}: {error}", remedy) from error
    inputs, outputs = (
        {name.removeprefix(kind): value for name, value in arrays.items() if name.startswith(kind)}
        for kind in (_INPUT, _OUTPUT)
    )
    if not inputs or not outputs:
        raise CardError(expected, f"{path.name} with {', '.join(arrays) or 'nothing'}", remedy)
    return inputs, outputs


def verify(card: PolicyCard, run: Callable[[Arrays], Arrays]) -> float:
    """Compare what a model says now with the card's golden vector; the largest difference, 0 where it has none.

    Raises:
        CardError: another output, another shape, or a difference above :data:`TOLERANCE`.
        ModelError: inputs that the model does not take.
    """
    if not card.golden:
        return 0.0
    inputs, outputs = read(card.folder / card.golden)
    said, worst = run(inputs), 0.0
    for name, wanted in outputs.items():
        got = said.get(name)
        if got is None or got.shape != wanted.shape:
            found = f"outputs {', '.join(said)}" if got is None else f"{name} of shape {list(got.shape)}"
            raise _differs(card, f"{name} {list(wanted.shape)}", found)
        difference = float(np.max(np.abs(got.astype(float) - wanted.astype(float)), initial=0.0))
        if not difference <= TOLERANCE:  # also where it is NaN
            raise _differs(card, f"{name} within {TOLERANCE:g}", f"{name} off by {difference:.3g}")
        worst = max(worst, difference)
    return worst


def _differs(card: PolicyCard, wanted: str, got: str) -> CardError:
    remedy = "the weights are not those that it was exported with: fetch both files again, or export again"
    return CardError(f"{card.id} to say what {card.golden} has: {wanted}", got, remedy)
