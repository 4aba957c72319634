# SPDX-License-Identifier: Apache-2.0
"""What is hidden stays known, as well as it can be."""

from __future__ import annotations

import numpy as np
import pytest

from robo_orch.catalogue import furniture, make_object
from robo_orch.sim.memory import DRIFT, Memory
from robo_orch.types import Pose, PoseEstimate

PARTS = {part.name: part for part in furniture("cabinet")}
INVENTORY = {**PARTS, "red_cube": make_object("cube", "red_cube", "red"), "plate": make_object("plate", "plate")}
CABINET = Pose.of((0.6, 0.4, 0.1))
DRAWER = PARTS["drawer"]
FAR = np.array([0.0, 0.0, 1.0])


def seen(stamp, **poses):
    return {n: PoseEstimate(n, pose, np.eye(6) * 0.001**2, stamp, "test") for n, pose in poses.items()}


def drawer(value):
    return DRAWER.joint.pose(CABINET, value)


def test_what_is_not_seen_any_more_stays_where_it_was_and_says_so():
    memory = Memory(INVENTORY)
    memory.update(seen(0.1, red_cube=Pose.of((0.4, 0, 0.02))), FAR)
    for _ in range(50):
        memory.update({}, FAR)
    estimate = memory.estimates["red_cube"]
    assert not estimate.visible and estimate.stamp == 0.1
    np.testing.assert_array_equal(estimate.pose.position, (0.4, 0, 0.02))
    assert estimate.sigma == pytest.approx(0.001)
    memory.update(seen(5.0, red_cube=Pose.of((0.41, 0, 0.02))), FAR)
    assert memory.estimates["red_cube"].visible and memory.estimates["red_cube"].stamp == 5.0


def test_doubt_grows_while_the_hand_moves_near_it_and_only_then():
    memory, at = Memory(INVENTORY), Pose.of((0.4, 0, 0.02))
    memory.update(seen(0.0, red_cube=at), FAR)
    for i in range(11):
        memory.update({}, at.position + np.array([0.0, 0.05 - 0.01 * i, 0.0]))
    near = memory.estimates["red_cube"]
    way = 0.1 + np.linalg.norm(FAR - at.position - np.array([0.0, 0.05, 0.0]))
    assert near.sigma == pytest.approx(np.hypot(DRIFT[0] * way, 0.001), rel=1e-6)
    assert near.sigma_angle == pytest.approx(np.hypot(DRIFT[1] * way, 0.001), rel=1e-6)
    for hand in (at.position + np.array([0.0, -0.05, 0.0]), FAR, -FAR):  # stands still, goes, moves far away
        memory.update({}, hand)
    assert memory.estimates["red_cube"].sigma == near.sigma


def test_what_lies_in_a_drawer_that_is_shut_goes_in_with_it():
    memory = Memory(INVENTORY)
    inside = Pose.of(DRAWER.interior.centre)
    opened = seen(0.0, cabinet=CABINET, drawer=drawer(0.2), red_cube=drawer(0.2) @ inside)
    memory.update(opened, FAR)
    for i, value in enumerate(np.linspace(0.18, 0.0, 10), start=1):
        memory.update(seen(0.1 * i, cabinet=CABINET, drawer=drawer(value)), FAR)
    cube = memory.estimates["red_cube"]
    assert not cube.visible
    np.testing.assert_allclose(cube.pose.position, (drawer(0.0) @ inside).position, atol=2e-3)
    assert cube.sigma == pytest.approx(np.hypot(0.05 * 0.2, 0.001), rel=0.01)


def test_what_lies_beside_the_drawer_stays():
    memory, beside = Memory(INVENTORY), Pose.of((0.4, -0.2, 0.02))
    memory.update(seen(0.0, cabinet=CABINET, drawer=drawer(0.2), red_cube=beside), FAR)
    memory.update(seen(0.1, cabinet=CABINET, drawer=drawer(0.0)), FAR)
    np.testing.assert_array_equal(memory.estimates["red_cube"].pose.position, beside.position)


def test_the_hands_word_holds_until_a_later_frame():
    memory, left = Memory(INVENTORY), Pose.of((0.5, 0.2, 0.3))
    memory.update(seen(0.0, red_cube=Pose.of((0.4, 0, 0.02))), FAR)
    memory.put(seen(1.0, red_cube=left)["red_cube"])
    memory.update(seen(0.9, red_cube=Pose.of((0.45, 0, 0.3))), FAR)  # captured before it was let go
    np.testing.assert_array_equal(memory.estimates["red_cube"].pose.position, left.position)
    assert not memory.estimates["red_cube"].visible
    memory.update(seen(1.1, red_cube=Pose.of((0.5, 0.2, 0.02))), FAR)
    assert memory.estimates["red_cube"].visible


def test_a_copy_goes_its_own_way():
    memory = Memory(INVENTORY)
    memory.update(seen(0.0, red_cube=Pose.of((0.4, 0, 0.02))), FAR)
    other = memory.copy()
    other.update({}, FAR)
    assert memory.estimates["red_cube"].visible and not other.estimates["red_cube"].visible
