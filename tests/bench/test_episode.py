# SPDX-License-Identifier: Apache-2.0
"""One subgoal in one held-out scene."""

from __future__ import annotations

import numpy as np
import pytest

from robo_orch.bench import episode as module
from robo_orch.bench.begin import Where, starting
from robo_orch.bench.episode import Episode, Stage, draw, ended, told
from robo_orch.errors import SceneError
from robo_orch.policies.registry import Registry
from robo_orch.robots import load_robot
from robo_orch.sim.scenes import load_scene
from robo_orch.skills import skill
from robo_orch.types import Code, Done
from tests.rogues import Rogue

PANDA = load_robot("panda")
CARDS = Registry.load()
SETS = load_scene("kitchen").sets


def stage(episode: Episode, card="tamp/handle-v1") -> Stage:
    return Stage.set(episode, starting(Where.IN, CARDS[card], episode.subgoal.skill, PANDA))


def test_the_same_seed_is_the_same_episode_and_another_is_another():
    first, again, other = (draw(skill("pick_place"), "pairs", seed) for seed in (5, 5, 6))
    assert (first.layout.seed, first.subgoal) == (again.layout.seed, again.subgoal)
    assert (first.layout.seed, first.subgoal) != (other.layout.seed, other.subgoal)


@pytest.mark.parametrize("stratum", ["pairs", "colours", "kinds"])
def test_what_is_moved_is_what_the_stratum_holds_out(stratum):
    episode = draw(skill("pick_place"), stratum, 1)
    spec = episode.layout.inventory[episode.subgoal.args["object"]]
    assert SETS.test[stratum].holds_out((spec.kind, spec.colour))
    assert SETS.of(episode.layout.seed).set == "test"


def test_what_is_to_be_shut_stands_open_and_what_is_to_be_opened_does_not():
    shut, opened = draw(skill("close_drawer"), "pairs", 0), draw(skill("open_drawer"), "pairs", 0)
    assert shut.opened.keys() == {"drawer"} and not opened.opened
    for episode in (shut, opened):
        referee = stage(episode).simulation.world.referee
        assert not referee.holds(episode.subgoal.predicate)


def test_things_are_put_only_into_what_stands_open():
    seen = [draw(skill("place_in"), "pairs", seed) for seed in range(6)]
    for episode in seen:
        target = episode.layout.inventory[episode.subgoal.args["target"]]
        assert (target.joint is not None) == (target.name in episode.opened)


def test_clutter_is_no_object_of_the_subgoal():
    for seed in range(4):
        plain = draw(skill("pick_place"), "pairs", seed)
        cluttered = draw(skill("pick_place"), "pairs", seed, perturb={"bystanders": 3})
        assert len(cluttered.layout.inventory) >= len(plain.layout.inventory)
        assert cluttered.layout.bystanders == 3


def test_a_swap_has_two_subgoals_that_differ_in_their_object_alone():
    episode = draw(skill("pick_place"), "pairs", 2, swap=True)
    one, other = episode.subgoal.args, episode.other.args
    assert one["object"] != other["object"] and one["target"] == other["target"]


def test_what_no_layout_has_is_said(monkeypatch):
    monkeypatch.setattr(module, "LAYOUTS", 2)
    with pytest.raises(SceneError, match="open_drawer"):
        draw(skill("open_drawer"), "pairs", 0, accept=lambda subgoal, facts: False)


def test_a_card_that_can_do_it_succeeds_and_the_row_tells_start_and_end():
    episode = draw(skill("open_drawer"), "pairs", 0)
    made = stage(episode)
    row = told(episode, made.seen) | made.run(
        made.policy(CARDS["tamp/handle-v1"]), CARDS["tamp/handle-v1"], episode.subgoal, 0
    )
    row |= ended(made)
    assert (row["success"], row["done"], row["code"], row["unsafe"]) == (True, True, "OK", "")
    assert np.allclose(row["start_q"], PANDA.home, atol=1e-3)
    assert not np.allclose(row["start_tool"], row["end_tool"], atol=0.05)
    assert len(row["estimates"]["drawer"]) == 8


def test_a_claim_without_the_fact_is_no_success():
    episode = draw(skill("open_drawer"), "pairs", 0)
    made = stage(episode)

    class Boaster(Rogue):
        def act(self, observation, committed=None):
            return Done("done")

    context = type("Context", (), {"card": CARDS["tamp/handle-v1"], "robot": PANDA})
    row = made.run(Boaster(context), CARDS["tamp/handle-v1"], episode.subgoal, 0)
    assert (row["success"], row["code"]) == (False, str(Code.NOT_YET))
