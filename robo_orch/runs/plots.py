# SPDX-License-Identifier: Apache-2.0
"""Line charts over time as plotly figures, in plain data: what draws them is in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from robo_orch.types import Array

#: Points of a series at most; longer ones are thinned out (chosen: each tick of a run of 80 s at 50 Hz).
POINTS = 4000
#: Decimals that are kept of a value: 0.1 mrad, 0.1 mm.
DECIMALS = 4
#: Letters of a band's label at most, so that neighbours do not overlap (chosen).
LABEL = 26


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of time (s) that is shaded, with a label."""

    start: float
    end: float
    label: str


def figure(times: Array, series: Mapping[str, Array], unit: str, bands: Sequence[Band] = ()) -> dict[str, Any]:
    """A plotly figure of several series over time.

    Args:
        times: ``(T,)`` s, rising.
        series: values ``(T,)`` by name.
        unit: of the values.
        bands: stretches to shade.

    Returns:
        ``data`` and ``layout``, ready for JSON; plotly's own mark-up in names and labels is escaped.
    """
    keep = _thinned(len(times))
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "lines",
                "name": escape(name),
                "x": np.round(times[keep], DECIMALS).tolist(),
                "y": np.round(np.asarray(values)[keep], DECIMALS).tolist(),
            }
            for name, values in series.items()
        ],
        "layout": {
            "height": 280,
            "margin": {"l": 56, "r": 8, "t": 20, "b": 36},
            "hovermode": "x unified",
            "showlegend": True,
            "legend": {"orientation": "h", "y": -0.16},
            "xaxis": {"ticksuffix": " s"},
            "yaxis": {"title": {"text": unit}},
            "shapes": [_shaded(band, i) for i, band in enumerate(bands)],
        },
    }


def _thinned(n: int) -> Array:
    """Indices of the points that are drawn, both ends among them."""
    return np.unique(np.append(np.arange(0, n, max(1, -(-n // POINTS))), n - 1))


def _shaded(band: Band, index: int) -> dict[str, Any]:
    text = band.label if len(band.label) <= LABEL else band.label[: LABEL - 1].rstrip() + "…"
    return {
        "type": "rect",
        "layer": "below",
        "yref": "paper",
        "x0": band.start,
        "x1": band.end,
        "y0": 0,
        "y1": 1,
        "line": {"width": 0},
        "opacity": 0.13 if index % 2 else 0.06,
        "label": {"text": escape(text), "textposition": "top left", "font": {"size": 10}},
    }
