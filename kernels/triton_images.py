# SPDX-License-Identifier: Apache-2.0
"""The Triton kernel beside ``robo_orch.kernels.images``: one pass from uint8 pictures to normalised floats.

This module exists for Triton: it imports it and torch. With ``TRITON_INTERPRET=1`` set before, it runs on a CPU.
"""

from __future__ import annotations

from functools import lru_cache

import torch
import triton
import triton.language as tl

from robo_orch.errors import ModelError
from robo_orch.kernels.images import Layout, Preparation, affine, taps

#: Pixels of the result that one program makes (chosen: a power of two of a few warps).
BLOCK = 256


@triton.jit
def _kernel(
    images, result, first_y, weight_y, first_x, weight_x, gain, offset,
    height, width, out_height, out_width, pad,
    TAPS_Y: tl.constexpr, TAPS_X: tl.constexpr, PLANAR: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One program: BLOCK pixels of one picture, all channels."""
    image = tl.program_id(1).to(tl.int64)
    pixel = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    area = out_height * out_width
    alive = pixel < area
    y, x = pixel // out_width, pixel % out_width
    top = tl.load(first_y + y, mask=alive, other=-1)
    left = tl.load(first_x + x, mask=alive, other=-1)
    inside = alive & (top >= 0) & (left >= 0)
    base = image * height * width
    for channel in tl.static_range(3):
        value = tl.zeros([BLOCK], tl.float32)
        for i in range(TAPS_Y):
            row = tl.zeros([BLOCK], tl.float32)
            for j in range(TAPS_X):
                at = (base + (top + i) * width + left + j) * 3 + channel
                seen = tl.load(images + at, mask=inside, other=0).to(tl.float32)
                row += seen * tl.load(weight_x + x * TAPS_X + j, mask=inside, other=0.0)
            value += row * tl.load(weight_y + y * TAPS_Y + i, mask=inside, other=0.0)
        value = tl.where(inside, value, pad)
        value = value * tl.load(gain + channel) + tl.load(offset + channel)
        to = (image * 3 + channel) * area + pixel if PLANAR else (image * area + pixel) * 3 + channel
        tl.store(result + to, value, mask=alive)


def prepare(images: torch.Tensor, preparation: Preparation) -> torch.Tensor:
    """As ``images.prepare``, on the device where the pictures are.

    Args:
        images: (n, h, w, 3) uint8.
        preparation: what the network wants.

    Returns:
        float32 on the same device, (n, 3, height, width) or (n, height, width, 3).

    Raises:
        ModelError: images of another shape or dtype.
    """
    if images.ndim != 4 or images.shape[3] != 3 or 0 in images.shape or images.dtype != torch.uint8:
        got = f"{images.dtype} {list(images.shape)}"
        raise ModelError("pictures (n, h, w, 3) of uint8", got, "stack them along a first axis, RGB last")
    images = images.contiguous()
    n, height, width, _ = images.shape
    out_height, out_width = preparation.size
    planar = preparation.layout is Layout.NCHW
    shape = (n, 3, out_height, out_width) if planar else (n, out_height, out_width, 3)
    result = torch.empty(shape, dtype=torch.float32, device=images.device)
    tables = _tables(preparation, height, width, images.device)
    _kernel[(triton.cdiv(out_height * out_width, BLOCK), n)](
        images, result, *tables, height, width, out_height, out_width, float(preparation.pad),
        TAPS_Y=tables[1].shape[1], TAPS_X=tables[3].shape[1], PLANAR=planar, BLOCK=BLOCK,
    )  # fmt: skip
    return result


@lru_cache(maxsize=64)
def _tables(preparation: Preparation, height: int, width: int, device: torch.device) -> tuple[torch.Tensor, ...]:
    """Taps of rows and columns, factor and summand, on the device."""
    rows, columns = taps(preparation, height, width)
    arrays = (rows.first, rows.weights, columns.first, columns.weights, *affine(preparation))
    return tuple(torch.from_numpy(array).contiguous().to(device) for array in arrays)
