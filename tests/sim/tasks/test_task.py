# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.errors import SceneError
from robo_orch.predicates import names
from robo_orch.sim.tasks import Task, load_suite, load_task, parse_fact, parse_task, suite_names
from robo_orch.sim.tasks.goals import CATEGORIES
from robo_orch.types import Predicate

TEXT = """\
schema: 1
id: mine-1
scene: kitchen
seed: 3
goal: put the red cube on the plate
predicates: ["on(red_cube,  plate)"]
objects: [red cube, plate]
perturbation: {pose_noise: 2}
"""

word = st.from_regex(r"[a-z][a-z_0-9]{0,8}", fullmatch=True)


@given(st.sampled_from(names()), st.lists(word, min_size=1, max_size=2), st.booleans())
def test_a_fact_is_read_as_it_is_written(name, args, negated):
    fact = Predicate(name, tuple(args), negated)
    assert parse_fact(str(fact)) == fact


@pytest.mark.parametrize("text", ["", "on red_cube plate", "on(red_cube", "floating(red_cube)", "not not open(drawer)"])
def test_what_is_no_fact_is_refused(text):
    with pytest.raises(ValueError):
        parse_fact(text)


def test_a_task_says_what_a_person_wrote():
    task = parse_task(TEXT, "mine.yaml")
    assert task.facts == (Predicate("on", ("red_cube", "plate")),)
    assert task.predicates == ("on(red_cube, plate)",)
    assert task.require == (("cube", "red"), ("plate", ""))
    assert task.perturbation == {"pose_noise": 2.0}


def test_a_task_survives_being_written_and_read(tmp_path):
    task = parse_task(TEXT, "mine.yaml")
    (tmp_path / "task.yaml").write_text(task.yaml())
    assert load_task(tmp_path / "task.yaml") == task
    assert Task.model_validate(task.model_dump(mode="json", by_alias=True)) == task


def test_what_a_scene_must_contain_may_be_left_to_seed_or_goal():
    assert parse_task(TEXT.replace("[red cube, plate]", "[]"), "mine.yaml").require == ()
    assert parse_task(TEXT.replace("objects: [red cube, plate]\n", ""), "mine.yaml").require is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("seed: 3", "seed: -1"), "seed"),
        (("seed: 3\n", ""), "seed"),
        (("goal:", "gaol:"), "gaol"),
        (("on(red_cube,  plate)", "at on"), "a fact such as"),
        (("on(red_cube,  plate)", "onto(red_cube, plate)"), "no predicate 'onto'"),
        (("id: mine-1", "id: ../../mine"), "id"),
        (("schema: 1", "schema: 2"), "schema"),
        (("goal: put", "goal: [put"), "line"),
        ((TEXT, "just words"), "keys with values were expected, got 'just words'"),
        ((TEXT, ""), "keys with values"),
        (("seed: 3", "seed: true"), "seed"),
        (("seed: 3", "seed: '3'"), "seed"),
        (("pose_noise: 2", "pose_noise: yes"), "pose_noise"),
        (("pose_noise: 2", "pose_noise: .nan"), "pose_noise"),
        (("seed: 3", "seed: 3\nseed: 4"), "'seed' is there twice"),
        (("seed: 3", f"seed: {'7' * 5000}"), "mine.yaml"),
        ((TEXT, "[" * 5000), "mine.yaml"),
    ],
)
def test_a_broken_task_is_refused_with_the_place(change, says):
    with pytest.raises(SceneError) as caught:
        parse_task(TEXT.replace(*change), "mine.yaml")
    assert "mine.yaml" in caught.value.got
    assert says in caught.value.got


def test_a_missing_file_is_refused_with_what_makes_some(tmp_path):
    with pytest.raises(SceneError, match="tasks make"):
        load_task(tmp_path / "nowhere.yaml")
    with pytest.raises(SceneError):
        load_task(tmp_path)


def test_the_two_suites_are_as_promised():
    assert suite_names() == ["kitchen", "kitchen-tamp"]
    kitchen, tamp = map(load_suite, suite_names())
    assert kitchen.subgoals == (1, 10)
    assert kitchen.shares == {"contact": 0.3, "coarse": 0.2}
    assert (tamp.subgoals, tamp.precise) == ((1, 4), True)
    assert kitchen.categories.keys() == tamp.categories.keys() == CATEGORIES.keys()
    with pytest.raises(SceneError, match="kitchen"):
        load_suite("kitschen")
