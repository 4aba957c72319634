# SPDX-License-Identifier: Apache-2.0
"""What is shipped answers as the network does, and is a policy by its card."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'robo_orch[train]'")
pytest.importorskip("onnxscript", reason="onnxscript is not installed: pip install 'robo_orch[train]'")

import torch

from robo_orch.policies.card import load_card
from robo_orch.policies.loaders import PolicyContext, load_policy
from robo_orch.robots.spec import load_robot
from robo_orch.train.vla.learn import ROWS, WAYS
from robo_orch.train.vla.model import Network
from robo_orch.train.vla.recipe import recipe_of
from robo_orch.train.vla.run import eyes_of
from robo_orch.train.vla.ship import ship

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recipe():
    return recipe_of("vla/pick-place-v1")


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
def shipped(recipe, real, tmp_path_factory):
    torch.manual_seed(0)
    spread = torch.stack([torch.zeros(18), torch.ones(18)])
    network = Network(eyes_of(recipe), spread, torch.tensor(WAYS), torch.tensor(ROWS))
    folder = tmp_path_factory.mktemp("vla") / "policy"
    return folder, ship(recipe, network, torch.zeros(4), real, {"command": "robo-orch train"}, folder)


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


def test_gripper_is_open_or_closed(shipped, real):
    with np.load(shipped[0] / "golden.npz") as golden:
        free = [rows[n:, 6] for rows, n in zip(golden["action"], golden["prefix_length"], strict=True)]
    assert set(np.round(np.concatenate(free), 6).tolist()) <= {0.0, 0.08}


def test_weights_are_small(shipped):
    assert (shipped[0] / "model.onnx").stat().st_size < 6_000_000
