# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import numpy as np
import pytest

from robo_orch.bench import inference
from robo_orch.bench.cells import Cell
from robo_orch.kernels.tensors import spec_of


def row(arm, ours, bare, **more):
    return {"arm": arm, "episode": 0, "provider": "CPUExecutionProvider", "ours_ms": ours, "bare_ms": bare} | more


def test_its_own_models_are_shipped_small_and_every_policy_is_measured_too():
    found = inference.models()
    assert {"mlp", "conv"} <= found.keys()
    assert sum(found[name].stat().st_size for name in ("mlp", "conv")) < 400_000
    shipped = (inference.PACKAGE / "policies").glob("**/*.onnx")
    assert {path for name, path in found.items() if name not in ("mlp", "conv")} == set(shipped)


@pytest.mark.parametrize("arm", ["mlp", "conv"])
def test_a_cell_times_ours_and_the_reference_equally_often(arm, monkeypatch):
    monkeypatch.setattr(inference, "TURNS", 2)
    monkeypatch.setattr(inference, "MOST", 3)
    done = inference.work(Cell(arm, 0, 0, None, {"require_gpu": False}))
    assert len(done["ours_ms"]) == len(done["bare_ms"]) >= 2 * inference.LEAST
    assert min(done["ours_ms"]) > 0.0
    assert json.loads(json.dumps(done)) == done


def test_rows_have_the_keys_of_the_contract():
    ours, reference = inference.summarise([row("mlp", [0.03, 0.03, 0.06], [0.02, 0.02, 0.02])])["rows"]
    assert ours.keys() >= {"name", "p50_ms", "p95_ms", "p99_ms", "ratio_to", "ratio"}
    assert (ours["name"], ours["ratio_to"], ours["ratio"]) == ("ours mlp", reference["name"], 1.5)
    assert (reference["name"], reference["ratio"]) == ("onnxruntime mlp", 1.0)


@pytest.mark.parametrize(
    ("bare", "added", "holds"), [(0.02, 0.009, True), (0.02, 0.011, False), (1.0, 0.09, True), (1.0, 0.11, False)]
)
def test_ten_microseconds_may_be_added_or_a_tenth_to_large_models(bare, added, holds):
    found = inference.summarise([row("m", [bare + added], [bare])])
    assert found["added_us"]["m"]["added_us"] == pytest.approx(1e3 * added)
    assert found["holds"] is found["added_us"]["m"]["holds"] is holds


def test_what_is_added_is_compared_within_an_episode_and_has_an_interval():
    """A neighbour's load in one episode falls on both."""
    loads = (0.02, 0.08, 0.03, 0.05)
    rows = [row("m", [load + 0.004], [load]) for load in loads]
    added = inference.summarise(rows)["added_us"]["m"]
    assert added["added_us"] == pytest.approx(4.0)
    assert added["added_us_ci95"] == pytest.approx([4.0, 4.0])
    assert added["n"] == 4


def test_a_model_that_failed_is_not_counted_as_holding():
    failed = {"arm": "m", "episode": 0, "error": "ModelError"}
    assert inference.summarise([failed]) == {"added_us": {}, "holds": False, "rows": []}
    assert not inference.summarise([failed, row("other", [0.02], [0.02])])["holds"]


def test_drawn_inputs_fit_and_repeat():
    specs = {
        "image": spec_of("image", "tensor(uint8)", ["n", 4, 4, 3]),
        "state": spec_of("state", "tensor(float)", ["n", 5]),
        "mask": spec_of("mask", "tensor(bool)", ["n", 2]),
        "tokens": spec_of("tokens", "tensor(int64)", ["n", "length"]),
    }
    drawn, again = inference.draw(specs, 3), inference.draw(specs, 3)
    for name, spec in specs.items():
        assert spec.fits(drawn[name].shape) and drawn[name].dtype == spec.dtype
        assert np.array_equal(drawn[name], again[name])
