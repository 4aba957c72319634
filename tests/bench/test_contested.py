# SPDX-License-Identifier: Apache-2.0
"""Two cards at the same subgoals: when their curves cross, and that both meet the same scenes."""

from __future__ import annotations

import pytest

from robo_orch.bench import contested
from robo_orch.bench.cells import Cell
from robo_orch.bench.contested import Pair, Stratum
from robo_orch.errors import OptionError
from robo_orch.policies.registry import Registry
from robo_orch.sim.perturb import checked
from robo_orch.skills import skill

PAIR = Pair(
    skill="open_drawer",
    cards=("tamp/a-v1", "rl/b-v1"),
    strata=(Stratum(name="near", evidence="where it stands"), Stratum(name="far", evidence="where it stands")),
)


def rows(**successes):
    """Rows of both cards in each stratum: ``near=(10, 4)`` of ten each."""
    return [
        {"arm": f"open_drawer|{name}|{card}", "episode": i, "success": i < n, "done": True, "code": "UNSAFE"}
        for name, each in successes.items()
        for card, n in zip(PAIR.cards, each, strict=True)
        for i in range(10)
    ]


def test_curves_cross_where_each_card_is_better_somewhere():
    told = contested.summarise((PAIR,), rows(near=(4, 9), far=(10, 1)))
    assert told["crossing"] == 1
    entry = told["skills"][0]
    assert entry["skill"] == "open_drawer" and entry["crossing"]
    assert entry["best_in"] == {"tamp/a-v1": "far", "rl/b-v1": "near"}
    near = entry["strata"][0]
    assert near["name"] == "near" and near["difference"] == pytest.approx(-0.5)
    figures = near["cards"]["rl/b-v1"]
    assert (figures["n"], figures["success"], figures["done"]) == (10, 0.9, 1.0)
    assert figures["success_ci95"][0] < 0.9 < figures["success_ci95"][1]
    assert figures["failures"] == {"UNSAFE": 1}


@pytest.mark.parametrize(
    "measured", [{"near": (9, 9), "far": (10, 1)}, {"near": (8, 9), "far": (10, 1)}, {"far": (9, 1)}]
)
def test_a_card_that_is_nowhere_clearly_better_makes_no_crossing(measured):
    assert not contested.summarise((PAIR,), rows(**measured))["skills"][0]["crossing"]


def test_a_pair_whose_card_is_not_there_is_skipped_and_says_why():
    told = contested.summarise((PAIR,), [])["skills"][0]
    assert not told["crossing"] and told["strata"] == []
    assert "tamp/a-v1 and rl/b-v1 are not among the cards" in told["skipped"]


def test_every_pair_competes_for_a_skill_of_both_in_strata_that_exist():
    cards = Registry.load()
    assert len({pair.skill for pair in contested.pairs()}) >= 3
    for pair in contested.pairs():
        assert skill(pair.skill)
        for stratum in pair.strata:
            assert checked(stratum.perturb) and stratum.evidence
        if not pair.missing(cards):
            assert all(pair.skill in cards[name].skills for name in pair.cards)
            assert all(stratum.home in ("", *pair.cards) for stratum in pair.strata)


@pytest.mark.parametrize(
    ("asked", "named"), [({"skills": ["stack"]}, "open_drawer"), ({"held_out": "train"}, "validation")]
)
def test_what_is_not_compared_is_refused(asked, named):
    with pytest.raises(OptionError, match=named):
        contested.bench(**asked)


def test_strata_of_one_name_are_refused():
    with pytest.raises(ValueError, match="different names"):
        Pair(skill="open_drawer", cards=("a", "b"), strata=(PAIR.strata[0], PAIR.strata[0]))


def test_both_cards_meet_the_same_scene_from_the_same_start():
    made = contested.bench(["close_door"], "validation")
    played = {arm: contested.work(Cell(arm, 0, 5, None, made.options)) for arm in made.arms if "near-vague" in arm}
    one, other = played.values()
    assert one["layout"] == other["layout"] and one["start_q"] == other["start_q"]
    assert one["perturb"] == {"pose_noise": 6}
    assert {row["skill"] for row in played.values()} == {"close_door"}
