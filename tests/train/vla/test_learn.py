# SPDX-License-Identifier: Apache-2.0
"""Training runs on a handful of frames, gets better, and goes on where it was cut off."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'robo_orch[train]'")

import torch

from robo_orch.train.vla.data import Frames, committed
from robo_orch.train.vla.learn import How, Training, forward, losses
from robo_orch.train.vla.model import CHUNK, Ground
from robo_orch.train.vla.recipe import recipe_of
from robo_orch.train.vla.run import eyes_of

EYES = eyes_of(recipe_of("vla/pick-place-v1"))


def written(folder, n=24):
    rng = np.random.default_rng(0)
    points = rng.uniform(0.1, 0.9, (n, 4, 2, 2, 3)).astype(np.float32)
    points[..., 2] = 1.0
    np.savez(
        folder / "frames-0-0000.npz",
        image_side=rng.integers(0, 255, (n, 88, 80, 3), dtype=np.uint8),
        image_wrist=rng.integers(0, 255, (n, 96, 96, 3), dtype=np.uint8),
        state=rng.normal(size=(n, 18)).astype(np.float32),
        text=rng.choice(["put the cube on the tray", "put the can in the bin"], (n, 4)),
        chunk=rng.uniform(-0.03, 0.03, (n, 4, CHUNK, 7)).astype(np.float32),
        points=points,
        where=rng.uniform(-0.3, 0.3, (n, 4, 10)).astype(np.float32),
        done=rng.integers(0, 2, (n, 4)).astype(np.float32),
    )


@pytest.fixture
def frames(tmp_path):
    written(tmp_path)
    table = {"put the cube on the tray": 1.0, "put the can in the bin": -1.0}
    found = Frames(tmp_path, ("side", "wrist"), lambda text: np.full(384, 0.05 * table[text], np.float32))
    found.refresh()
    return found


def total(network, frames):
    with torch.no_grad():
        told, aim = forward(network, frames.batch(24, np.random.default_rng(1)), None)
        return float(sum(losses(told, *aim).values()))


def test_a_few_steps_bring_the_loss_down(frames, tmp_path):
    training = Training(frames, EYES, 0, tmp_path / "run", How(seconds=600.0, batch=8))
    before = total(training.network, frames)
    training.run(steps=12)
    assert total(training.network, frames) < before


def test_training_goes_on_where_it_was_cut_off(frames, tmp_path):
    first = Training(frames, EYES, 0, tmp_path / "run", How(seconds=600.0, batch=4))
    first.run(steps=2)
    again = Training(frames, EYES, 0, tmp_path / "run", How(seconds=600.0, batch=4))
    assert again.step == 2 and again.spent == first.spent
    assert all(torch.equal(a, b) for a, b in zip(first.average.parameters(), again.average.parameters(), strict=True))


def test_texts_are_embedded_once(frames, tmp_path):
    def never(text):
        raise AssertionError(text)

    again = Frames(tmp_path, ("side", "wrist"), never)
    again.refresh()
    assert len(again) == 24


def test_instructions_share_the_features_and_not_the_answer(frames, tmp_path):
    training = Training(frames, EYES, 0, tmp_path / "run", How(batch=4))
    batch = frames.batch(6, np.random.default_rng(2))
    told, _ = forward(training.network, batch, None)
    chunk = told.chunk.unflatten(0, (6, 4))
    different = (batch.text[:, 0] != batch.text[:, 1]).any(dim=1)
    assert bool(((chunk[:, 0] - chunk[:, 1]).abs().amax(dim=(1, 2)) > 0)[different].all())


def test_prefixes_are_the_first_actions_and_zero_beyond():
    chunk = torch.ones(200, CHUNK, 7)
    prefix, length = committed(chunk, torch.Generator().manual_seed(0))
    for rows, n in zip(prefix, length.tolist(), strict=True):
        assert bool((rows[n:] == 0).all()) and bool((rows[:n] > 0.9).all())
    assert 0 < int((length > 0).sum()) < 200


def test_places_in_a_picture_are_told_as_places_on_the_table():
    carried = next(eye for eye in EYES if eye.carried)
    down = torch.tensor([0.5, -0.1, 0.4, 1.0, 0.0, 0.0, 0.0, -1.0, 0.0] + [0.0] * 9)[None]  # the tool's x is the base's
    left, right = (Ground(carried)(torch.tensor([[[[u, 0.5]]]]), down)[0, 0, 0] for u in (0.1, 0.9))
    assert abs(float(left[0] - right[0])) < 0.02  # across the picture is along y
    assert float((left - right).norm()) > 0.2
