# SPDX-License-Identifier: Apache-2.0
"""Numpy, Triton's interpreter and a GPU under the same tests."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

GPU = Path("/dev/nvidiactl").exists()
if not GPU:
    os.environ.setdefault("TRITON_INTERPRET", "1")  # is read when kernels are declared

#: Where a kernel runs; a device by its name in torch.
PLACES = ["numpy", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.fixture(scope="session")
def gpu():
    """Skips where there is no device; where there is one, a library that does not find it is a failure."""
    if not GPU:
        pytest.skip("no NVIDIA device (/dev/nvidiactl)")


@pytest.fixture(params=PLACES)
def place(request):
    """Skips what cannot run here, with the reason."""
    if request.param == "cuda":
        request.getfixturevalue("gpu")
    elif request.param == "cpu" and GPU:
        pytest.skip("with a GPU, Triton compiles instead of interpreting")
    if request.param != "numpy":
        missing = [name for name in ("torch", "triton") if importlib.util.find_spec(name) is None]
        if missing:
            pytest.skip(f"not installed: {', '.join(missing)}")
    return request.param
