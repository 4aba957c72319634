# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robo_orch.errors import GoalError
from robo_orch.planners.consistency import check_consistent, check_possible
from robo_orch.planners.grounding import ground
from robo_orch.planners.symbolic import SymbolicPlanner
from robo_orch.types import Code, Goal, Predicate
from tests.scenes import ALL_SKILLS, kitchen
from tests.scenes import kitchen_facts as facts

CUBES = ("red_cube", "green_cube", "blue_cube", "yellow_cube")
KITCHEN = kitchen(*CUBES)


def texts(goal: str, at=None, opened=False, holding=None, offered=ALL_SKILLS) -> list[str]:
    seen = facts(KITCHEN, at, opened, holding)
    plan = SymbolicPlanner(offered).plan(ground(goal, KITCHEN, seen), KITCHEN, seen)
    return [step.subgoal.text for step in plan.steps]


def on(*args: str, negated: bool = False) -> Predicate:
    return Predicate("on", args, negated)


class Hands:
    """A symbolic world that does exactly what a subgoal says and refuses what a body could not do."""

    def __init__(self, at: dict[str, str], opened: bool, holding: str | None = None) -> None:
        self.at = {name: at.get(name, "table") for name in CUBES}
        self.opened, self.holding = opened, holding
        if holding:
            self.at[holding] = ""

    def reachable(self, name: str) -> bool:
        while name in self.at:
            name = self.at[name]
        return name != "drawer" or self.opened

    def do(self, subgoal) -> None:
        if subgoal.skill in ("open_drawer", "close_drawer"):
            assert self.holding is None
            self.opened = subgoal.skill == "open_drawer"
            return
        thing, target = subgoal.args["object"], subgoal.args["target"]
        assert self.holding in (None, thing), f"{self.holding} is still in the hand"
        assert thing not in self.at.values(), f"something is on {thing}"
        assert self.reachable(thing) or self.holding == thing
        assert self.reachable(target) or target not in (*self.at, "drawer"), f"{target} is shut away"
        assert target not in self.at or target not in self.at.values(), f"no room on {target}"
        self.at[thing], self.holding = target, None

    def holds(self, fact: Predicate) -> bool:
        match fact.name:
            case "open" | "closed":
                value = self.opened == (fact.name == "open")
            case "clear":
                value = fact.args[0] not in self.at.values()
            case _:
                value = self.at[fact.args[0]] == fact.args[1]
        return value != fact.negated


@st.composite
def scenes(draw) -> tuple[dict[str, str], bool, str | None]:
    """Where each cube stands, without cycles, whether the drawer is open, what is held."""
    order = draw(st.permutations(CUBES))
    at: dict[str, str] = {}
    free = ["table"] * 4 + ["plate"] * 4 + ["cabinet"] * 2 + ["drawer"] * 4
    for name in order:
        at[name] = draw(st.sampled_from(free))
        if at[name] in CUBES:
            free.remove(at[name])
        free += [name] * 2 if draw(st.booleans()) else []
        free = [f for f in free if f not in CUBES or list(at.values()).count(f) == 0]
    holding = draw(st.sampled_from([None, None, *[n for n in CUBES if n not in at.values()]]))
    return at, draw(st.booleans()), holding


def wishes():
    placed = st.builds(
        lambda thing, place: Predicate("in" if place == "drawer" else "on", (thing, place)),
        st.sampled_from(CUBES),
        st.sampled_from((*CUBES, "plate", "drawer", "table", "cabinet")),
    )
    absent = st.builds(lambda t, p: on(t, p, negated=True), st.sampled_from(CUBES), st.sampled_from(("plate", *CUBES)))
    joints = st.sampled_from([Predicate("open", ("drawer",)), Predicate("closed", ("drawer",))])
    return st.lists(st.one_of(placed, placed, placed, absent, joints), min_size=1, max_size=6, unique=True)


def consistent(facts_wanted: list[Predicate]) -> list[Predicate]:
    """The longest beginning of the wishes that can hold together."""
    kept: list[Predicate] = []
    for fact in facts_wanted:
        try:
            check_consistent([*kept, fact], KITCHEN)
            check_possible([*kept, fact], KITCHEN)
        except GoalError:
            continue
        kept.append(fact)
    return kept


@settings(max_examples=60, deadline=None)
@given(scenes(), wishes())
def test_every_plan_can_be_carried_out_and_reaches_its_goal(scene, wanted):
    at, opened, holding = scene
    goal = Goal("", tuple(consistent(wanted)))
    plan = SymbolicPlanner(ALL_SKILLS).plan(goal, KITCHEN, facts(KITCHEN, at, opened, holding))
    hands = Hands(at, opened, holding)
    for step in plan.steps:
        hands.do(step.subgoal)
    assert all(map(hands.holds, goal.predicates))
    assert len(plan.steps) <= 2 * len(CUBES) + 2 * len(goal.predicates) + 2


@settings(max_examples=30, deadline=None)
@given(scenes(), wishes(), wishes())
def test_each_stage_is_reached_before_the_next_begins(scene, first, second):
    at, opened, holding = scene
    stages = (tuple(consistent(first)), tuple(consistent(second)))
    planner = SymbolicPlanner(ALL_SKILLS)
    plan = planner.plan(Goal("", stages[1], stages), KITCHEN, facts(KITCHEN, at, opened, holding))
    hands = Hands(at, opened, holding)
    reached = [all(map(hands.holds, stages[0]))]
    for step in plan.steps:
        hands.do(step.subgoal)
        reached.append(all(map(hands.holds, stages[0])))
    assert any(reached)
    assert all(map(hands.holds, stages[1]))


@settings(max_examples=20, deadline=None)
@given(scenes(), wishes())
def test_a_goal_that_holds_needs_no_steps(scene, wanted):
    at, opened, holding = scene
    goal = Goal("", tuple(consistent(wanted)))
    plan = SymbolicPlanner(ALL_SKILLS).plan(goal, KITCHEN, facts(KITCHEN, at, opened, holding))
    hands = Hands(at, opened, holding)
    for step in plan.steps:
        hands.do(step.subgoal)
    if hands.holding:
        return
    assert SymbolicPlanner(ALL_SKILLS).plan(goal, KITCHEN, facts(KITCHEN, hands.at, hands.opened)).steps == ()


def test_what_stands_below_comes_first():
    assert texts("stack the red cube on the green cube and put the green cube on the plate") == [
        "put the green cube on the plate",
        "stack the red cube on the green cube",
    ]


def test_what_stands_below_comes_first_even_against_then():
    assert texts("put the red cube on the green cube, then put the green cube on the plate") == [
        "put the green cube on the plate",
        "put the red cube on the green cube",
    ]


def test_facts_that_hold_are_skipped():
    assert texts("put the red cube on the plate and the blue cube on the plate", {"red_cube": "plate"}) == [
        "put the blue cube on the plate"
    ]


def test_the_order_said_is_kept_where_nothing_speaks_against_it():
    assert texts("put the blue cube on the plate and the red cube on the plate")[0] == "put the blue cube on the plate"
    assert texts("before putting the blue cube on the plate, open the drawer")[0] == "open the drawer"


def test_what_is_on_the_object_is_put_aside():
    assert texts("put the red cube on the plate", {"blue_cube": "red_cube"}) == [
        "put the blue cube on the table",
        "put the red cube on the plate",
    ]


def test_what_is_on_the_target_of_a_stack_is_put_aside():
    assert texts("stack the red cube on the green cube", {"blue_cube": "green_cube"}) == [
        "put the blue cube on the table",
        "stack the red cube on the green cube",
    ]


def test_leaving_off_moves_to_the_table_only_what_is_there():
    assert texts("leave the red cube off the plate", {"red_cube": "plate"}) == ["put the red cube on the table"]
    assert texts("leave the red cube off the plate") == []


def test_off_the_table_goes_to_other_furniture():
    assert texts("take the red cube off the table") == ["put the red cube on the cabinet"]


def test_a_shut_drawer_is_opened_first_and_shut_last():
    assert texts("put the red cube in the drawer and close it") == [
        "open the drawer",
        "put the red cube in the drawer",
        "close the drawer",
    ]
    assert texts("close the drawer and put the red cube in it")[-1] == "close the drawer"


def test_what_is_in_a_shut_drawer_is_taken_out_after_opening_it():
    assert texts("put the red cube on the plate", {"red_cube": "drawer"}) == [
        "open the drawer",
        "put the red cube on the plate",
    ]


def test_what_the_hand_holds_is_put_down_first():
    assert texts("put the red cube on the plate", holding="blue_cube")[0] == "put the blue cube on the table"
    assert texts("put the red cube on the plate", holding="red_cube") == ["put the red cube on the plate"]


def test_clearing_moves_everything_off():
    assert texts("clear the plate", {"red_cube": "plate", "blue_cube": "plate"}) == [
        "put the red cube on the table",
        "put the blue cube on the table",
    ]


def test_a_later_stage_may_undo_an_earlier_one():
    assert texts("put the red cube on the plate, then put it on the table") == [
        "put the red cube on the plate",
        "put the red cube on the table",
    ]


@pytest.mark.parametrize(
    ("goal", "offered", "named"),
    [
        ("open the drawer", ("pick_place",), "open_drawer"),
        ("stack the red cube on the blue cube", ("pick_place",), "stack"),
        ("put the red cube in the drawer", ("pick_place", "open_drawer"), "place_in"),
        ("pick up the red cube", ALL_SKILLS, "holding"),
    ],
)
def test_a_missing_skill_is_named_with_what_there_is(goal, offered, named):
    with pytest.raises(GoalError) as error:
        texts(goal, offered=offered)
    assert error.value.code is Code.NO_SKILL
    assert named in error.value.expected
    assert "pick_place" in error.value.got


def test_stacking_serves_where_only_stacking_is_offered():
    assert texts("put the red cube on the blue cube", offered=("stack",)) == ["stack the red cube on the blue cube"]


def test_absence_is_never_concluded_from_not_seeing():
    seen = facts(KITCHEN, missing=["red_cube"])
    for goal in (Goal("", (on("red_cube", "plate", negated=True),)), Goal("", (Predicate("clear", ("plate",)),))):
        with pytest.raises(GoalError) as error:
            SymbolicPlanner(ALL_SKILLS).plan(goal, KITCHEN, seen)
        assert error.value.code is Code.NOT_PERCEIVED


def test_an_unseen_object_is_still_planned_for():
    seen = facts(KITCHEN, missing=["red_cube"])
    plan = SymbolicPlanner(ALL_SKILLS).plan(Goal("", (on("red_cube", "plate"),)), KITCHEN, seen)
    assert [s.subgoal.text for s in plan.steps] == ["put the red cube on the plate"]


def test_a_doubtful_fact_is_made_sure_of():
    seen = facts(KITCHEN, {"red_cube": "plate"}, sigma=0.02)
    plan = SymbolicPlanner(ALL_SKILLS).plan(Goal("", (on("red_cube", "plate"),)), KITCHEN, seen)
    assert len(plan.steps) == 1


def test_goals_of_other_origin_are_checked_too():
    planner, seen = SymbolicPlanner(ALL_SKILLS), facts(KITCHEN)
    for predicates, code in [
        ((on("table", "plate"),), Code.IMPOSSIBLE_GOAL),
        ((on("red_cube", "moon"),), Code.UNKNOWN_OBJECT),
        ((on("red_cube", "plate"), on("red_cube", "table")), Code.CONTRADICTORY_GOAL),
    ]:
        with pytest.raises(GoalError) as error:
            planner.plan(Goal("", predicates), KITCHEN, seen)
        assert error.value.code is code
