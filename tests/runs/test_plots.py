# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.runs.plots import HEIGHT, POINTS, WIDTH, Band, chart

finite = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(st.lists(finite, min_size=2, max_size=40), st.floats(0.01, 100))
def test_every_point_lies_within_the_picture(values, period):
    times = np.arange(len(values)) * period
    svg = ET.fromstring(chart(times, {"a": np.array(values)}, "rad", [Band(-5.0, 1e9, "<all>")]))
    (line,) = svg.findall("polyline")
    points = np.array([[float(v) for v in point.split(",")] for point in line.get("points").split()])
    assert (points >= 0).all()
    assert (points <= (WIDTH, HEIGHT)).all()
    assert len(svg.findall("text")) >= 3


def test_long_series_are_thinned_and_keep_their_ends():
    times = np.linspace(0.0, 100.0, 50_000)
    svg = ET.fromstring(chart(times, {"a": times}, "m"))
    points = svg.find("polyline").get("points").split()
    assert len(points) <= POINTS + POINTS // 2
    xs = [float(p.split(",")[0]) for p in (points[0], points[-1])]
    assert xs[0] < xs[1]


def test_names_are_escaped():
    svg = chart(np.array([0.0, 1.0]), {"<b>": np.zeros(2)}, "&", [Band(0.0, 1.0, "<i>")])
    assert "<b>" not in svg
    assert "<i>" not in svg
    ET.fromstring(svg)


def test_nothing_to_draw_is_nothing():
    assert chart(np.array([0.0]), {"a": np.zeros(1)}, "m") == ""
    assert chart(np.array([0.0, 1.0]), {}, "m") == ""
