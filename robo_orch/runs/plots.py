# SPDX-License-Identifier: Apache-2.0
"""Line charts as inline SVG: a report needs a few, and stays small and readable without JavaScript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from robo_orch.types import Array

WIDTH, HEIGHT = 900, 240
LEFT, RIGHT, TOP, BOTTOM = 52, 8, 8, 26
#: More points than this are thinned out: a chart is not wider than that.
POINTS = 450


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of time (s) that is shaded, with a label."""

    start: float
    end: float
    label: str


def chart(times: Array, series: Mapping[str, Array], unit: str, bands: Sequence[Band] = ()) -> str:
    """An SVG of several series over time.

    Args:
        times: ``(T,)`` s, rising.
        series: values ``(T,)`` by name; colours are the style sheet's ``.s0``, ``.s1`` … in that order.
        unit: of the values.
        bands: stretches to shade.

    Returns:
        The ``<svg>`` element; empty where there is nothing to draw.
    """
    if len(times) < 2 or not series:
        return ""
    axes = _Axes.around(times, np.stack(list(series.values())))
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" class="chart" role="img">']
    parts += [_band(axes, band, i) for i, band in enumerate(bands)]
    parts += _grid(axes, unit)
    parts += [_line(axes, times, values, name, i) for i, (name, values) in enumerate(series.items())]
    return "".join([*parts, "</svg>"])


@dataclass(frozen=True, slots=True)
class _Axes:
    t0: float
    t1: float
    low: float
    high: float

    @classmethod
    def around(cls, times: Array, values: Array) -> _Axes:
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        margin = 0.06 * (high - low) or 0.5
        return cls(float(times[0]), float(times[-1]), low - margin, high + margin)

    def x(self, t: float) -> float:
        share = (min(max(t, self.t0), self.t1) - self.t0) / (self.t1 - self.t0)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)


def _line(axes: _Axes, times: Array, values: Array, name: str, index: int) -> str:
    stride = max(1, len(times) // POINTS)
    keep = np.unique(np.append(np.arange(0, len(times), stride), len(times) - 1))
    points = " ".join(f"{axes.x(t):.1f},{axes.y(v):.1f}" for t, v in zip(times[keep], values[keep], strict=True))
    return f'<polyline class="s{index}" points="{points}"><title>{escape(name)}</title></polyline>'


def _band(axes: _Axes, band: Band, index: int) -> str:
    x0, x1 = axes.x(band.start), axes.x(band.end)
    height = HEIGHT - TOP - BOTTOM
    shape = f'<rect class="band b{index % 2}" x="{x0:.1f}" y="{TOP}" width="{x1 - x0:.1f}" height="{height}">'
    return f"{shape}<title>{escape(band.label)}</title></rect>"


def _grid(axes: _Axes, unit: str) -> list[str]:
    parts = []
    for value in _ticks(axes.low, axes.high, 5):
        y = axes.y(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for t in _ticks(axes.t0, axes.t1, 9):
        parts.append(f'<text x="{axes.x(t):.1f}" y="{HEIGHT - 8}" text-anchor="middle">{t:g} s</text>')
    return [*parts, f'<text x="2" y="{TOP + 10}">{escape(unit)}</text>']


def _ticks(low: float, high: float, about: int) -> list[float]:
    """Round numbers (1, 2 or 5 times a power of ten apart) within ``[low, high]``."""
    raw = (high - low) / about
    power = 10.0 ** np.floor(np.log10(raw))
    step = next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= raw)
    return [round(float(n * step), 10) for n in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]
