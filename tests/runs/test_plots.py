# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import numpy as np
import plotly.graph_objects as go
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.runs.plots import DECIMALS, LABEL, POINTS, Band, figure

finite = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(st.lists(finite, min_size=1, max_size=40), st.floats(0.01, 100), st.text(max_size=60))
def test_plotly_takes_every_figure_and_finds_the_values_in_it(values, period, label):
    times = np.arange(len(values)) * period
    made = figure(times, {"a": np.array(values)}, "rad", [Band(0.0, 1.0, label)])
    drawn = go.Figure(json.loads(json.dumps(made)))  # raises on what plotly does not know
    np.testing.assert_allclose(drawn.data[0].y, values, atol=10**-DECIMALS)
    np.testing.assert_allclose(drawn.data[0].x, times, atol=10**-DECIMALS)
    assert drawn.layout.yaxis.title.text == "rad"


@given(st.integers(1, 3 * POINTS))
def test_long_series_are_thinned_and_keep_their_ends(n):
    times = np.arange(n, dtype=float)
    (line,) = figure(times, {"a": times}, "m")["data"]
    assert len(line["x"]) <= POINTS + 1
    assert (line["x"][0], line["x"][-1]) == (0.0, n - 1.0)
    if n <= POINTS:
        assert len(line["x"]) == n


def test_names_and_labels_are_no_mark_up():
    made = figure(np.array([0.0, 1.0]), {"<b>": np.zeros(2)}, "m", [Band(0.0, 1.0, "<a href='x'>")])
    assert made["data"][0]["name"] == "&lt;b&gt;"
    assert "<" not in made["layout"]["shapes"][0]["label"]["text"]


def test_a_long_label_is_cut():
    (shape,) = figure(np.zeros(1), {"a": np.zeros(1)}, "m", [Band(0.0, 1.0, "x" * 100)])["layout"]["shapes"]
    assert shape["label"]["text"] == "x" * (LABEL - 1) + "…"
