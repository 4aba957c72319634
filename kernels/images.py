# SPDX-License-Identifier: Apache-2.0
"""From camera pictures to what a network takes: cut, resized, scaled, normalised.

::

    v[y, x] = Σ_i Σ_j  wy[y, i] wx[x, j] picture[sy[y] + i, sx[x] + j]      # cut and resize: a few taps an axis
    v[y, x] = pad                                                           # outside of a letterboxed picture
    out     = (scale v - mean) / std                                        # per channel

The taps of both filters are worked out once for a size, here; numpy and the Triton kernel only apply them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from robo_orch.errors import ModelError

Floats3 = tuple[float, float, float]


class Fit(StrEnum):
    """What to do where the picture's aspect is another than the network's."""

    STRETCH = "stretch"
    CROP = "crop"  # the largest part of the right aspect around the centre
    LETTERBOX = "letterbox"  # the whole picture, padded on two sides


class Filter(StrEnum):
    """How a pixel is made from those around it."""

    #: Between the two nearest, pixel centres at half numbers, edges repeated; for making larger or a little smaller.
    BILINEAR = "bilinear"
    #: The mean over the area that the pixel covers; for making smaller without aliasing.
    AREA = "area"


class Layout(StrEnum):
    """The order of axes in the result."""

    NCHW = "nchw"
    NHWC = "nhwc"


@dataclass(frozen=True, slots=True)
class Preparation:
    """What a network wants of pictures.

    Attributes:
        size: (height, width) of the result, px.
        mean, std: by channel, after ``scale``.
        scale: factor on pixel values of 0 to 255.
        pad: pixel value around a letterboxed picture, 0 to 255.

    Raises:
        ModelError: a size below 1, or a std that is not above 0.
    """

    size: tuple[int, int]
    fit: Fit = Fit.STRETCH
    filter: Filter = Filter.AREA
    layout: Layout = Layout.NCHW
    scale: float = 1.0 / 255.0
    mean: Floats3 = (0.0, 0.0, 0.0)
    std: Floats3 = (1.0, 1.0, 1.0)
    pad: float = 0.0

    def __post_init__(self) -> None:
        if min(self.size) < 1:
            raise ModelError("a size of at least 1 x 1", f"{self.size}", "give (height, width) in pixels")
        if len(self.mean) != 3 or len(self.std) != 3 or not all(value > 0.0 for value in self.std):
            got = f"mean {self.mean}, std {self.std}"
            raise ModelError("mean and std of three channels, std above 0", got, "take those of the training data")


@dataclass(frozen=True, slots=True, eq=False)
class Taps:
    """One axis of a resize: result i is the sum over k of ``weights[i, k] * pixel[first[i] + k]``.

    Attributes:
        first: (n,) int32; -1 where the result lies outside of the picture.
        weights: (n, K) float32, rows sum to 1 inside and are 0 outside. All taps lie within the picture.
    """

    first: np.ndarray
    weights: np.ndarray

    @property
    def plain(self) -> bool:
        """Whether the axis is only cut: one tap, one pixel after the other, nothing outside."""
        return self.weights.shape[1] == 1 and bool(self.first[0] >= 0) and bool((np.diff(self.first) == 1).all())


def prepare(images: np.ndarray, preparation: Preparation) -> np.ndarray:
    """Pictures as a network takes them: the numpy reference, and the way without a GPU.

    Args:
        images: (n, h, w, 3) uint8.
        preparation: what the network wants.

    Returns:
        float32, (n, 3, height, width) or (n, height, width, 3), contiguous.

    Raises:
        ModelError: images of another shape or dtype.
    """
    check_images(images)
    rows, columns = taps(preparation, images.shape[1], images.shape[2])
    values = _along(_along(images, rows, 1), columns, 2)
    outside = (rows.first < 0)[:, None] | (columns.first < 0)
    if outside.any():
        values[:, outside] = preparation.pad
    gain, offset = affine(preparation)
    values = values * gain + offset
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2) if preparation.layout is Layout.NCHW else values)


def check_images(images: np.ndarray) -> None:
    """Refuse what are no pictures.

    Raises:
        ModelError: another shape or dtype.
    """
    if images.ndim != 4 or images.shape[3] != 3 or 0 in images.shape or images.dtype != np.uint8:
        got = f"{images.dtype} {list(images.shape)}"
        raise ModelError("pictures (n, h, w, 3) of uint8", got, "stack them along a first axis, RGB last")


def affine(preparation: Preparation) -> tuple[np.ndarray, np.ndarray]:
    """Scaling and normalisation as one factor and one summand by channel, (3,) float32 each."""
    mean, std = np.array(preparation.mean), np.array(preparation.std)
    return (preparation.scale / std).astype(np.float32), (-mean / std).astype(np.float32)


@lru_cache(maxsize=64)
def taps(preparation: Preparation, height: int, width: int) -> tuple[Taps, Taps]:
    """The taps along rows and along columns for pictures of a size, px."""
    out_h, out_w = preparation.size
    if preparation.fit is Fit.CROP:
        cut_h = min(height, max(1, round(width * out_h / out_w)))
        cut_w = min(width, max(1, round(height * out_w / out_h)))
    else:
        cut_h, cut_w = height, width
    in_h, in_w = out_h, out_w
    if preparation.fit is Fit.LETTERBOX:
        in_h = min(out_h, max(1, round(height * out_w / width)))
        in_w = min(out_w, max(1, round(width * out_h / height)))
    make = _area if preparation.filter is Filter.AREA else _bilinear
    return (
        _padded(make((height - cut_h) // 2, cut_h, in_h), out_h),
        _padded(make((width - cut_w) // 2, cut_w, in_w), out_w),
    )


def _bilinear(start: int, cut: int, out: int) -> Taps:
    """Two taps about (i + 1/2) cut / out - 1/2; the cut's edge pixels are repeated."""
    centre = np.clip((np.arange(out) + 0.5) * cut / out - 0.5, 0.0, cut - 1.0)
    if cut == out or cut == 1:
        return Taps((start + np.rint(centre)).astype(np.int32), np.ones((out, 1), np.float32))
    first = np.minimum(np.floor(centre).astype(np.int32), cut - 2)
    part = centre - first
    return Taps((start + first).astype(np.int32), np.stack([1.0 - part, part], axis=1).astype(np.float32))


def _area(start: int, cut: int, out: int) -> Taps:
    """Each pixel counts by its share of [i, i + 1) cut / out."""
    low = np.arange(out) * cut / out
    high = low + cut / out
    n = min(cut, int(np.max(np.ceil(high - 1e-9) - np.floor(low + 1e-9))))
    first = np.minimum(np.floor(low + 1e-9).astype(np.int32), cut - n)
    pixel = first[:, None] + np.arange(n)
    shares = np.clip(np.minimum(high[:, None], pixel + 1) - np.maximum(low[:, None], pixel), 0.0, None)
    weights = shares / shares.sum(axis=1, keepdims=True)
    return Taps((start + first).astype(np.int32), weights.astype(np.float32))


def _padded(axis: Taps, out: int) -> Taps:
    """The same in the middle of a longer axis."""
    before = (out - len(axis.first)) // 2
    around = (before, out - len(axis.first) - before)
    return Taps(np.pad(axis.first, around, constant_values=-1), np.pad(axis.weights, (around, (0, 0))))


def _along(values: np.ndarray, axis_taps: Taps, axis: int) -> np.ndarray:
    """One axis cut and resized; float32."""
    first, weights = axis_taps.first, axis_taps.weights
    if axis_taps.plain:
        part = slice(int(first[0]), int(first[0]) + len(first))
        return values[(slice(None),) * axis + (part,)].astype(np.float32)
    shape = [1] * values.ndim
    shape[axis] = len(first)
    inside = np.maximum(first, 0)
    result = np.zeros((), np.float32)
    for k in range(weights.shape[1]):
        result = result + np.take(values, inside + k, axis=axis) * weights[:, k].reshape(shape)
    return result
