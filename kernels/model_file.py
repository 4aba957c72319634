# SPDX-License-Identifier: Apache-2.0
"""Why a model file cannot be used, in a person's words instead of the runtime's."""

from __future__ import annotations

import re
from pathlib import Path

from robo_orch.errors import ModelError

#: What the first byte of an ONNX file says: field 1, the IR version, a varint. Every exporter writes it first.
_FIRST = b"\x08"
_LFS = b"version https://git-lfs"
_REEXPORT = "export it again with a lower opset_version, or install a newer onnxruntime"


def check_file(source: Path | bytes) -> None:
    """Refuse what cannot be a model before it is loaded.

    Raises:
        ModelError: no such file, a folder, empty, or a pointer of git-lfs in the place of the weights.
    """
    if isinstance(source, Path) and not source.is_file():
        got = f"{source}, a folder" if source.is_dir() else f"{source}, which does not exist"
        raise ModelError("an ONNX file", got, "correct the path, or fetch the weights first")
    try:
        head = _head(source)
    except OSError as error:
        raise ModelError(
            "an ONNX file that can be read", f"{called(source)}: {error.strerror}", "correct its rights"
        ) from error
    if not head:
        raise ModelError("an ONNX file", f"{called(source)}, which is empty", "copy or export it again")
    if head.startswith(_LFS):
        raise ModelError("the weights", f"{called(source)}, a git-lfs pointer to them", "run: git lfs pull")


def refusal(source: Path | bytes, said: str) -> ModelError:
    """The error for a model that the runtime refused with the text ``said``."""
    name = called(source)
    if newer := re.search(r"Opset (\d+) is under development.* till opset (\d+)", said, re.S):
        return ModelError(f"an opset up to {newer[2]}", f"{name} with opset {newer[1]}", _REEXPORT)
    if newer := re.search(r"model IR version: (\d+), max supported IR version: (\d+)", said):
        return ModelError(f"an ONNX IR version up to {newer[2]}", f"{name} with version {newer[1]}", _REEXPORT)
    if re.search(r"protobuf parsing failed|No graph was found", said, re.I):
        if _head(source).startswith(_FIRST):
            return ModelError("a whole ONNX file", f"{name}, which ends early or is damaged", "copy or export it again")
        return ModelError("an ONNX file", f"{name}, which is something else", "export the model to ONNX")
    if re.search(r"external data|\.data\b", said, re.I):
        remedy = "copy the weights file beside it, or export with external_data=False"
        return ModelError("a model with its weights", f"{name}: {_plain(said)}", remedy)
    remedy = "export it again for a version of ONNX Runtime that has these operators"
    return ModelError("a model that ONNX Runtime can run", f"{name}: {_plain(said)}", remedy)


def failure(source: Path | bytes, said: str) -> ModelError:
    """The error for a model that failed as it ran, where the runtime said ``said``."""
    remedy = "run the exported file at this batch beside the model that it came from"
    return ModelError("a model that runs on inputs it declares", f"{called(source)}: {_plain(said)}", remedy)


def called(source: Path | bytes) -> str:
    """The model's name in messages."""
    return str(source) if isinstance(source, Path) else f"{len(source)} bytes"


def _head(source: Path | bytes) -> bytes:
    if isinstance(source, bytes):
        return source[:64]
    with source.open("rb") as file:
        return file.read(64)


def _plain(said: str) -> str:
    """The last words of the runtime's message, without its source lines and C++ signatures."""
    line = next((line for line in said.splitlines() if line.strip()), "no reason given")
    line = re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", line)
    line = re.sub(r"/\S+\.(?:cc|h):\d+ [^()]*\([^()]*\)(?: const)? ", "", line)
    line = re.sub(r"\S+\.(?:cc|h):\d+ ", "", line)
    return line.strip()[:300]
