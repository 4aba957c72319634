# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robo_orch.catalogue import furniture, make_object
from robo_orch.policies.tamp.placements import doorways, placements
from robo_orch.types import Pose

PARTS = {part.name: part for name in ("table", "cabinet", "bin", "rack", "tray") for part in furniture(name)}
CUBE, CAN, BAR = make_object("cube", "cube"), make_object("can", "can"), make_object("bar", "bar")
PLATE = make_object("plate", "plate")


def poses(z=(0.0, 0.3)):
    place = st.tuples(st.floats(-0.5, 0.7), st.floats(-0.6, 0.6), st.floats(*z), st.floats(-3.1, 3.1))
    return place.map(lambda p: Pose.from_rotation(p[:3], Rotation.from_euler("z", p[3])))


def some(thing, target, at, now, inside=False, approach=None, n=40, seed=0):
    return list(islice(placements(thing, target, at, now, np.random.default_rng(seed), inside, approach), n))


@given(poses(), poses(), st.sampled_from([CUBE, CAN, BAR]), st.sampled_from([PLATE, *PARTS.values()]))
@settings(max_examples=40, deadline=None)
def test_a_thing_stands_upright_on_one_of_the_surfaces_with_its_middle_over_it(at, now, thing, target):
    found = some(thing, target, at, now)
    assert bool(found) == bool(target.tops)
    for pose in found:
        assert pose.matrix[2, 2] == pytest.approx(1.0)
        local = at.inverse().apply(pose.position)
        low = local[2] - thing.height_below(pose)
        assert any(abs(low - s.centre[2]) < 1e-6 and s.inside(local[:2]) > -1e-9 for s in target.tops)


@given(poses(), poses(), st.sampled_from(["bin", "drawer", "cabinet"]), st.none() | st.floats(-3.1, 3.1))
@settings(max_examples=30, deadline=None)
def test_what_is_put_inside_lies_wholly_within_the_walls(at, now, name, approach):
    target = PARTS[name]
    found = some(CUBE, target, at, now, inside=True, approach=approach)
    assert found
    for pose in found:
        low, high = CUBE.bounds(at.inverse() @ pose)
        hollow = target.interior
        assert np.all(low[:2] >= (hollow.centre - hollow.half)[:2]) and np.all(
            high[:2] <= (hollow.centre + hollow.half)[:2]
        )
        assert hollow.inside(at.inverse().apply(pose.position)) > 0.0


def test_what_is_taller_than_a_hollow_is_not_put_in_it():
    for name in ("drawer", "cabinet"):
        assert not some(make_object("bottle", "bottle"), PARTS[name], Pose.of(), Pose.of(), inside=True)


def test_the_middle_comes_first_where_there_is_room_for_one_and_the_outer_end_of_a_drawer():
    at, mug = Pose.of((0.5, 0.2, 0.006)), make_object("mug", "mug")
    assert some(mug, PLATE, at, Pose.of())[0].position[:2] == pytest.approx(at.position[:2])
    first = some(CUBE, PARTS["drawer"], at, Pose.of(), inside=True)[0]
    assert (first.position - at.position) @ PARTS["drawer"].joint.axis > 0.0


def test_where_there_is_room_for_several_the_first_spot_is_far_from_what_is_there():
    at, there = Pose.of((0.5, 0.2, 0.006)), np.array([[0.54, 0.2, 0.03]])
    found = list(placements(CUBE, PLATE, at, Pose.of(), np.random.default_rng(0), others=there))
    assert np.linalg.norm(found[0].position[:2] - there[0, :2]) > 0.06
    assert np.linalg.norm(found[-1].position[:2] - there[0, :2]) < 0.06


def test_where_there_is_room_for_several_the_first_spot_is_within_easy_reach():
    for yaw in np.deg2rad([0, 60, 120, 180]):
        at = Pose.from_rotation((0.72, 0.2, 0.0), Rotation.from_euler("z", yaw))
        found = some(CUBE, PARTS["tray"], at, Pose.of((0.4, 0.0, 0.02)), n=80)
        far = [np.linalg.norm(pose.position[:2]) for pose in found]
        assert far[0] < np.median(far)


def test_the_same_generator_gives_the_same_spots():
    one, two = (some(CUBE, PARTS["table"], Pose.of(), Pose.of((0.4, 0, 0)), seed=3) for _ in range(2))
    assert all(np.array_equal(a.position, b.position) for a, b in zip(one, two, strict=True))


def test_a_covered_hollow_has_a_doorway_and_an_open_one_has_none():
    assert doorways(PARTS["cabinet"]) == (0.0,)
    assert doorways(PARTS["bin"]) == doorways(PARTS["drawer"]) == doorways(PARTS["tray"]) == ()


def test_behind_a_doorway_the_first_spots_are_along_its_middle_from_far_in_outwards():
    found = [pose.position for pose in some(CAN, PARTS["cabinet"], Pose.of(), Pose.of(), inside=True, approach=0.0)]
    middle = [p[0] for p in found if abs(p[1] - PARTS["cabinet"].interior.centre[1]) < 1e-6]
    depths = list(dict.fromkeys(np.round(middle, 6)))
    assert len(depths) >= 3 and depths == sorted(depths, reverse=True)
