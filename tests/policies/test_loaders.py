# SPDX-License-Identifier: Apache-2.0
"""Loaders: from a card to a policy, or a reason why not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from robo_orch.errors import CardError
from robo_orch.policies.loaders import PolicyContext, load_policy, version
from robo_orch.policies.registry import Registry
from robo_orch.robots import load_robot

CARD = Registry.load()["tamp/pick-place-v1"]


class NoPolicy:
    def __init__(self, context):
        self.context = context


class Broken:
    def __init__(self, context):
        raise RuntimeError("no such checkpoint")


class Still(NoPolicy):
    def reset(self, subgoal, observation, seed):
        pass

    act = close = reset


def context(loader: str) -> PolicyContext:
    return PolicyContext(load_robot("panda"), {}, CARD.model_copy(update={"loader": loader}))


@pytest.mark.parametrize(
    ("loader", "named"),
    [
        ("pickle:/evil", "python"),
        ("python:robo_orch.nowhere:Policy", "nowhere"),
        ("python:robo_orch.types:Nothing", "Nothing"),
        ("python:", "loads"),
        ("python:os:system", "class"),
        (f"python:{__name__}:NoPolicy", "reset"),
        (f"python:{__name__}:Broken", "no such checkpoint"),
    ],
)
def test_what_cannot_be_loaded_is_refused_with_the_reason(loader, named):
    with pytest.raises(CardError, match=named):
        load_policy(context(loader))


def test_the_version_changes_with_the_card():
    assert version(CARD) == version(CARD)
    assert version(CARD) != version(CARD.model_copy(update={"rate_hz": 25.0}))


def test_a_module_may_lie_beside_its_card_and_is_never_mistaken_for_another(tmp_path):
    (tmp_path / "beside_the_card.py").write_text(f"from {__name__} import Still\n")
    made = context("python:beside_the_card:Still")
    here = made.card.model_copy(update={"folder": tmp_path})
    assert isinstance(load_policy(replace(made, card=here)), Still)
    (tmp_path / "json.py").write_text("")
    other = here.model_copy(update={"loader": "python:json:JSONDecoder"})
    with pytest.raises(CardError, match="another module json"):
        load_policy(replace(made, card=other))
