# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.errors import CardError, OptionError, SceneError
from robo_orch.runs.config import RunConfig
from robo_orch.runs.setting import FIRST_LOOK, required, set_up


def _set_up(goal: str = "put the red cube on the plate", **changes):
    config = RunConfig(goal, **changes)
    return set_up(config, required(config))


@pytest.mark.parametrize("seed", range(4))
def test_what_a_goal_names_is_in_its_scene(seed):
    goal = "stack the purple cube on the orange cube and put the white cube on the plate"
    setting = _set_up(goal, seed=seed)
    assert {"purple_cube", "orange_cube", "white_cube", "plate"} <= setting.simulation.layout.inventory.keys()
    assert setting.ground(goal).predicates


def test_before_planning_everything_has_been_perceived():
    setting = _set_up()
    assert not setting.simulation.robot.observe().objects
    setting.look()
    assert setting.facts().objects.keys() == setting.simulation.layout.inventory.keys()
    assert setting.simulation.world.time < 0.2


def test_the_first_look_ends_where_something_stays_unseen(monkeypatch):
    setting = _set_up()
    robot = setting.simulation.robot
    blind = robot.observe()
    monkeypatch.setattr(robot, "observe", lambda: blind)
    setting.look()
    assert setting.simulation.world.time == pytest.approx(FIRST_LOOK)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (SceneError, {"scene": "attic"}),
        (OptionError, {"sim": "gazebo"}),
        (OptionError, {"perturb": {"gravity": 1.0}}),
        (CardError, {"cards": ("tamp/nobody-v1",)}),
    ],
)
def test_names_that_do_not_exist_are_refused_with_those_that_do(kind, change):
    with pytest.raises(kind) as caught:
        _set_up(**change)
    assert caught.value.remedy


def test_a_plan_uses_only_skills_that_the_cards_offer():
    setting = _set_up()
    setting.look()
    steps = setting.plan(setting.ground("put the red cube on the plate")).steps
    assert {step.subgoal.skill for step in steps} <= setting.cards.skills
