# SPDX-License-Identifier: Apache-2.0
"""Pictures of the simulated world, drawn off screen."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from robo_orch.errors import RenderError, unknown
from robo_orch.sim import gl
from robo_orch.sim.mujoco.look import MAX_HEIGHT, MAX_WIDTH


@dataclass(frozen=True, slots=True)
class Quality:
    """How a picture is drawn. Without a GPU shadows take most of the time, then vertices, then textures.

    Attributes:
        width, height: the largest picture, pixels; the frame buffer has this size, and is cleared for every picture.
        shadows: whether the scene's lights cast them; ``samples`` per pixel for smoothing, 0 for none.
        slices, quads: how finely round shapes and box faces are cut up.
        dressed: with textures and haze; else in the textures' mean colours.
    """

    width: int
    height: int
    shadows: bool
    samples: int
    slices: int
    quads: int
    dressed: bool


#: For people: reports, README.
NICE = Quality(MAX_WIDTH, MAX_HEIGHT, True, 4, 24, 4, True)
#: For films: six times faster.
PLAIN = Quality(MAX_WIDTH, MAX_HEIGHT, False, 0, 24, 4, True)
#: For policies and estimators, at the sizes that those look at: as many pictures as can be had.
SMALL = Quality(gl.SMALL, gl.SMALL, False, 0, 8, 1, False)


#: The colour of a geom that was given none.
_UNSET = np.array([0.5, 0.5, 0.5, 1.0], np.float32)


def quality_for(width: int, height: int, plain: bool) -> Quality:
    """The quality in which a picture of this size is drawn."""
    if width <= SMALL.width and height <= SMALL.height:
        return SMALL
    return PLAIN if plain else NICE


class Renderer:
    """Draws one model; the GL context is made with the renderer and belongs to the thread that made it.

    Raises:
        RenderError: no GL backend works here.
    """

    def __init__(self, model: mujoco.MjModel, quality: Quality = NICE) -> None:
        self._model, self._quality = model, quality
        self._cameras = {model.camera(i).name: i for i in range(model.ncam)}
        self._gl = gl.new_context(quality.width, quality.height)
        self._gl.make_current()
        with _visual(model, quality):
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        self._scene = mujoco.MjvScene(model, maxgeom=2000)
        self._option, self._perturb, self._view = mujoco.MjvOption(), mujoco.MjvPerturb(), mujoco.MjvCamera()
        self._view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        flags = mujoco.mjtRndFlag
        self._scene.flags[flags.mjRND_SHADOW.value] = quality.shadows
        for flag in (flags.mjRND_HAZE, flags.mjRND_REFLECTION):
            self._scene.flags[flag.value] = quality.dressed
        self._option.flags[mujoco.mjtVisFlag.mjVIS_TEXTURE.value] = quality.dressed
        self._colours = None if quality.dressed else _mean_colours(model)
        atexit.register(self.close)  # before the GL library takes its display down

    def draw(self, data: mujoco.MjData, camera: str, width: int, height: int) -> NDArray[np.uint8]:
        """An image ``(height, width, 3)`` of ``data``, whose kinematics and cameras are up to date; it is not changed.

        Raises:
            RenderError: no such camera, or an image larger than the frame buffer.
        """
        if camera not in self._cameras:
            raise unknown(RenderError, "a camera", camera, self._cameras)
        largest = self._quality
        if not (0 < width <= largest.width and 0 < height <= largest.height):
            size = f"{largest.width} x {largest.height}"
            raise RenderError(f"an image of at most {size}", f"{width} x {height}", "ask for less")
        self._gl.make_current()
        self._view.fixedcamid = self._cameras[camera]
        self._update(data)
        image = np.empty((height, width, 3), np.uint8)
        rect = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(rect, self._scene, self._context)
        mujoco.mjr_readPixels(image, None, rect, self._context)
        return np.ascontiguousarray(image[::-1])

    def close(self) -> None:
        """Give the GL context back."""
        atexit.unregister(self.close)
        self._context.free()
        self._gl.free()

    def _update(self, data: mujoco.MjData) -> None:
        model, everything = self._model, mujoco.mjtCatBit.mjCAT_ALL.value
        worn = model.mat_rgba.copy(), model.geom_rgba.copy()
        if self._colours is not None:
            model.mat_rgba[:], model.geom_rgba[:] = self._colours
        mujoco.mjv_updateScene(model, data, self._option, self._perturb, self._view, everything, self._scene)
        model.mat_rgba[:], model.geom_rgba[:] = worn


@contextmanager
def _visual(model: mujoco.MjModel, quality: Quality) -> Iterator[None]:
    """The model's visual settings as ``quality`` wants them; they count when a context is made."""
    screen, detail = model.vis.global_, model.vis.quality
    wanted = {
        "offsamples": quality.samples,
        "shadowsize": detail.shadowsize if quality.shadows else 0,
        "numslices": quality.slices,
        "numstacks": quality.slices // 2,
        "numquads": quality.quads,
    }
    before = {name: getattr(detail, name) for name in wanted}
    size = screen.offwidth, screen.offheight
    screen.offwidth, screen.offheight = quality.width, quality.height
    for name, value in wanted.items():
        setattr(detail, name, value)
    try:
        yield
    finally:
        screen.offwidth, screen.offheight = size
        for name, value in before.items():
            setattr(detail, name, value)


def _mean_colours(model: mujoco.MjModel) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Colours of materials and geoms, ``(n, 4)`` each, times their textures' mean colours."""
    materials, geoms = model.mat_rgba.copy(), model.geom_rgba.copy()
    textures = model.mat_texid[:, mujoco.mjtTextureRole.mjTEXROLE_RGB.value]
    for material in np.flatnonzero(textures >= 0):
        texture = textures[material]
        size, channels = model.tex_height[texture] * model.tex_width[texture], model.tex_nchannel[texture]
        start = model.tex_adr[texture]
        mean = model.tex_data[start : start + size * channels].reshape(size, channels)[:, :3].mean(axis=0) / 255.0
        materials[material, :3] *= mean
        own = (model.geom_rgba != _UNSET).any(axis=1)  # MuJoCo takes the material's colour where a geom has none
        geoms[own & (model.geom_matid == material), :3] *= mean
    return materials, geoms
