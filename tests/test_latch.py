# SPDX-License-Identifier: Apache-2.0
"""A button is up again when it is judged: what counts is that it was down."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.latch import Latch, Peak, WatchedRobot
from robo_orch.predicates import Facts, evaluate
from robo_orch.types import Code, Observation, Pose, Predicate, RobotState, StopMode
from robo_orch.verification import verify
from tests.scenes import estimate, house, house_poses

HOUSE = house("red_cube")
JOINT = HOUSE["button"].joint
PRESSED = Predicate("pressed", ("button",))


def seen(stamp: float, share: float, sigma: float = 0.001, error: float = 0.0) -> Observation:
    """A look at a house whose button is pressed by a share of its travel, estimated with an error (m)."""
    poses = house_poses(HOUSE, {})
    poses["button"] = JOINT.pose(poses[JOINT.parent], share * JOINT.limits[1] + error)
    state = RobotState(stamp, (), np.zeros(0), np.zeros(0), np.zeros(0), Pose.of(), 0.08)
    return Observation(stamp, state, {n: estimate(n, p, sigma, stamp) for n, p in poses.items()})


def judged(latch: Latch, now: Observation) -> bool:
    return evaluate(PRESSED, Facts.of(HOUSE, now.objects, now.state, latch.peaks)).holds


def test_a_press_is_remembered_until_the_latch_is_cleared():
    latch = Latch(HOUSE)
    for i, share in enumerate([0.0, 0.4, 1.0, 0.3, 0.0]):
        latch.see(seen(0.1 * i, share).objects)
    assert judged(latch, seen(1.0, 0.0))
    latch.clear()
    assert not judged(latch, seen(1.1, 0.0))


def test_a_touch_is_no_press():
    latch = Latch(HOUSE)
    for i in range(20):
        latch.see(seen(0.1 * i, 0.3).objects)
    assert not judged(latch, seen(3.0, 0.0))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.0005, 0.001, 0.002, 0.005]))
def test_noise_alone_hardly_ever_presses_however_long_one_looks(seed, sigma):
    errors = np.random.default_rng(seed).normal(0.0, sigma, 300)
    peak = Peak(float(errors.max()), sigma, len(errors))
    assert peak.sure < 2.0 * sigma


@given(st.integers(1, 10**6), st.floats(0, 0.02), st.floats(1e-4, 0.01))
def test_the_more_was_looked_at_the_less_the_largest_value_proves(frames, value, sigma):
    assert Peak(value, sigma, frames + 1).sure <= Peak(value, sigma, frames).sure <= value


def test_a_frame_that_is_shown_again_counts_once():
    latch, frame = Latch(HOUSE), seen(0.1, 0.2)
    for _ in range(50):
        latch.see(frame.objects)
    assert latch.peaks["button"].frames == 1


def test_nothing_is_remembered_of_what_was_not_seen_or_does_not_spring_back():
    latch, frame = Latch(HOUSE), seen(0.1, 1.0)
    latch.see({name: e for name, e in frame.objects.items() if name != "console"})
    assert latch.peaks == {}
    latch.see(frame.objects)
    assert set(latch.peaks) == {"button"}


def test_verification_counts_a_press_during_the_work_and_not_one_that_never_was():
    latch, still = Latch(HOUSE), [seen(1.0 + 0.1 * i, 0.0) for i in range(5)]
    assert verify(PRESSED, HOUSE, still, latch).code is Code.NOT_YET
    latch.clear()
    latch.see(seen(0.1, 1.0).objects)
    assert verify(PRESSED, HOUSE, still, latch).code is Code.OK


class Still:
    """A robot that shows one observation after the other."""

    period, cameras = 0.02, ("front",)

    def __init__(self, *frames: Observation) -> None:
        self.frames, self.calls = list(frames), []

    def observe(self) -> Observation:
        return self.frames[0]

    def capture(self, sizes):
        return dict.fromkeys(sizes, self.frames[0].stamp)

    def command(self, target) -> None:
        self.calls.append(target)

    def tick(self) -> None:
        self.frames.pop(0)

    def stop(self, mode) -> StopMode:
        return mode


def test_a_watched_robot_is_the_same_robot_and_shows_all_that_it_sees():
    latch = Latch(HOUSE)
    robot = WatchedRobot(Still(seen(0.0, 0.0), seen(0.1, 1.0), seen(0.2, 0.0)), latch)
    for _ in range(2):
        robot.observe()
        robot.command("target")
        robot.tick()
    assert robot.observe().stamp == pytest.approx(0.2)
    assert (robot.cameras, robot.capture({"front": (4, 3)})) == (("front",), {"front": 0.2})
    assert robot.period == 0.02 and robot.stop(StopMode.HOLD) is StopMode.HOLD
    assert latch.peaks["button"].value == pytest.approx(JOINT.limits[1])
