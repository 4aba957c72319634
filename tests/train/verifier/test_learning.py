# SPDX-License-Identifier: Apache-2.0
"""A few steps of everything: situations, training, calibration, export; and what is shipped can be loaded."""

import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'robo_orch[train]'")
pytest.importorskip("onnxscript", reason="onnxscript is not installed: pip install 'robo_orch[train]'")

import torch

from robo_orch.sim.gl import gl_backend
from robo_orch.train.run import train
from robo_orch.train.verifier.learn import Training
from robo_orch.train.verifier.model import STATISTICS, likeness, summary
from robo_orch.train.verifier.recipe import load_recipe
from robo_orch.train.verifier.ship import lines
from robo_orch.verification.classifier import Classifier, described
from robo_orch.verification.question import NUMBERS


def made(n=48):
    """Rows in which the object's red is in the middle if it is done, and at the side if not."""
    rng = np.random.default_rng(0)
    done = (np.arange(n) % 2).astype(np.float32)
    looks = {}
    for name, view in load_recipe().views.items():
        width, height = view.crop
        look = rng.integers(90, 130, (n, 4, height, width)).astype(np.uint8)
        for i in range(n):
            at = width // 2 if done[i] else 4
            look[i, :3, height // 2 - 4 : height // 2 + 4, at - 4 : at + 4] = np.array([200, 30, 30])[:, None, None]
        looks[name] = look
    numbers = rng.normal(size=(n, NUMBERS)).astype(np.float32)
    numbers[:, :3] = numbers[:, 3:6] = (0.8, 0.13, 0.12)
    points = np.full((n, 3, 3), 0.5, np.float32)
    rest = {"done": done, "progress": done * 0.9, "miss": np.zeros((n, 2), np.float32), "points": points}
    return {**looks, "numbers": numbers, **rest}


def test_a_few_steps_bring_the_loss_down_and_go_on_where_they_were_cut_off(tmp_path):
    recipe = load_recipe().model_copy(update={"batch": 16, "seconds": 600.0})
    training = Training(made(), made(), recipe, 0, tmp_path)
    training.run(steps=4)
    training.run(steps=25)
    curve = training.curve()
    assert curve[-1]["done"] < curve[0]["done"]
    again = Training(made(), made(), recipe, 0, tmp_path)
    assert (again.step, again.spent) == (training.step, training.spent)


def test_likeness_is_1_for_the_colour_itself_in_any_light_and_0_for_another():
    red = torch.tensor([[[0.8, 0.13, 0.12]]])
    picture = torch.stack([red[0, 0], 0.8 * red[0, 0], torch.tensor([0.1, 0.3, 0.75])])  # three pixels
    found = likeness(picture.T[None, :, None, :], red)[0, 0, 0]
    assert found[0] > 0.95 and found[1] > 0.9 and found[2] < 0.01


def test_a_summary_says_where_the_colours_are():
    rows = made(2)
    small, told = summary(torch.from_numpy(rows["side"]), torch.from_numpy(rows["numbers"]))
    assert small.shape[2:] == (12, 12) and told.shape == (2, STATISTICS)
    likely = small[:, 7].flatten(1).argmax(dim=1)  # the object's colours together
    assert likely[0] % 12 <= 1 and 5 <= likely[1] % 12 <= 6


def test_the_line_lets_at_most_the_share_asked_for_of_the_failures_through():
    probability = np.concatenate([np.linspace(0.0, 0.9, 100), np.linspace(0.6, 1.0, 100)])
    done = np.arange(200) >= 100
    above, below = lines(probability, done, 0.02)
    assert (probability[~done] >= above).mean() <= 0.02
    assert (probability[done] < below).mean() <= 0.01
    assert below <= above


@pytest.mark.gl
@pytest.mark.skipif(gl_backend().backend is None, reason=gl_backend().message)
def test_the_command_trains_a_few_steps_and_what_it_writes_can_be_loaded(tmp_path):
    report = train("verifier", 0, tmp_path / "work", tmp_path / "out", steps=3)
    assert report.keys() >= {"card", "steps", "seconds", "evaluations", "onnx", "parity"}
    assert max(report["parity"]["max_abs_difference"].values()) <= 1e-4
    assert json.loads((tmp_path / "out" / "report.json").read_text())["steps"] == 3
    about = described(tmp_path / "out")
    assert 0.0 < about.failed_below <= about.done_above < 1.0
    assert Classifier(tmp_path / "out").about == about
