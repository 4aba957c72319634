# SPDX-License-Identifier: Apache-2.0
"""The command, with a few frames and steps: what it ships answers as the network does, and is a policy by its card."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'robo_orch[train]'")
pytest.importorskip("onnxscript", reason="onnxscript is not installed: pip install 'robo_orch[train]'")

from robo_orch.kernels.session import Session
from robo_orch.policies import golden
from robo_orch.policies.card import load_card
from robo_orch.policies.loaders import PolicyContext, load_policy
from robo_orch.robots.spec import load_robot
from robo_orch.sim.gl import gl_backend
from robo_orch.train.run import train
from robo_orch.train.vla.frames import shard_name

needs_gl = pytest.mark.skipif(gl_backend().backend is None, reason=f"no GL: {gl_backend().message}")
pytestmark = [pytest.mark.slow, pytest.mark.gl, needs_gl]


@pytest.fixture(scope="module")
def real():
    rng, n = np.random.default_rng(0), 16
    length = rng.integers(0, 4, n)
    counted = np.arange(10)[None] < length[:, None]
    return {
        "side": rng.integers(0, 255, (n, 3, 192, 192), dtype=np.uint8),
        "wrist": rng.integers(0, 255, (n, 3, 96, 96), dtype=np.uint8),
        "state": rng.normal(size=(n, 18)).astype(np.float32),
        "text": (0.05 * rng.normal(size=(n, 384))).astype(np.float32),
        "prefix": (0.02 * rng.normal(size=(n, 10, 7)) * counted[..., None]).astype(np.float32),
        "prefix_length": length.astype(np.int64),
    }


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    folder, lines = tmp_path_factory.mktemp("run"), []
    report = train("vla/pick-place-v1", 0, folder / "work", folder / "policy", steps=2, told=lines.append)
    return folder / "policy", report, lines, folder / "work" / "vla-pick-place-v1"


@pytest.fixture(scope="module")
def shipped(tried):
    return tried[:2]


def test_progress_is_told(tried):
    assert any(line.startswith("step 2, ") for line in tried[2])


def test_a_trial_does_not_touch_the_real_run(tried):
    work = tried[3]
    assert [p.name for p in work.iterdir()] == ["tried"]
    assert {p.name for p in (work / "tried" / "frames").glob("frames-*")} == {shard_name(0, 0), shard_name(1, 0)}


def test_golden_vector_is_reproduced(shipped):
    card = load_card(shipped[0] / "policy.card.yaml")
    assert golden.verify(card, Session.load(card.folder / "model.onnx").run) <= 1e-5


def test_file_answers_as_the_network_at_every_batch(shipped):
    _, report = shipped
    assert report["parity"]["batches"] == [1, 2, 7]
    assert max(report["parity"]["max_abs_difference"].values()) <= 1e-4


def test_card_and_file_fit(shipped):
    folder, _ = shipped
    policy = load_policy(PolicyContext(load_robot("panda"), {}, load_card(folder / "policy.card.yaml")))
    assert policy.session.dynamic_batch


def test_committed_actions_come_back_as_they_are(shipped, real):
    folder, _ = shipped
    policy = load_policy(PolicyContext(load_robot("panda"), {}, load_card(folder / "policy.card.yaml")))
    told = policy.session.run(real)["action"]
    for rows, given, n in zip(told, real["prefix"], real["prefix_length"], strict=True):
        assert np.array_equal(rows[:n], given[:n])


def test_gripper_is_open_or_closed(shipped):
    inputs, outputs = golden.read(shipped[0] / "golden.npz")
    free = [rows[n:, 6] for rows, n in zip(outputs["action"], inputs["prefix_length"], strict=True)]
    assert set(np.round(np.concatenate(free).astype(float), 6).tolist()) <= {0.0, 0.08}


def test_weights_are_small(shipped):
    assert (shipped[0] / "model.onnx").stat().st_size < 6_000_000
