# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.catalogue import make_object
from robo_orch.robots.grasp import GraspTracker
from robo_orch.types import Pose, PoseEstimate

DOWN = (1.0, 0.0, 0.0, 0.0)
INVENTORY = {n: make_object("cube", n, n.split("_")[0]) for n in ("red_cube", "blue_cube")} | {
    "plate": make_object("plate", "plate")
}
SIZE = 0.045
PERIOD = 0.02


def seen(stamp, sigma=0.001, **places):
    return {n: PoseEstimate(n, Pose.of(at), np.eye(6) * sigma**2, stamp, "test") for n, at in places.items()}


class Story:
    """A gripper's life, one control period a line."""

    def __init__(self):
        self.tracker = GraspTracker(INVENTORY)
        self.now = 0.0
        self.objects = seen(0.0, red_cube=(0.5, 0, 0.0225), blue_cube=(0.5, 0.1, 0.0225), plate=(0.5, 0, 0.0))
        self.tool = Pose.of((0.5, 0.0, 0.0225), DOWN)

    def go(self, width, command, ticks=10):
        for _ in range(ticks):
            self.now += PERIOD
            grip = self.tracker.update(self.now, self.tool, width, command, self.objects)
        return grip

    def close_on_red(self):
        for width in np.arange(0.08, SIZE, -0.002):
            assert not self.go(width, 0.0, 1).grasping
        return self.go(SIZE, 0.0)


def test_pads_that_stop_on_an_object_hold_it():
    grip = Story().close_on_red()
    assert (grip.grasping, grip.holding) == (True, "red_cube")


def test_closing_on_nothing_holds_nothing():
    grip = Story().go(0.0, 0.0)
    assert (grip.grasping, grip.holding) == (False, None)


def test_an_open_gripper_around_an_object_does_not_hold_it():
    assert Story().go(0.08, 0.08).holding is None


def test_pads_stopped_by_something_unseen_grasp_but_hold_nothing_known():
    story = Story()
    story.tool = Pose.of((0.3, 0.3, 0.3), DOWN)
    grip = story.go(SIZE, 0.0)
    assert (grip.grasping, grip.holding) == (True, None)


def test_what_cannot_be_picked_up_is_never_held():
    story = Story()
    story.objects = seen(0.0, plate=(0.5, 0.0, 0.02))
    assert story.go(SIZE, 0.0).holding is None


def test_a_coarse_estimate_may_be_further_off():
    story = Story()
    story.objects = seen(0.0, sigma=0.03, red_cube=(0.56, 0.0, 0.0225))
    assert story.go(SIZE, 0.0).holding == "red_cube"


def test_a_held_object_moves_with_the_tool_until_it_is_seen_afresh():
    story = Story()
    story.close_on_red()
    story.tool = Pose.of((0.4, 0.2, 0.3), DOWN)
    grip = story.go(SIZE, 0.0)
    np.testing.assert_allclose(grip.objects["red_cube"].pose.position, (0.4, 0.2, 0.3), atol=1e-9)
    assert grip.objects["red_cube"].stamp == pytest.approx(story.now)
    np.testing.assert_allclose(grip.objects["blue_cube"].pose.position, (0.5, 0.1, 0.0225))


def test_what_is_seen_elsewhere_is_not_held_whatever_the_pads_feel():
    story = Story()
    story.close_on_red()
    story.tool = Pose.of((0.5, 0.0, 0.3), DOWN)
    story.objects = seen(story.now + 0.5, red_cube=(0.5, 0, 0.0225), blue_cube=(0.5, 0.1, 0.0225))
    grip = story.go(SIZE, 0.0, ticks=30)
    assert (grip.grasping, grip.holding) == (True, None)
    np.testing.assert_allclose(grip.objects["red_cube"].pose.position, (0.5, 0, 0.0225))


def test_a_late_look_is_matched_with_where_the_tool_was_then():
    story = Story()
    story.close_on_red()
    captured, there = story.now, story.tool
    for _ in range(5):
        story.tool = Pose.of(story.tool.position + np.array([0, 0, 0.01]), DOWN)
        story.go(SIZE, 0.0, 1)
    aside = np.array([0.002, 0, 0])
    story.objects = seen(captured, red_cube=there.position + aside)
    grip = story.go(SIZE, 0.0, 1)
    np.testing.assert_allclose(grip.objects["red_cube"].pose.position, story.tool.position + aside, atol=1e-9)


@pytest.mark.parametrize(
    ("width", "command"), [(0.08, 0.08), (0.0, 0.0), (SIZE - 0.006, 0.0)], ids=["opened", "closed", "slipped"]
)
def test_it_is_held_until_the_gripper_opens_or_closes_on(width, command):
    story = Story()
    story.close_on_red()
    story.tool = Pose.of((0.4, 0.2, 0.3), DOWN)
    assert story.go(SIZE, 0.0).holding == "red_cube"
    assert story.go(width, command).holding is None


def test_what_was_let_go_stays_there_a_little_less_certain_until_it_is_seen_again():
    story = Story()
    story.close_on_red()
    story.tool = Pose.of((0.4, 0.2, 0.3), DOWN)
    story.go(SIZE, 0.0)
    grip = story.go(0.05, 0.08, 1)
    assert grip.left is not None and grip.left.name == "red_cube" and not grip.left.visible
    for told in (grip, story.go(0.08, 0.08)):
        left = told.objects["red_cube"]
        np.testing.assert_allclose(left.pose.position, (0.4, 0.2, 0.3), atol=1e-9)
        assert 0.001 < left.sigma < 0.006 and left.source == "released"
    story.objects = seen(story.now + 0.1, red_cube=(0.4, 0.2, 0.02))
    np.testing.assert_allclose(story.go(0.08, 0.08).objects["red_cube"].pose.position, (0.4, 0.2, 0.02))


def test_what_slipped_away_is_much_less_certain():
    story = Story()
    story.close_on_red()
    grip = story.go(0.0, 0.0, 1)
    assert grip.left is not None and grip.left.sigma > 0.02


def test_a_copy_of_the_tracker_goes_its_own_way():
    story = Story()
    story.close_on_red()
    other = story.tracker.copy()
    assert story.go(0.08, 0.08).holding is None
    grip = other.update(story.now + PERIOD, story.tool, SIZE, 0.0, story.objects)
    assert grip.holding == "red_cube"


def test_in_the_hand_doubt_does_not_grow_while_the_object_is_hidden():
    story = Story()
    story.close_on_red()
    story.objects = seen(0.0, sigma=0.05, red_cube=(0.5, 0, 0.0225))
    assert 0.002 < story.go(SIZE, 0.0).objects["red_cube"].sigma < 0.003
