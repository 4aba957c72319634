# SPDX-License-Identifier: Apache-2.0
"""From a torch module to an ONNX file, with a report of how alike the two are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from robo_orch.errors import ModelError
from robo_orch.kernels.session import Session
from robo_orch.policies import golden
from robo_orch.types import Array

#: Of the exported files: what every ONNX Runtime in setup.py's range knows.
OPSET = 20
#: Batches that both are asked with, observations compared, and the largest difference that is let pass.
BATCHES, COMPARED, TOLERANCE = (1, 2, 7), 100, 1e-4


def export(module: torch.nn.Module, inputs: Mapping[str, Array], outputs: Sequence[str], path: Path) -> None:
    """Write a module as ONNX with a free batch.

    Args:
        inputs: an example of each input by name, with a first axis of at least two.
        outputs: names of what the module returns, in order.
    """
    example = {name: torch.as_tensor(value[:2]) for name, value in inputs.items()}
    batch = torch.export.Dim("batch")
    program: Any = torch.onnx.export(
        module.eval(),
        kwargs=example,
        input_names=list(inputs),
        output_names=list(outputs),
        dynamic_shapes={name: {0: batch} for name in inputs},
        opset_version=OPSET,
        external_data=False,
        dynamo=True,
        verbose=False,
    )
    path.write_bytes(program.model_proto.SerializeToString())


def parity(module: torch.nn.Module, path: Path, inputs: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Any]:
    """How far the file's answers are from the module's on real inputs, at several batch sizes.

    Returns:
        ``n``, ``batches``, ``opset``, and the largest absolute difference of each output.

    Raises:
        ModelError: they differ by more than :data:`TOLERANCE`.
    """
    session, n = Session.load(path), min(COMPARED, len(next(iter(inputs.values()))))
    worst = dict.fromkeys(outputs, 0.0)
    for size in BATCHES:
        for start in range(0, n - size + 1, size):
            part = {name: value[start : start + size] for name, value in inputs.items()}
            found = session.run(part)
            for name, value in _said(module, part, outputs).items():
                worst[name] = max(worst[name], float(np.abs(value - found[name]).max()))
    if max(worst.values()) > TOLERANCE:
        raise ModelError(f"an export within {TOLERANCE:g} of the module", str(worst), "do not ship it; look at its ops")
    return {"n": n, "batches": list(BATCHES), "opset": OPSET, "max_abs_difference": worst}


def write_golden(module: torch.nn.Module, inputs: Mapping[str, Array], outputs: Sequence[str], path: Path) -> None:
    """Write what the module says to the first of real inputs, for whoever loads its file elsewhere."""
    first = {name: value[:1] for name, value in inputs.items()}
    golden.write(path, first, _said(module, first, outputs))


def _said(module: torch.nn.Module, inputs: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
    with torch.no_grad():
        told = module(**{name: torch.as_tensor(value) for name, value in inputs.items()})
    values = told if isinstance(told, tuple) else (told,)
    return {name: value.numpy() for name, value in zip(outputs, values, strict=True)}
