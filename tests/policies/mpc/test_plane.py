# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.catalogue import make_object
from robo_orch.policies.mpc.plane import Shapes, heading
from robo_orch.types import Pose, PoseEstimate

ANGLES = st.floats(-3.0, 3.0)


def estimate(name: str, x: float, y: float, yaw: float = 0.0, sigma: float = 0.005) -> PoseEstimate:
    pose = Pose.of((x, y, 0.05), (0, 0, np.sin(yaw / 2), np.cos(yaw / 2)))
    return PoseEstimate(name, pose, np.eye(6) * sigma**2, 0.0, "test")


def shapes(*things: tuple[str, float, float, float]) -> Shapes:
    inventory = {f"{kind}{i}": make_object(kind, f"{kind}{i}") for i, (kind, *_) in enumerate(things)}
    seen = {name: estimate(name, *at) for name, (_, *at) in zip(inventory, things, strict=True)}
    return Shapes.of(inventory, seen, ())


@given(ANGLES)
def test_a_heading_is_the_angle_a_pose_was_turned_by(yaw):
    assert np.isclose(heading(Pose.of((0, 0, 0), (0, 0, np.sin(yaw / 2), np.cos(yaw / 2)))), yaw)


@given(ANGLES)
def test_round_things_are_as_far_away_from_everywhere(yaw):
    can = shapes(("can", 0.5, 0.0, 0.3))
    point = np.array([0.5 + 0.1 * np.cos(yaw), 0.1 * np.sin(yaw)])
    assert can.away(point)[0] == pytest.approx(0.1 - can.rim[0])


def test_gaps_between_rectangles_are_those_of_their_sides_and_corners():
    cube = shapes(("cube", 0.0, 0.0, 0.0))
    side = cube.half[0, 0]
    straight = cube.gaps(np.array([0.12, 0.01]), np.array(0.0), np.array([0.05, 0.03]))
    turned = cube.gaps(np.array([0.12, 0.0]), np.array(np.pi / 4), np.array([0.05, 0.05]))
    assert straight[0] == pytest.approx(0.12 - 0.05 - side)
    assert turned[0] == pytest.approx(0.12 - 0.05 * 2**0.5 - side)


@given(ANGLES, st.floats(-0.03, 0.03))
def test_what_overlaps_has_a_negative_gap(yaw, x):
    bar = shapes(("bar", 0.0, 0.0, 0.4))
    assert bar.gaps(np.array([x, 0.0]), np.array(yaw), np.array([0.075, 0.0575]))[0] < 0.0


def test_risk_grows_with_nearness_and_with_doubt():
    can = shapes(("can", 0.0, 0.0, 0.0))
    near, far = can.risks(np.array([[0.005], [0.03]]), 0.005, 0.004)
    assert 0.3 < near < 0.6
    assert far < 0.01
    assert can.risks(np.array([0.03]), 0.03, 0.004) > far


def test_what_is_known_to_stand_free_is_no_risk_as_long_as_it_does_not_come_nearer():
    can = shapes(("can", 0.0, 0.0, 0.0))
    assert can.risks(np.array([0.005]), 0.04, 0.0, np.array([0.005])) == pytest.approx(0.0)
    assert can.risks(np.array([-0.05]), 0.04, 0.0, np.array([0.005])) > 0.5


def test_only_layers_that_are_reached_count():
    plate_and_can = shapes(("plate", 0.4, 0.0, 0.0), ("can", 0.6, 0.0, 0.0))
    assert len(plate_and_can.between(0.08, 1.0).sigma) == 1
