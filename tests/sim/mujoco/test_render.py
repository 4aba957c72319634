# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from robo_orch.errors import RenderError
from robo_orch.sim import gl
from robo_orch.types import JointTarget

needs_gl = pytest.mark.skipif(gl.gl_backend().backend is None, reason=gl.gl_backend().message)


@pytest.mark.gl
@needs_gl
def test_every_camera_sees_something_of_its_own(simulation):
    images = {name: simulation.world.render(name, (96, 72)) for name in simulation.world.cameras}
    assert set(images) == {"front", "side", "wrist"}
    for image in images.values():
        assert image.shape == (72, 96, 3) and image.dtype == np.uint8
        assert image.std() > 20
    assert not np.array_equal(images["front"], images["side"])


@pytest.mark.gl
@needs_gl
def test_an_unknown_camera_is_told_with_those_there_are(simulation):
    """C22"""
    with pytest.raises(RenderError) as caught:
        simulation.world.render("top")
    assert "front, side, wrist" in caught.value.expected


@pytest.mark.gl
@needs_gl
def test_a_picture_that_is_too_large_is_refused(simulation):
    with pytest.raises(RenderError, match="at most"):
        simulation.world.render("front", (9000, 10))


@pytest.mark.gl
@needs_gl
def test_the_picture_follows_the_world(simulation):
    before = simulation.world.render("wrist", (64, 48))
    simulation.robot.command(JointTarget(simulation.world.setpoint.q + 0.03, np.zeros(7), 0.08))
    simulation.robot.tick()
    assert not np.array_equal(before, simulation.world.render("wrist", (64, 48)))


@pytest.mark.gl
@needs_gl
def test_every_quality_shows_the_same_scene_in_like_colours(simulation):
    """Small pictures go without textures, shadows and smoothing; what is where, and its colour, stays."""
    small = simulation.world.render("side", (192, 144)).astype(float)
    plain = simulation.world.render("side", (384, 288), plain=True).astype(float)
    shrunk = plain.reshape(144, 2, 192, 2, 3).mean(axis=(1, 3))
    assert np.abs(small - shrunk).mean() < 14
    assert np.abs(small.mean(axis=(0, 1)) - shrunk.mean(axis=(0, 1))).max() < 14
    nice = simulation.world.render("side", (384, 288)).astype(float)
    assert 0 < np.abs(nice - plain).mean() < 20


@pytest.mark.gl
@needs_gl
def test_pictures_repeat_and_leave_the_model_as_it_was(simulation):
    colours = simulation.world._model.mat_rgba.copy(), simulation.world._model.geom_rgba.copy()
    first = simulation.world.render("front", (96, 96))
    simulation.world.render("front", (640, 480))
    np.testing.assert_array_equal(first, simulation.world.render("front", (96, 96)))
    np.testing.assert_array_equal(colours[0], simulation.world._model.mat_rgba)
    np.testing.assert_array_equal(colours[1], simulation.world._model.geom_rgba)


@pytest.mark.gl
@needs_gl
def test_a_snapshot_is_drawn_as_it_was(simulation):
    world, robot = simulation.world, simulation.robot
    before, snapshot = world.render("front", (96, 96)), world.snapshot()
    for _ in range(10):
        robot.command(JointTarget(world.setpoint.q + 0.03, np.zeros(7), 0.08))
        robot.tick()
    assert not np.array_equal(before, world.render("front", (96, 96)))
    np.testing.assert_array_equal(before, world.render("front", (96, 96), of=snapshot))


def test_without_gl_the_world_runs_and_a_picture_is_refused_with_what_to_install(simulation, monkeypatch):
    """C64"""
    simulation.world.close()
    monkeypatch.setattr(gl, "_context_class", _no_driver)
    gl.gl_backend.cache_clear()
    try:
        simulation.robot.tick()
        with pytest.raises(RenderError) as caught:
            simulation.world.render("front")
        assert "apt-get install" in caught.value.remedy
        assert "egl: no driver" in caught.value.got
    finally:
        gl.gl_backend.cache_clear()


def _no_driver(name):
    raise ImportError("no driver\nof any kind")


@pytest.mark.parametrize("wish", ["disable", "off"])
def test_images_can_be_switched_off(monkeypatch, wish):
    monkeypatch.setenv("MUJOCO_GL", wish)
    gl.gl_backend.cache_clear()
    try:
        assert gl.gl_backend().backend is None
        assert wish in gl.gl_backend().message
    finally:
        gl.gl_backend.cache_clear()


def test_the_backend_is_chosen_by_what_is_installed(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "")
    monkeypatch.setattr(gl.ctypes.util, "find_library", lambda name: "lib" if name == "OSMesa" else None)
    assert gl.choose() == "osmesa" == os.environ["MUJOCO_GL"]
    monkeypatch.setattr(gl.ctypes.util, "find_library", lambda name: None)
    monkeypatch.setenv("MUJOCO_GL", "")
    assert gl.choose() is None and os.environ["MUJOCO_GL"] == ""


def test_state_only_simulation_imports_no_gl():
    """C64: nothing of OpenGL is loaded before the first picture."""
    code = (
        "import sys; from robo_orch.sim.build import build; s = build('kitchen', 'mujoco', 0); s.robot.tick();"
        "print([m for m in ('OpenGL', 'mujoco.egl', 'mujoco.osmesa') if m in sys.modules])"
    )
    environment = {**os.environ, "MUJOCO_GL": "disable"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == "[]"
