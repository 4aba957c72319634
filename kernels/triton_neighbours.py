# SPDX-License-Identifier: Apache-2.0
"""The Triton kernel beside ``robo_orch.kernels.neighbours``: the best of each block of points, then the host's ranking.

This module exists for Triton: it imports it and torch. With ``TRITON_INTERPRET=1`` set before, it runs on a CPU.
"""

from __future__ import annotations

import numpy as np
import torch
import triton
import triton.language as tl

from robo_orch.errors import ModelError
from robo_orch.kernels.neighbours import Metric

#: Points that one program looks at (chosen: their scores fit into the registers of one program).
BLOCK = 1024
#: Kept beyond k, so that float32 rounding at the edge of a block hides none of the k (chosen).
SPARE = 4


@triton.jit
def _kernel(
    points, queries, numbers, n, d, blocks, kept,
    L2: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One program: one query, BLOCK points; writes the numbers of the ``kept`` best, on a tie the lower first."""
    block, query = tl.program_id(0), tl.program_id(1).to(tl.int64)
    point = block * BLOCK + tl.arange(0, BLOCK)
    alive = point < n
    score = tl.zeros([BLOCK], tl.float32)
    for i in range(d):
        p = tl.load(points + point.to(tl.int64) * d + i, mask=alive, other=0.0)
        q = tl.load(queries + query * d + i)
        if L2:
            score += (p - q) * (p - q)
        else:
            score -= p * q
    score = tl.where(alive, score, float("inf"))
    for slot in range(kept):
        best = tl.argmin(score, axis=0)
        tl.store(numbers + (query * blocks + block) * kept + slot, block * BLOCK + best)
        score = tl.where(tl.arange(0, BLOCK) == best, float("inf"), score)


class Blocks:
    """Candidates by one program for each query and block of points.

    Args:
        points: (n, d) float32; for the cosine of length 1.
        metric: what near means.
        device: by its name in torch.

    Raises:
        ModelError: the device is not there.
    """

    def __init__(self, points: np.ndarray, metric: Metric, device: str) -> None:
        if device.startswith("cuda") and not torch.cuda.is_available():
            raise ModelError("a CUDA device", "none that torch can use", "leave device out, or say device='cpu'")
        self._points = torch.from_numpy(points).to(device)
        self._l2 = metric is Metric.L2

    def __call__(self, queries: np.ndarray, k: int) -> list[np.ndarray]:
        """By query, the numbers of points among which the ``k`` nearest are, ascending."""
        n, d = self._points.shape
        kept, blocks = min(k + SPARE, BLOCK), triton.cdiv(n, BLOCK)
        numbers = torch.empty((len(queries), blocks, kept), dtype=torch.int32, device=self._points.device)
        given = torch.from_numpy(queries).to(self._points.device)
        _kernel[(blocks, len(queries))](
            self._points, given, numbers, n, d, blocks, kept, L2=self._l2, BLOCK=BLOCK
        )  # fmt: skip
        found = numbers.reshape(len(queries), -1).cpu().numpy()
        return [np.unique(row[row < n]).astype(np.int64) for row in found]
