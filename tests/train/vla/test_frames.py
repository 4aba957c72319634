# SPDX-License-Identifier: Apache-2.0
"""Frames are made as they are meant to be: pictures, numbers and labels agree with one another."""

from itertools import islice

import mujoco
import numpy as np
import pytest

from robo_orch.robots.lens import Lens
from robo_orch.sim.gl import gl_backend
from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.train.vla.expert import Hand
from robo_orch.train.vla.frames import frames, laid_out
from robo_orch.train.vla.recipe import recipe_of
from robo_orch.train.vla.shards import INSTRUCTIONS, Shard
from robo_orch.train.vla.stage import Stage, scattered

gl = pytest.mark.gl
needs_gl = pytest.mark.skipif(gl_backend().backend is None, reason=f"no GL: {gl_backend().message}")


@pytest.fixture(scope="module")
def recipe():
    return recipe_of("vla/pick-place-v1")


@pytest.fixture(scope="module")
def some(recipe):
    return list(islice(frames(recipe.views, recipe.train_seeds(), 0), 12))


@gl
@needs_gl
def test_frames_have_the_shapes_that_they_should(some, recipe):
    for frame in some:
        for view in recipe.views:
            assert frame[f"image_{view.camera}"].shape == (view.window[3], view.window[2], 3)
        assert frame["state"].shape == (18,) and np.isfinite(frame["state"]).all()
        assert frame["chunk"].shape == (INSTRUCTIONS, 10, 7) and np.isfinite(frame["chunk"]).all()
        assert frame["points"].shape == (INSTRUCTIONS, len(recipe.views), 2, 3)


@gl
@needs_gl
def test_tool_in_state_and_ways_agree(some):
    for frame in some:
        held = frame["where"][:, 8] > 0.5
        assert held.all() or not held.any()  # one hand, whatever is asked for


@gl
@needs_gl
def test_shard_is_read_as_it_was_written(some, tmp_path):
    shard = Shard()
    for frame in some:
        shard.add(frame)
    shard.save(tmp_path / "frames-0-0000.npz")
    with np.load(tmp_path / "frames-0-0000.npz") as read:
        assert np.array_equal(read["image_wrist"][3], some[3]["image_wrist"])
        assert list(read["text"][5]) == list(some[5]["text"])
    assert [p.name for p in tmp_path.iterdir()] == ["frames-0-0000.npz"]


@pytest.mark.parametrize("camera", ["side", "wrist"])
def test_lens_sees_points_where_the_simulator_draws_them(camera):
    layout = lay_out(load_scene("kitchen"), 100000)
    stage = Stage(layout)
    stage.pose(Hand(np.array([0.5, -0.1, 0.4]), 0.3, np.zeros(2), 0.08), {})
    model, data = stage.world._model, stage.world._data
    eye, point = model.camera(camera).id, np.array([0.5, -0.2, 0.03])
    right, up, back = data.cam_xmat[eye].reshape(3, 3).T @ (point - data.cam_xpos[eye])
    focal = 48.0 / np.tan(0.5 * np.radians(model.cam_fovy[eye]))
    wanted = [48.0 - focal * right / back, 48.0 + focal * up / back]
    seen = Lens(layout.cameras[camera], (96, 96)).project(point[None], stage.mount(camera))[0]
    assert seen[:2] == pytest.approx(wanted, abs=0.05)
    assert isinstance(model, mujoco.MjModel)


def test_scattered_objects_keep_apart_and_stand():
    scene, rng = load_scene("kitchen"), np.random.default_rng(3)
    layout = lay_out(scene, 100002)
    poses = scattered(layout, scene, rng)
    assert all(scene.area.holds(p.position[None, :2])[0] for p in poses.values())
    again = scattered(layout, scene, rng)
    assert any(not np.allclose(poses[n].position, again[n].position) for n in poses)


def test_layouts_never_show_what_is_held_out():
    scene, rng = load_scene("kitchen"), np.random.default_rng(0)
    for seed in range(100000, 100010):
        layout = laid_out(scene, seed, rng)
        free = [o for o in layout.inventory.values() if not o.fixed and o.joint is None and o.colour]
        assert all(scene.sets.allows(seed, (o.kind, o.colour)) for o in free)
