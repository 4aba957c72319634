# SPDX-License-Identifier: Apache-2.0
"""Pictures of the simulated world, drawn off screen."""

from __future__ import annotations

import atexit

import mujoco
import numpy as np
from numpy.typing import NDArray

from robo_orch.errors import RenderError, unknown
from robo_orch.sim.gl import new_context
from robo_orch.sim.mujoco.look import MAX_HEIGHT, MAX_WIDTH


class Renderer:
    """Draws one model; the GL context is made with the renderer and belongs to the thread that made it.

    ``plain`` leaves out shadows and smoothing, which without a GPU take five sixths of the time.

    Raises:
        RenderError: no GL backend works here.
    """

    def __init__(self, model: mujoco.MjModel, plain: bool = False) -> None:
        self._model = model
        self._gl = new_context(MAX_WIDTH, MAX_HEIGHT)
        self._gl.make_current()
        samples = model.vis.quality.offsamples
        model.vis.quality.offsamples = 0 if plain else samples
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_150.value)
        model.vis.quality.offsamples = samples
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        self._scene = mujoco.MjvScene(model, maxgeom=2000)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW.value] = not plain
        self._option = mujoco.MjvOption()
        self._perturb = mujoco.MjvPerturb()
        atexit.register(self.close)  # before the GL library takes its display down

    def draw(self, data: mujoco.MjData, camera: str, width: int, height: int) -> NDArray[np.uint8]:
        """An image ``(height, width, 3)`` of ``data`` as last computed by ``mj_forward`` or a step.

        Raises:
            RenderError: no such camera, or an image larger than the frame buffer.
        """
        names = [self._model.camera(i).name for i in range(self._model.ncam)]
        if camera not in names:
            raise unknown(RenderError, "a camera", camera, names)
        if not (0 < width <= MAX_WIDTH and 0 < height <= MAX_HEIGHT):
            raise RenderError(f"an image of at most {MAX_WIDTH} x {MAX_HEIGHT}", f"{width} x {height}", "ask for less")
        self._gl.make_current()
        view = mujoco.MjvCamera()
        view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        view.fixedcamid = names.index(camera)
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self._model, data, self._option, self._perturb, view, everything, self._scene)
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
