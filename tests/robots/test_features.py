# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.catalogue import furniture, make_object
from robo_orch.robots.features import COLUMNS, PER_OBJECT, check_keys, features, mark, vector, vector_width
from robo_orch.types import Observation, Pose, PoseEstimate, RobotState

PARTS = {part.name: part for part in furniture("cabinet")}
INVENTORY = {**PARTS, "red_cube": make_object("cube", "red_cube", "red")}
DOWN = (1.0, 0.0, 0.0, 0.0)
CABINET = Pose.of((0.6, 0.4, 0.1))


def seen(name, pose, stamp=1.0, visible=True):
    return PoseEstimate(name, pose, np.eye(6) * 0.002**2, stamp, "test", visible=visible)


def observation(tool=None, holding=None, **objects):
    state = RobotState(
        1.0, (), np.arange(7.0), np.zeros(7), np.zeros(7), tool or Pose.of((0.4, 0, 0.3), DOWN), 0.06, holding=holding
    )
    return Observation(1.0, state, objects)


def row(name, observed):
    return features(observed, [name], INVENTORY)["objects"][0]


def test_shapes_and_types_are_as_written_whatever_is_seen():
    told = features(observation(), ["red_cube", "drawer"], INVENTORY)
    assert {k: v.shape for k, v in told.items()} == {
        "q": (7,),
        "qd": (7,),
        "tool": (9,),
        "gripper": (2,),
        "objects": (2, PER_OBJECT),
    }
    assert all(v.dtype == np.float32 for v in told.values())
    assert features(observation(), [], INVENTORY)["objects"].shape == (0, PER_OBJECT)


def test_what_was_never_seen_is_zeros_with_a_great_doubt():
    expected = np.zeros(PER_OBJECT)
    expected[12] = 1.0
    np.testing.assert_array_equal(row("red_cube", observation()), expected)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3), st.floats(-3, 3))
def test_positions_are_told_in_the_tools_frame_and_in_the_bases(at, turn):
    tool = Pose.of(at, (np.sin(turn / 2), 0, 0, np.cos(turn / 2)))
    cube = Pose.of((0.5, 0.1, 0.02))
    told = row("red_cube", observation(tool, red_cube=seen("red_cube", cube)))
    np.testing.assert_allclose(tool.apply(told[:3].astype(float)), cube.position, atol=1e-6)
    np.testing.assert_allclose(told[3:6], cube.position, atol=1e-6)
    np.testing.assert_allclose(told[6:12], [1, 0, 0, 0, 1, 0], atol=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_of_a_drawer_the_handle_and_the_opening_are_told(share):
    joint = PARTS["drawer"].joint
    drawer = joint.pose(CABINET, share * joint.limits[1])
    told = row("drawer", observation(cabinet=seen("cabinet", CABINET), drawer=seen("drawer", drawer)))
    assert told[15] == pytest.approx(share, abs=1e-6)
    np.testing.assert_allclose(told[3:6], drawer.apply(mark(PARTS["drawer"])), atol=1e-6)
    assert np.linalg.norm(mark(PARTS["drawer"])) > 0.1


def test_age_sight_and_hold_are_told():
    cube = seen("red_cube", Pose.of((0.5, 0.1, 0.02)), stamp=0.4, visible=False)
    told = row("red_cube", observation(holding="red_cube", red_cube=cube))
    np.testing.assert_allclose(told[12:17], [0.002, 0.6, 0.0, 0.0, 1.0], atol=1e-6)


KEYS = ("q", "qd", "tool", "gripper", *(f"object.{name}" for name in (*COLUMNS, "toward")))


def told(*keys, seen_at=(0.5, 0.1, 0.02), **args):
    observed = observation(red_cube=seen("red_cube", Pose.of(seen_at)), cabinet=seen("cabinet", CABINET))
    return vector(observed, keys, {"object": "red_cube", "target": "cabinet"} | args, INVENTORY)


def test_named_numbers_are_as_many_as_said_in_the_order_asked_for():
    for key in KEYS:
        assert told(key).shape == (vector_width([key], 7),)
    assert vector_width(KEYS, 7) == len(told(*KEYS))
    assert told(*KEYS).dtype == np.float32
    np.testing.assert_array_equal(told(*KEYS), np.concatenate([told(key) for key in KEYS]))
    np.testing.assert_array_equal(
        told("target.position", "q", "object.position"),
        np.concatenate([told("target.position"), told("q"), told("object.position")]),
    )


def test_named_numbers_are_those_of_the_rows():
    line = row("red_cube", observation(red_cube=seen("red_cube", Pose.of((0.5, 0.1, 0.02)))))
    for name, columns in COLUMNS.items():
        np.testing.assert_array_equal(told(f"object.{name}"), line[columns])
    np.testing.assert_allclose(told("object.toward"), [0.1, 0.1, -0.28], atol=1e-6)


def test_one_object_may_fill_two_roles():
    both = told("object.position", "target.position", target="red_cube")
    np.testing.assert_array_equal(both[:3], both[3:])


def test_names_that_do_not_exist_are_told_with_those_that_do():
    assert check_keys(KEYS) == ""
    for wrong in ("position", "object", "object.", ".position", "object.colour", "object.position.x", ""):
        said = check_keys(["q", wrong])
        assert repr(wrong) in said and "<role>.toward" in said
