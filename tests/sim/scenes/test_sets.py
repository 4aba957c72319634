# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from robo_orch.sim.scenes import Membership, Sets, lay_out, load_scene

KITCHEN = load_scene("kitchen")
SETS = KITCHEN.sets
STRATA = {
    Membership(name, stratum): described
    for name, strata in (("train", SETS.train), ("validation", SETS.validation), ("test", SETS.test))
    for stratum, described in strata.items()
}


def seeds_of(member):
    first, last = STRATA[member].seeds
    return st.integers(first, last)


def drawn(seed):
    return {(o.kind, o.colour) for o in lay_out(KITCHEN, seed).inventory.values() if not o.fixed and o.joint is None}


@given(st.integers(0, 2**40))
def test_a_seed_is_in_one_stratum_at_most(seed):
    claimed = [member for member, stratum in STRATA.items() if stratum.seeds[0] <= seed <= stratum.seeds[1]]
    assert claimed == ([SETS.of(seed)] if SETS.of(seed).set else [])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(STRATA, key=str)).flatmap(lambda m: st.tuples(st.just(m), seeds_of(m))))
def test_a_layout_shows_nothing_that_another_stratum_holds_out(case):
    member, seed = case
    for pair in drawn(seed):
        assert not [m for m, stratum in STRATA.items() if m != member and stratum.holds_out(pair)], pair


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(["pairs", "colours", "kinds"]).flatmap(lambda s: seeds_of(Membership("test", s))))
def test_a_test_layout_shows_what_its_stratum_holds_out(seed):
    stratum = STRATA[SETS.of(seed)]
    assert any(stratum.holds_out(pair) for pair in drawn(seed))


def test_a_goal_overrides_what_is_held_out():
    seed = STRATA[Membership("train", "all")].seeds[0]
    assert "purple_cube" in lay_out(KITCHEN, seed, [("cube", "purple")]).inventory


def test_each_trained_kind_and_colour_of_a_held_out_pair_is_trained_with_others():
    """Else a pair would test an unseen kind or colour, and not their combination."""
    trained = {(e.kind, c) for e in KITCHEN.pool for c in e.colours if SETS.allows(100_000, (e.kind, c))}
    for kind, colour in (*SETS.test["pairs"].pairs, *SETS.validation["pairs"].pairs):
        assert kind in {k for k, _ in trained} and colour in {c for _, c in trained}
        assert (kind, colour) not in trained
    assert len({k for k, _ in trained}) >= 6 and len({c for _, c in trained}) >= 6


def test_the_range_of_a_stratum_is_its_seeds():
    seeds = SETS.seeds("test", "colours")
    assert {SETS.of(s) for s in (seeds[0], seeds[-1])} == {Membership("test", "colours")}
    assert SETS.of(seeds[-1] + 1) != Membership("test", "colours")


@pytest.mark.parametrize("second", [[5, 9], [12, 11], [-3, -1]])
def test_ranges_that_overlap_or_are_empty_are_refused(second):
    with pytest.raises(ValidationError, match="seeds"):
        Sets.model_validate({"train": {"all": {"seeds": [0, 5]}}, "test": {"pairs": {"seeds": second}}})
