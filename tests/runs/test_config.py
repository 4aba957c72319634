# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.errors import OptionError
from robo_orch.runs.config import RunConfig, parse_cards, parse_perturbations


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, -math.inf, True])
@pytest.mark.parametrize("name", ["speed", "time_limit"])
def test_numbers_that_cannot_be_used_name_their_option(name, value):  # case C14
    with pytest.raises(OptionError, match=f"--{name.replace('_', '-')}"):
        RunConfig("goal", **{name: value})


@pytest.mark.parametrize(
    "change", [{"speed": 1.5}, {"seed": -1}, {"seed": 2**32}, {"planner": "psychic"}, {"perturb": {"x": math.nan}}]
)
def test_values_out_of_range_are_refused(change):
    with pytest.raises(OptionError):
        RunConfig("goal", **change)


@pytest.mark.parametrize("text", ["", "pose_noise", "=2", "pose_noise=", "pose_noise=much", "pose_noise=1,5"])
def test_perturbations_that_do_not_parse_show_how(text):
    with pytest.raises(OptionError, match=r"pose_noise=2|NAME=VALUE"):
        parse_perturbations([text])


def test_a_perturbation_twice_is_refused():
    with pytest.raises(OptionError, match="twice"):
        parse_perturbations(["a=1", "a=2"])


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,12}", fullmatch=True), st.floats(0, 1e9), max_size=5))
def test_perturbations_are_read_as_written(wanted):
    assert parse_perturbations([f"{name} = {value!r}" for name, value in wanted.items()]) == wanted


@pytest.mark.parametrize("text", ["a,,b", "a,a", ","])
def test_card_lists_with_gaps_or_repeats_are_refused(text):
    with pytest.raises(OptionError, match="--cards"):
        parse_cards(text)


def test_no_cards_means_all():
    assert parse_cards("") == ()
    assert parse_cards("b/y-v1, a/x-v1") == ("b/y-v1", "a/x-v1")
