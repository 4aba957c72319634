# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from pydantic import ValidationError

from robo_orch.errors import CardError
from robo_orch.predicates import check, names
from robo_orch.skills import ContactBound, Skill, achieving, skill, skills
from robo_orch.types import Predicate
from tests.scenes import house, kitchen

HOUSE = house("red_cube", "blue_cube", "white_mug", "brown_box")

ALL = sorted(skills())


@pytest.mark.parametrize("name", ALL)
def test_every_skill_ends_in_a_predicate_that_exists(name):
    found = skill(name)
    assert found.predicate in names()
    things = ("red_cube", "drawer")[-len(found.roles) :] if len(found.roles) == 1 else ("red_cube", "drawer")
    check(found.subgoal(*things).predicate, kitchen("red_cube"))


@pytest.mark.parametrize("name", ALL)
def test_every_contact_is_between_a_finger_or_roles(name):
    found = skill(name)
    for bound in found.contacts:
        assert set(bound.between) <= {"finger", "support", *found.roles}
        assert bound.newtons > 20.0, "the general bound needs no entry"
    assert found.hold_seconds > 0


def test_a_subgoal_names_its_objects_in_words_and_by_role():
    subgoal = skill("stack").subgoal("light_blue_cube", "red_cube_2")
    assert subgoal.text == "stack the light blue cube on the red cube 2"
    assert subgoal.predicate == Predicate("stacked", ("light_blue_cube", "red_cube_2"))
    assert subgoal.args == {"object": "light_blue_cube", "target": "red_cube_2"}
    assert subgoal.skill == "stack"


@pytest.mark.parametrize("args", [(), ("red_cube",), ("red_cube", "plate", "table")])
def test_a_subgoal_needs_one_object_for_each_role(args):
    with pytest.raises(ValueError, match="zip"):
        skill("pick_place").subgoal(*args)


def test_braces_in_a_name_are_only_text():
    assert skill("open_drawer").subgoal("{target.__class__}").text == "open the {target.  class  }"


def test_an_unknown_skill_is_refused_with_the_nearest():
    with pytest.raises(CardError) as error:
        skill("pick_plaice")
    assert "pick_place" in error.value.remedy


def test_unknown_keys_are_refused():
    body = {"name": "x", "template": "x {object}", "roles": ("object",), "predicate": "on"}
    with pytest.raises(ValidationError):
        Skill(**body, hold_secs=1.0)
    with pytest.raises(ValidationError):
        ContactBound(between=("finger",), newtons=30.0)


def able(text: str) -> list[str]:
    name, _, args = text.partition("(")
    return [s.name for s in achieving(Predicate(name, tuple(args.rstrip(")").split(", "))), HOUSE)]


@pytest.mark.parametrize(
    ("fact", "names"),
    [
        ("on(red_cube, tray)", ["pick_place"]),
        ("on(red_cube, blue_cube)", ["pick_place", "stack"]),
        ("stacked(red_cube, blue_cube)", ["stack"]),
        ("in(white_mug, cabinet)", ["place_in"]),
        ("open(drawer)", ["open_drawer"]),
        ("open(door)", ["open_door"]),
        ("closed(drawer)", ["close_drawer"]),
        ("closed(door)", ["close_door"]),
        ("pressed(button)", ["press"]),
        ("turned(knob)", ["turn"]),
        ("at(red_cube, left_side)", ["pick_place"]),
        ("at(brown_box, left_side)", ["push"]),
        ("at(plate, left_side)", []),
        ("on(brown_box, tray)", []),
        ("open(button)", []),
        ("pressed(knob)", []),
        ("turned(door)", []),
        ("upright(red_cube)", []),
        ("holding(red_cube)", []),
    ],
)
def test_skills_follow_from_the_fact_and_what_its_objects_are_made_for(fact, names):
    assert able(fact) == names


def test_no_skill_undoes_a_fact():
    assert achieving(Predicate("open", ("drawer",), negated=True), HOUSE) == ()


@pytest.mark.parametrize("name", ALL)
def test_every_role_says_what_its_object_is_made_for(name):
    found = skill(name)
    assert set(found.applies) == set(found.roles)
    assert all(set(fact.roles) <= set(found.roles) for fact in found.preconditions)
    assert all(fact.name in names() for fact in found.preconditions)
