# SPDX-License-Identifier: Apache-2.0
"""Sessions of ONNX Runtime on the best provider that really starts: the only module that imports it.

::

    for each provider wanted, the best first:
        begin with it, the rest behind it        # TensorRT raises where its libraries lack, CUDA is dropped in silence
    on the CPU after all, though a GPU was wanted -> an error if it was required, else a warning
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import onnxruntime as ort

from robo_orch.errors import ModelError, unknown
from robo_orch.kernels.model_file import called, refusal

#: Those that compute on a GPU, the best first.
GPU = ("TensorrtExecutionProvider", "CUDAExecutionProvider")
CPU = "CPUExecutionProvider"
#: Severities of the runtime's log: what it has by default, and none but what ends the process.
_USUAL, _SILENT = 2, 4


def start(
    source: Path | bytes, providers: Sequence[str] | None = None, require_gpu: bool = False, threads: int = 1
) -> ort.InferenceSession:
    """A session on the first of the providers that starts; its ``get_providers()[0]`` is the actual one.

    Raises:
        ModelError: a model that cannot be loaded, a provider that this build has not, no GPU where one is required.
    """
    wanted = _wanted(providers)
    gpus = [name for name in wanted if name in GPU]
    if not gpus:
        if require_gpu:
            raise _no_gpu(f"providers {', '.join(wanted)}")
        return bare(source, wanted, threads)
    with _quiet() as said:
        runtime = _first(source, wanted, threads)
    actual = runtime.get_providers()[0]
    if actual not in GPU:
        why = next((line for line in said.getvalue().splitlines() if "Failed" in line), "no reason given")
        got = f"{called(source)} on {actual}: {', '.join(gpus)} did not start ({why})"
        if require_gpu:
            raise _no_gpu(got)
        warnings.warn(got, RuntimeWarning, stacklevel=3)
    return runtime


def bare(source: Path | bytes, providers: Sequence[str], threads: int = 1) -> ort.InferenceSession:
    """The runtime's own session with the options of ours; also what ``bench inference`` compares with.

    Raises:
        ModelError: what cannot be loaded.
    """
    given = source if isinstance(source, bytes) else str(source)
    options = _options(threads)
    try:
        return ort.InferenceSession(given, options, providers=list(providers), enable_fallback=0)
    except Exception as error:  # the runtime has a class for each status, without a common one of its own
        raise refusal(source, str(error)) from None


def _first(source: Path | bytes, wanted: Sequence[str], threads: int) -> ort.InferenceSession:
    for at in range(len(wanted)):
        with contextlib.suppress(ModelError):
            return bare(source, wanted[at:], threads)
    return bare(source, [CPU], threads)  # says what is wrong with a model that no provider takes


def _wanted(providers: Sequence[str] | None) -> list[str]:
    """What this build has of what is asked for. It may be listed and yet not start."""
    available = ort.get_available_providers()
    for name in providers or ():
        if name not in available:
            raise unknown(ModelError, "a provider", name, available)
    return [name for name in (*GPU, CPU) if name in available] if providers is None else list(providers)


def _options(threads: int) -> ort.SessionOptions:
    """Threads that sleep when idle, one by default: the pools of ONNX Runtime, BLAS and torch fight over cores."""
    if threads < 1:
        raise ModelError("threads of at least 1", str(threads), "leave it out for 1")
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    options.log_severity_level = _SILENT  # what fails is raised, and told in our words
    return options


@contextlib.contextmanager
def _quiet() -> Iterator[io.StringIO]:
    """While a GPU is looked for: what is printed is caught, since stdout may be somebody's JSON; no log of C++."""
    ort.set_default_logger_severity(_SILENT)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            if hasattr(ort, "preload_dlls"):
                ort.preload_dlls()  # CUDA's libraries where pip put them
            yield said
    finally:
        ort.set_default_logger_severity(_USUAL)


def _no_gpu(got: str) -> ModelError:
    remedy = "install robo_orch[gpu] with a CUDA driver on a machine with a GPU, or leave require_gpu out"
    return ModelError("a GPU, since require_gpu is set", got, remedy)
