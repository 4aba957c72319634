# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

from robo_orch.errors import ModelError
from robo_orch.kernels.runtime import CPU, GPU
from robo_orch.kernels.session import Session

LINEAR = Path(__file__).parent / "models" / "linear.onnx"
X = {"x": np.ones((3, 3), np.float32)}


@pytest.fixture
def listed(monkeypatch):
    """Makes the runtime list a GPU that does not start, as onnxruntime-gpu does without CUDA's libraries."""
    if Path("/dev/nvidiactl").exists():
        pytest.skip("a GPU starts here")
    monkeypatch.setattr(ort, "get_available_providers", lambda: [*GPU, CPU])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Specified provider")  # of a build that does not even list it
        yield


def test_the_provider_is_the_one_that_runs():
    assert Session.load(LINEAR, providers=[CPU]).provider == CPU


def test_a_gpu_is_required_and_this_build_has_none(monkeypatch):
    monkeypatch.setattr(ort, "get_available_providers", lambda: [CPU])
    with pytest.raises(ModelError) as error:
        Session.load(LINEAR, require_gpu=True)
    assert "a GPU" in error.value.expected and CPU in error.value.got and "robo_orch[gpu]" in error.value.remedy


def test_a_gpu_is_required_and_only_the_cpu_is_asked_for():
    with pytest.raises(ModelError, match="a GPU"):
        Session.load(LINEAR, require_gpu=True, providers=[CPU])


@pytest.mark.usefixtures("listed")
def test_a_gpu_is_required_and_listed_but_does_not_start(capfd):
    with pytest.raises(ModelError) as error:
        Session.load(LINEAR, require_gpu=True)
    assert CPU in error.value.got and "did not start" in error.value.got
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("listed")
def test_running_on_the_cpu_instead_is_never_silent(capfd):
    with pytest.warns(RuntimeWarning, match="did not start"):
        session = Session.load(LINEAR)
    assert session.provider == CPU
    assert session.run(X)["y"].shape == (3, 4)
    assert capfd.readouterr().out == ""


@pytest.mark.usefixtures("listed")
def test_a_broken_model_is_not_blamed_on_the_gpu():
    with pytest.raises(ModelError, match="opset up to"):
        Session.load(LINEAR.with_name("newer_opset.onnx"), require_gpu=True)


def test_an_unknown_provider_is_refused_with_the_closest():
    with pytest.raises(ModelError, match="did you mean CPUExecutionProvider"):
        Session.load(LINEAR, providers=["CPUExecutionProvidr"])


def test_threads_below_one_are_refused():
    with pytest.raises(ModelError, match="threads"):
        Session.load(LINEAR, threads=0)


def test_threads_are_few_and_do_not_spin():
    """As the runtime itself tells its options."""
    options = Session.load(LINEAR, threads=2)._runtime.get_session_options()
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (2, 1)
    for pool in ("intra_op", "inter_op"):
        assert options.get_session_config_entry(f"session.{pool}.allow_spinning") == "0"


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("n", [1, 2, 7])
def test_with_a_gpu_a_model_runs_there_and_agrees_with_the_cpu(n):
    on_gpu, on_cpu = Session.load(LINEAR, require_gpu=True), Session.load(LINEAR, providers=[CPU])
    x = {"x": np.random.default_rng(n).normal(size=(n, 3)).astype(np.float32)}
    assert on_gpu.provider in GPU
    for _ in range(3):
        assert np.allclose(on_gpu.run(x)["y"], on_cpu.run(x)["y"], atol=0.05)  # TF32 has 10 bits
