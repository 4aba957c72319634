# SPDX-License-Identifier: Apache-2.0
"""What the classifier is shown: where to look, and the margin that the fact would have at every pixel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robo_orch.catalogue import furniture, make_object
from robo_orch.robots.spec import load_robot
from robo_orch.sim.scenes import load_scene
from robo_orch.types import Observation, Pose, Precision, Predicate, RobotState
from robo_orch.verification.question import LEVEL, NUMBERS, RELATIONS, SPAN, Eye, Question, asked, stacked
from tests.scenes import DOWN, estimate

ROBOT = load_robot("panda")
BOWL, SPONGE = make_object("bowl", "red_bowl", "red"), make_object("sponge", "blue_sponge", "blue")
CUBE = make_object("cube", "red_cube", "red")
THINGS = {o.name: o for o in (*furniture("tray"), *furniture("bin"), *furniture("rack"), BOWL, SPONGE, CUBE)}
TRAY = Pose.of((0.6, 0.1, 0.0), (0.0, 0.0, 0.2, 1.0))


def eyes():
    cameras = load_scene("kitchen").cameras
    views = {"side": ((192, 192), (48, 48)), "wrist": ((64, 64), (64, 64))}
    return {n: Eye(**cameras[n].model_dump(), size=size, crop=crop) for n, (size, crop) in views.items()}


def seen(**moved):
    places = {"tray": TRAY, "bin": Pose.of((0.3, -0.4, 0.0)), "rack": Pose.of((0.2, -0.6, 0.0))}
    places |= {"red_bowl": Pose.of((0.6, 0.1, 0.04)), "blue_sponge": Pose.of((0.5, -0.2, 0.02))} | moved
    state = RobotState(1.0, (), np.zeros(0), np.zeros(0), np.zeros(0), Pose.of((0.6, 0.1, 0.2), DOWN), 0.08)
    return Observation(1.0, state, {n: estimate(n, p, 0.04, 1.0, Precision.COARSE) for n, p in places.items() if p})


def question(thing="red_bowl", target="tray", relation="on", **moved):
    return Question.of(Predicate(relation, (thing, target)), THINGS, seen(**moved), ROBOT)


@pytest.mark.parametrize("local", [(0.0, 0.0), (0.03, -0.05), (0.08, 0.1), (0.1, 0.0), (-0.05, 0.15)])
@pytest.mark.parametrize("camera", ["side", "wrist"])
def test_the_margin_at_a_pixel_is_that_of_an_object_whose_middle_is_seen_there(local, camera):
    asking, eye = question(), eyes()[camera]
    point = TRAY.apply(np.array([*local, asking.bed.height]))
    at = eye.at(asking.seen.state.tool, ROBOT)
    left, top, width, height = eye.window(asking.anchor, at)
    column, row, _ = eye.lens().project(point[None], at)[0]
    assert left < column < left + width and top < row < top + height
    shown = asking.look(eye, np.zeros((eye.size[1], eye.size[0], 3), np.uint8))[3]
    margin = (float(shown[int(row - top), int(column - left)]) - LEVEL) / 127 * SPAN
    true = THINGS["tray"].tops[0].inside(np.array(local))
    assert margin == pytest.approx(true, abs=0.008)  # a pixel of the side camera is 7 mm


def test_it_looks_at_the_target_where_it_is_nearest_to_the_object():
    near = question(red_bowl=Pose.of((0.6, 0.1, 0.05))).anchor
    assert np.allclose(near[:2], (0.6, 0.1), atol=1e-6)
    far = question(red_bowl=Pose.of((0.3, -0.3, 0.05))).anchor
    local = TRAY.inverse().apply(far)
    assert THINGS["tray"].tops[0].inside(local[:2]) == pytest.approx(0.0, abs=1e-9)


def test_of_several_levels_the_one_counts_at_which_the_object_is_believed_to_be():
    low = question(target="rack", red_bowl=Pose.of((0.2, -0.6, 0.05)))
    high = question(target="rack", red_bowl=Pose.of((0.2, -0.6, 0.26)))
    assert high.bed.height - low.bed.height == pytest.approx(0.217, abs=1e-6)


def test_an_object_that_was_never_seen_can_be_asked_about():
    asking = question(target="bin", relation="in", red_bowl=None)
    row = stacked(
        [asking.inputs(eyes(), {"side": np.zeros((192, 192, 3), np.uint8), "wrist": np.zeros((64, 64, 3), np.uint8)})]
    )
    assert row["numbers"].shape == (1, NUMBERS) and np.isfinite(row["numbers"]).all()
    assert row["side"].shape == (1, 4, 48, 48)


def test_beyond_the_picture_it_is_black():
    asking, eye = question(target="bin", relation="in", bin=Pose.of((-1.5, -0.8, 0.0)), red_bowl=None), eyes()["side"]
    shown = asking.look(eye, np.full((192, 192, 3), 200, np.uint8))
    assert (shown[:3] == 0).any()


def test_the_parts_of_the_picture_are_those_of_the_window():
    image = np.random.default_rng(0).integers(0, 255, (192, 192, 3), dtype=np.uint8)
    asking, eye = question(), eyes()["side"]
    left, top, width, height = eye.window(asking.anchor, Pose.of())
    assert (asking.look(eye, image)[:3].transpose(1, 2, 0) == image[top : top + height, left : left + width]).all()


def test_it_is_asked_about_coarse_things_on_or_in_others_and_nothing_else():
    for fact, is_asked in {
        ("on", "red_bowl", "tray"): True,
        ("in", "red_bowl", "bin"): True,
        ("stacked", "red_cube", "blue_sponge"): True,
        ("on", "red_cube", "tray"): False,
        ("in", "red_bowl", "tray"): False,
    }.items():
        assert asked(Predicate(fact[0], fact[1:]), THINGS) is is_asked
    assert not asked(replace(Predicate("on", ("red_bowl", "tray")), negated=True), THINGS)
    assert not asked(Predicate("upright", ("red_bowl",)), THINGS)
    assert "upright" not in RELATIONS
