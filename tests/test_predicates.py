# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.errors import GoalError
from robo_orch.latch import Peak
from robo_orch.predicates import (
    CONTACT_TOLERANCE,
    OPEN_ABOVE,
    PRESSED_ABOVE,
    TURNED_ABOVE,
    UPRIGHT_TILT,
    Facts,
    Truth,
    all_of,
    any_of,
    check,
    evaluate,
    names,
    opening,
    things_on,
)
from robo_orch.types import Code, Pose, Predicate
from tests.scenes import (
    DRAWER,
    INVENTORY,
    ON_PLATE,
    estimate,
    facts,
    house,
    house_facts,
    house_poses,
    kitchen,
    kitchen_facts,
)

KITCHEN = kitchen("red_cube", "blue_cube")


def truth(text: str, seen: Facts, negated: bool = False) -> Truth:
    name, _, args = text.partition("(")
    return evaluate(Predicate(name, tuple(a.strip() for a in args.rstrip(")").split(",")), negated), seen)


def half_open(share: float, sigma: float = 0.001) -> Facts:
    seen = kitchen_facts(KITCHEN)
    pose = DRAWER.joint.pose(seen.objects["cabinet"].pose, share * 0.2)
    return Facts(KITCHEN, {**seen.objects, "drawer": estimate("drawer", pose, sigma)})


@given(st.floats(-1, 1), st.floats(1e-4, 1))
def test_probability_follows_the_margins_sign_and_negation_mirrors_it(margin, sigma):
    found = Truth(margin, sigma)
    assert (found.probability > 0.5) == (margin > 0) or margin == 0 or abs(margin / sigma) < 1e-12
    assert found.negate().probability == pytest.approx(1 - found.probability)
    assert found.holds == found.negate().fails


@given(st.floats(1e-3, 1), st.floats(1e-3, 1), st.floats(1.01, 10))
def test_poorer_perception_makes_less_sure(margin, sigma, worse):
    assert Truth(margin, worse * sigma).probability <= Truth(margin, sigma).probability


def test_without_error_a_fact_is_certain():
    assert Truth(1e-9, 0.0).probability == 1.0
    assert Truth(-1e-9, 0.0).probability == 0.0
    assert Truth(0.0, 0.0).probability == 0.0


def test_the_unknown_neither_holds_nor_fails_nor_does_its_opposite():
    unknown = Truth(5.0, 0.0, known=False)
    for found in (unknown, unknown.negate()):
        assert not found.holds
        assert not found.fails


@given(st.lists(st.builds(Truth, st.floats(-1, 1), st.floats(1e-3, 1)), min_size=1, max_size=6))
def test_a_conjunction_is_as_weak_as_its_weakest_part(truths):
    assert all_of(truths).probability == min(t.probability for t in truths)
    assert any_of(truths).probability == max(t.probability for t in truths)


def test_on_needs_height_place_and_release():
    assert truth("on(red_cube, plate)", facts(red_cube=ON_PLATE)).holds
    assert truth("on(red_cube, plate)", facts()).fails
    hovering = (0.6, 0.2, ON_PLATE[2] + 2 * CONTACT_TOLERANCE)
    assert truth("on(red_cube, plate)", facts(red_cube=hovering)).fails
    beside = (0.6, 0.2 + 0.1, ON_PLATE[2])
    assert truth("on(red_cube, plate)", facts(red_cube=beside)).fails
    assert truth("on(red_cube, plate)", facts(red_cube=ON_PLATE, holding="red_cube")).fails


@given(st.floats(0, 2 * np.pi), st.floats(0.0, 0.15))
def test_the_margin_on_a_round_plate_is_the_distance_to_its_border(angle, radius):
    at = (0.6 + radius * np.cos(angle), 0.2 + radius * np.sin(angle), ON_PLATE[2])
    found = truth("on(red_cube, plate)", facts(red_cube=at))
    assert (found.margin > 0) == (radius < 0.08) or abs(radius - 0.08) < 1e-9
    assert found.margin <= 0.08 - radius + 1e-9


@given(st.floats(0, 2 * np.pi), st.floats(-0.5, 0.5), st.floats(-0.3, 0.3))
def test_on_does_not_depend_on_where_the_pair_stands(yaw, x, y):
    turn = Pose.of((x, y, 0.0), (0, 0, np.sin(yaw / 2), np.cos(yaw / 2)))
    plate, cube = (turn @ Pose.of(p) for p in ((0.1, 0.0, 0.006), (0.13, 0.02, 0.032)))
    here = facts(plate=(0.1, 0.0, 0.006), red_cube=(0.13, 0.02, 0.032))
    there = facts(plate=plate, red_cube=cube)
    assert truth("on(red_cube, plate)", there).margin == pytest.approx(truth("on(red_cube, plate)", here).margin)


def test_a_coarse_pose_leaves_on_open():
    found = truth("on(red_cube, plate)", facts(red_cube=ON_PLATE, sigma=0.04))
    assert not found.holds
    assert not found.fails


def test_nothing_stands_on_what_has_no_surface_or_goes_into_what_is_not_hollow():
    assert truth("in(red_cube, plate)", facts(red_cube=ON_PLATE)).fails
    flat = {**INVENTORY, "plate": INVENTORY["plate"].__class__("plate", "plate", INVENTORY["plate"].geoms)}
    seen = facts(red_cube=ON_PLATE)
    assert truth("on(red_cube, plate)", Facts(flat, seen.objects)).fails


def test_stacked_needs_the_lower_one_released_too():
    tower = {"red_cube": (0.5, -0.2, 0.06)}
    assert truth("stacked(red_cube, green_cube)", facts(**tower)).holds
    assert truth("stacked(red_cube, green_cube)", facts(holding="green_cube", **tower)).fails


def test_in_follows_the_drawer():
    for opened in (False, True):
        assert truth("in(red_cube, drawer)", kitchen_facts(KITCHEN, {"red_cube": "drawer"}, opened)).holds
    assert truth("in(red_cube, drawer)", kitchen_facts(KITCHEN)).fails
    assert truth("in(red_cube, drawer)", kitchen_facts(KITCHEN, {"red_cube": "drawer"}, holding="red_cube")).fails


@pytest.mark.parametrize(("share", "opened", "closed"), [(0.0, False, True), (0.4, False, False), (1.0, True, False)])
def test_a_drawer_is_open_closed_or_neither(share, opened, closed):
    seen = half_open(share)
    assert truth("open(drawer)", seen).holds is opened
    assert truth("closed(drawer)", seen).holds is closed
    assert opening(seen, "drawer") == pytest.approx(share * 0.2)


@given(st.floats(0, 1))
def test_never_both_open_and_closed(share):
    seen = half_open(share)
    assert not (truth("open(drawer)", seen).holds and truth("closed(drawer)", seen).holds)


def test_what_has_no_joint_is_neither_open_nor_has_an_opening():
    seen = kitchen_facts(KITCHEN)
    assert truth("open(plate)", seen).fails
    with pytest.raises(GoalError) as error:
        opening(seen, "plate")
    assert error.value.code is Code.IMPOSSIBLE_GOAL


def test_a_drawer_whose_cabinet_was_never_seen_is_unknown():
    assert not truth("open(drawer)", kitchen_facts(KITCHEN, missing=["cabinet"])).known


def test_holding_and_clear():
    assert truth("holding(red_cube)", facts(holding="red_cube")).holds
    assert truth("holding(red_cube)", facts(holding="blue_cube")).fails
    assert truth("clear(plate)", facts()).holds
    assert truth("clear(plate)", facts(red_cube=ON_PLATE)).fails
    assert things_on(facts(red_cube=ON_PLATE), "plate") == ["red_cube"]


def test_a_doubtful_object_makes_clear_doubtful():
    seen = facts(red_cube=ON_PLATE, sigma=0.04)
    assert things_on(seen, "plate") == []
    assert "red_cube" in things_on(seen, "plate", certain=False)
    assert not truth("clear(plate)", seen).holds


@pytest.mark.parametrize(
    ("tilt", "upright"), [(0.0, True), (UPRIGHT_TILT - 0.05, True), (UPRIGHT_TILT + 0.05, False), (3.0, False)]
)
def test_upright_is_judged_by_the_tilt_whatever_the_heading(tilt, upright):
    for yaw in (0.0, 1.0, 3.0):
        heading = Pose.of((0.4, 0, 0.02), (0, 0, np.sin(yaw / 2), np.cos(yaw / 2)))
        leaning = heading @ Pose.of((0, 0, 0), (np.sin(tilt / 2), 0, 0, np.cos(tilt / 2)))
        assert truth("upright(red_cube)", facts(red_cube=leaning)).holds is upright


@pytest.mark.parametrize("negated", [False, True])
def test_what_was_never_perceived_is_unknown_either_way(negated):
    found = truth("on(red_cube, plate)", facts(missing=["red_cube"]), negated)
    assert not found.known
    assert "red_cube has not been perceived" in found.because


def test_a_negated_predicate_is_the_opposite():
    seen = facts(red_cube=ON_PLATE)
    assert truth("on(red_cube, plate)", seen, negated=True).fails
    assert truth("on(red_cube, table)", seen, negated=True).holds


def test_malformed_predicates_are_refused_with_what_there_is():
    for predicate, code, named in [
        (Predicate("om", ("red_cube", "plate")), Code.NOT_UNDERSTOOD, "on"),
        (Predicate("on", ("red_cube",)), Code.NOT_UNDERSTOOD, "2 argument"),
        (Predicate("on", ("red_cub", "plate")), Code.UNKNOWN_OBJECT, "red_cube"),
    ]:
        with pytest.raises(GoalError) as error:
            check(predicate, INVENTORY)
        assert error.value.code is code
        assert named in error.value.expected


def test_every_predicate_gives_its_reason():
    seen = kitchen_facts(KITCHEN)
    for name in names():
        for args in (("red_cube",), ("red_cube", "table")):
            try:
                found = evaluate(Predicate(name, args), seen)
            except GoalError:
                continue
            assert found.because


HOUSE = house("red_cube", "blue_cube")


def moved(part: str, share: float, sigma: float = 0.001, peaks=None) -> Facts:
    """A house with one part at a share of its range."""
    poses = house_poses(HOUSE, {})
    joint = HOUSE[part].joint
    poses[part] = joint.pose(poses[joint.parent], share * joint.limits[1])
    return Facts(HOUSE, {name: estimate(name, pose, sigma) for name, pose in poses.items()}, None, peaks or {})


@given(
    st.floats(0, 1), st.sampled_from([("pressed", "button"), ("turned", "knob"), ("open", "door"), ("open", "drawer")])
)
def test_a_parts_margin_is_its_distance_from_the_share_that_counts(share, fact):
    name, part = fact
    above = {"pressed": PRESSED_ABOVE, "turned": TURNED_ABOVE, "open": OPEN_ABOVE}[name]
    found = truth(f"{name}({part})", moved(part, share, sigma=0.0))
    reach = HOUSE[part].joint.limits[1]
    assert found.margin == pytest.approx((share - above) * reach, abs=1e-6)
    assert found.holds == (found.margin > 0)


def test_a_joint_is_as_doubtful_as_both_its_ends():
    for part in ("door", "drawer", "button", "knob"):
        name = {"button": "pressed", "knob": "turned"}.get(part, "open")
        assert truth(f"{name}({part})", moved(part, 1.0, sigma=0.003)).sigma == pytest.approx(0.003 * np.sqrt(2))
    assert not truth("pressed(button)", moved("button", 1.0, sigma=0.02)).holds


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_button_that_was_down_counts_as_pressed_though_it_is_up_again(now, before):
    travel = HOUSE["button"].joint.limits[1]
    found = truth("pressed(button)", moved("button", now, 0.0, {"button": Peak(before * travel, 0.0)}))
    assert found.holds == (max(now, before) * travel - PRESSED_ABOVE * travel > 0)


def test_a_cabinet_is_open_if_its_door_is_and_a_bin_always():
    shut, wide = house_facts(HOUSE), house_facts(HOUSE, opened=["door"])
    assert truth("closed(cabinet)", shut).holds and truth("open(cabinet)", shut).fails
    assert truth("open(cabinet)", wide).holds and truth("closed(cabinet)", wide).fails
    assert truth("open(bin)", shut).holds and truth("closed(bin)", shut).fails


@pytest.mark.parametrize(
    ("at", "opened", "accessible"),
    [
        (("in", "cabinet"), (), False),
        (("in", "cabinet"), ("drawer",), False),
        (("in", "cabinet"), ("door",), True),
        (("in", "drawer"), ("door",), False),
        (("in", "drawer"), ("drawer",), True),
        (("in", "bin"), (), True),
        (("on", "cabinet"), (), True),
        (("on", "table"), (), True),
    ],
)
def test_what_is_shut_away_is_not_accessible(at, opened, accessible):
    assert truth("accessible(red_cube)", house_facts(HOUSE, {"red_cube": at}, opened)).holds is accessible


def test_a_shut_drawer_itself_is_not_accessible_but_a_cabinets_top_is():
    assert truth("accessible(drawer)", house_facts(HOUSE)).fails
    assert truth("accessible(cabinet)", house_facts(HOUSE)).holds


@pytest.mark.parametrize("place", ["tray", "plate", "table", "rack", "cabinet"])
def test_a_thing_stands_on_the_surface_nearest_below_it_and_on_no_other(place):
    seen = house_facts(HOUSE, {"red_cube": ("on", place)}, sigma=0.0005)
    on = [name for name in ("tray", "plate", "table", "rack", "cabinet") if truth(f"on(red_cube, {name})", seen).holds]
    assert on == [place]


def test_what_is_in_a_cabinet_is_not_on_it():
    seen = house_facts(HOUSE, {"red_cube": ("in", "cabinet")})
    assert truth("in(red_cube, cabinet)", seen).holds
    assert truth("on(red_cube, cabinet)", seen).fails


@given(st.floats(-0.1, 0.1), st.floats(-0.05, 0.05))
def test_at_a_region_is_being_over_it_on_its_ground(x, y):
    seen = house_facts(HOUSE, {"red_cube": ("on", "middle")}, sigma=0.0)
    pose = Pose.of(seen.objects["middle"].pose.apply(HOUSE["middle"].surfaces[0].centre) + np.array([x, y, 0.0225]))
    there = Facts(HOUSE, {**seen.objects, "red_cube": estimate("red_cube", pose, 0.0)})
    assert truth("at(red_cube, middle)", there).holds
    assert truth("on(red_cube, table)", there).holds
    assert truth("at(red_cube, left_side)", there).fails
