# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from robo_orch.errors import OptionError
from robo_orch.sim.perturb import PERTURBATIONS, checked, markdown

DOC = Path(__file__).parents[2] / "docs" / "scenes.md"


def test_the_documented_table_is_the_one_in_the_code():
    assert markdown() in DOC.read_text()


def test_what_is_not_given_is_at_its_default_and_defaults_are_in_range():
    settings = checked({"blur": 2})
    assert settings == {n: 2.0 if n == "blur" else e.default for n, e in PERTURBATIONS.items()}
    assert all(e.low <= e.default <= e.high for e in PERTURBATIONS.values())


@pytest.mark.parametrize(
    ("perturb", "words"),
    [
        ({"pose_nois": 1.0}, ("a perturbation", "'pose_nois'", "did you mean pose_noise?")),
        ({"lighting": 0.0}, ("lighting from 0.1 to 3 factor", "got 0")),
        ({"bystanders": 99}, ("bystanders from 0 to 8 objects", "got 99")),
        ({"pose_dropout": float("nan")}, ("pose_dropout from 0 to 1", "nan")),
    ],
)
def test_what_cannot_be_is_refused_with_the_table(perturb, words):
    with pytest.raises(OptionError) as caught:
        checked(perturb)
    for word in (*words, "camera_shift 0..0.3 m", "drawer_closed_again"):
        assert word in str(caught.value)
    assert len(caught.value.lines) == 3 and "\n" not in caught.value.remedy
