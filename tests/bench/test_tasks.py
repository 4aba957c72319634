# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.bench.reach import Reach
from robo_orch.bench.tasks import CONTACT, Maker, Tally, contacts, facts_of, make, offered
from robo_orch.errors import SceneError
from robo_orch.planners.grounding import ground
from robo_orch.planners.symbolic import SymbolicPlanner
from robo_orch.predicates import evaluate
from robo_orch.robots import load_robot
from robo_orch.sim.perturb import checked
from robo_orch.sim.scenes import lay_out, load_scene
from robo_orch.sim.tasks import load_suite
from robo_orch.sim.tasks.goals import coarse
from robo_orch.skills import skills

N = 6
REACH = Reach(load_robot("panda"))


@pytest.fixture(scope="module")
def tasks():
    return {name: make(load_suite(name), N, 5) for name in ("kitchen", "kitchen-tamp")}


@pytest.fixture(scope="module", params=["kitchen", "kitchen-tamp"])
def suite(request, tasks):
    return load_suite(request.param), tasks[request.param]


def scene_of(task):
    bystanders = int(task.perturbation.get("bystanders", 0))
    layout = lay_out(load_scene(task.scene), task.seed, task.require, bystanders)
    return layout, facts_of(layout)


def test_what_a_task_says_is_what_it_means_in_its_scene(suite):
    for task in suite[1]:
        layout, facts = scene_of(task)
        assert set(ground(task.goal, layout.inventory, facts).predicates) == set(task.facts)


def test_nothing_asked_for_holds_already(suite):
    for task in suite[1]:
        _, facts = scene_of(task)
        assert not any(evaluate(fact, facts).holds for fact in task.facts)


def test_every_task_has_a_plan_of_the_length_it_states_with_skills_at_hand(suite):
    kind, made = suite
    low, high = kind.subgoals
    at_hand = offered(kind.skills)
    for task in made:
        layout, facts = scene_of(task)
        goal = ground(task.goal, layout.inventory, facts)
        steps = SymbolicPlanner(at_hand).plan(goal, layout.inventory, facts).steps
        assert [step.subgoal.skill for step in steps] == list(task.skills)
        assert low <= len(steps) == task.subgoals <= high
        assert REACH.lacking(layout, {name for step in steps for name in step.subgoal.args.values()}) == []


def test_scenes_come_from_the_set_that_the_suite_names(suite):
    kind, made = suite
    member = load_scene(kind.scene).sets.of
    assert all((member(task.seed).set, member(task.seed).stratum) == (kind.set, kind.stratum) for task in made)


def test_tamp_gets_no_object_that_has_only_a_coarse_pose(tasks):
    for task in tasks["kitchen-tamp"]:
        inventory = scene_of(task)[0].inventory
        assert not any(coarse(inventory[name]) for fact in task.facts for name in fact.args)
        assert task.coarse == 0
        assert set(task.skills) <= offered("tamp")


def test_the_kitchen_has_its_shares_of_contact_and_of_coarse_poses(tasks):
    made = tasks["kitchen"]
    total = sum(task.subgoals for task in made)
    assert sum(contacts(task) for task in made) >= 0.30 * total
    assert sum(task.coarse for task in made) >= 0.20 * total


def test_the_first_tasks_do_not_depend_on_how_many_follow(tasks):
    assert make(load_suite("kitchen-tamp"), 2, 5) == tasks["kitchen-tamp"][:2]
    assert make(load_suite("kitchen-tamp"), 2, 6) != tasks["kitchen-tamp"][:2]


def test_ids_tell_suite_seed_and_place(tasks):
    assert [task.id for task in tasks["kitchen"]] == [f"kitchen-5-{i:03d}" for i in range(N)]


def test_perturbations_are_such_as_runs_take_and_only_some_tasks_have_one(tasks):
    for name in ("kitchen", "kitchen-tamp"):
        checked(load_suite(name).perturbations)
    assert not any(task.perturbation for task in tasks["kitchen-tamp"])
    assert all(len(task.perturbation) <= 1 for task in tasks["kitchen"])


def test_contact_skills_exist():
    assert CONTACT <= skills().keys() == offered("all")


def test_a_task_that_makes_a_share_worse_waits(tasks):
    shares = {"coarse": 0.2}
    tally = Tally(subgoals=100, coarse=20)
    plain, helpful = (tasks["kitchen"][0].model_copy(update={"subgoals": 4, "coarse": n}) for n in (0, 1))
    assert not tally.helps(plain, shares)
    assert tally.helps(helpful, shares)
    assert Tally(subgoals=100, coarse=30).helps(plain, shares)


def test_a_suite_that_its_scene_cannot_serve_is_refused(monkeypatch):
    monkeypatch.setattr("robo_orch.bench.tasks.SCENES", 1)
    suite = load_suite("kitchen-tamp").model_copy(update={"categories": {"press_turn": 1}, "subgoals": (9, 9)})
    with pytest.raises(SceneError, match="kitchen-tamp"):
        Maker(suite, 0).task(0)
