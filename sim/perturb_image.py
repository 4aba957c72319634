# SPDX-License-Identifier: Apache-2.0
"""How perturbations change pictures: blurred, partly covered, frozen."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from robo_orch.sim.perturb import FREEZE_START

#: Width at which a blur's sigma is counted, pixels.
BLUR_WIDTH = 128
#: The sheet before a camera, grey in 0..255.
SHEET = 70

Image = NDArray[np.uint8]


class Pictures:
    """Changes pictures ``(H, W, 3)`` as they are taken.

    Args:
        blur: sigma in pixels at a width of :data:`BLUR_WIDTH`.
        occluder: share of each picture that a sheet covers, at a place of its own for each camera.
        freeze: for how long from :data:`FREEZE_START` on each camera shows what it showed first then, s.
        seed: of where the sheets are.
    """

    def __init__(self, blur: float, occluder: float, freeze: float, seed: int) -> None:
        self._blur, self._occluder, self._freeze, self._seed = blur, occluder, freeze, seed
        self._frozen: dict[tuple[str, tuple[int, ...]], Image] = {}

    @property
    def change_anything(self) -> bool:
        """Whether any of it is on."""
        return bool(self._blur or self._occluder or self._freeze)

    def __call__(self, image: Image, camera: str, time: float) -> Image:
        """The picture that a camera gives at a time (s) instead of ``image``."""
        if time < FREEZE_START:
            self._frozen.clear()
        if FREEZE_START <= time < FREEZE_START + self._freeze:
            return self._frozen.setdefault((camera, image.shape), self._seen(image, camera)).copy()
        return self._seen(image, camera)

    def _seen(self, image: Image, camera: str) -> Image:
        if self._occluder:
            image = self._covered(image, camera)
        if self._blur:
            sigma = self._blur * image.shape[1] / BLUR_WIDTH
            image = gaussian_filter(image, (sigma, sigma, 0.0))
        return image

    def _covered(self, image: Image, camera: str) -> Image:
        """A sheet as large as the share wants, as high and wide relative to the picture."""
        side = np.sqrt(self._occluder)
        rng = np.random.default_rng([self._seed, zlib.crc32(camera.encode())])
        height, width = image.shape[:2]
        top, left = rng.uniform(0.0, 1.0 - side, size=2)
        covered = image.copy()
        rows = slice(round(top * height), round((top + side) * height))
        covered[rows, round(left * width) : round((left + side) * width)] = SHEET
        return covered
