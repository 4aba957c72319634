# SPDX-License-Identifier: Apache-2.0
"""The whole way from a recipe to a card with weights, for a few steps."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")
pytest.importorskip("onnxscript")

import torch

from robo_orch.kernels.session import Session
from robo_orch.policies.card import load_card
from robo_orch.policies.registry import SHIPPED
from robo_orch.train.imitate import ImitatingSAC
from robo_orch.train.recipe import load_recipe
from robo_orch.train.rl import learn
from robo_orch.train.ship import choose, ship

FEW = {"demonstrations": 1, "corrections": 1, "rounds": 1, "clone": 20, "judge": 5, "episodes": 1, "evaluate": 20}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    folder = tmp_path_factory.mktemp("press")
    recipe = load_recipe(SHIPPED / "rl" / "press" / "recipe.yaml")
    few = recipe.learner.model_copy(update=FEW)
    recipe = recipe.model_copy(update={"learner": few, "layouts": 1, "time_limit": 2.0})
    learned = learn(recipe, 0, folder, steps=20)
    return folder, recipe, learned, ship(recipe, learned, 0, folder)


def test_a_run_leaves_weights_a_report_and_a_card_that_loads(shipped):
    folder, recipe, learned, report = shipped
    card = load_card(folder / f"{folder.name}.card.yaml")
    assert card.id == recipe.card["id"]
    (told,) = card.observation.values()
    assert len(told.low) == len(told.high) == learned.seen.shape[1]
    assert (folder / "model.onnx").read_bytes() == (folder / "runs" / "seed-0.onnx").read_bytes()
    assert (folder / "golden.npz").read_bytes() == (folder / "runs" / "seed-0.npz").read_bytes()
    assert report["parity"]["max_abs_difference"]["action"] <= 1e-4 and report["parity"]["batches"] == [1, 2, 7]
    assert report["command"] == "robo-orch train rl/press-v1 --seed 0"
    assert [e["step"] for e in report["evaluations"]] == [0, 20]


def test_the_model_gives_actions_within_the_recipes_range(shipped):
    folder, recipe, learned, _ = shipped
    rows = Session.load(folder / "model.onnx").run({"state": learned.seen[:7].astype(np.float32)})["action"]
    edge = np.array(recipe.scale) + 1e-6
    assert rows.shape == (7, 4) and (np.abs(rows - np.array(recipe.offset)) <= edge).all()


def test_of_several_runs_the_one_that_did_best_is_the_cards(shipped):
    folder, recipe, *_ = shipped
    runs = folder / "runs"
    better = json.loads((runs / "seed-0.json").read_text()) | {"seed": 1, "score": 2.0, "command": "the second"}
    (runs / "seed-1.json").write_text(json.dumps(better))
    for kind in ("onnx", "npz"):
        (runs / f"seed-1.{kind}").write_bytes((runs / f"seed-0.{kind}").read_bytes())
    choose(recipe, folder)
    assert "the second" in (folder / f"{folder.name}.card.yaml").read_text()


def test_an_actor_that_only_imitates_comes_near_what_it_was_shown(shipped):
    assert shipped
    model = ImitatingSAC("MlpPolicy", "Pendulum-v1", device="cpu", seed=0)
    states = torch.randn(64, 3)
    model.shown = states, torch.tanh(states[:, :1])
    before = model._unlike().item()
    model.imitate(200)
    assert model._unlike().item() < 0.2 * before
