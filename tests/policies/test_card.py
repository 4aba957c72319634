# SPDX-License-Identifier: Apache-2.0
"""Policy cards: strict, with errors that name the key."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from robo_orch.errors import CardError
from robo_orch.policies.card import load_card
from robo_orch.policies.registry import SHIPPED, Registry
from robo_orch.skills import skill
from robo_orch.types import Predicate

CARD = SHIPPED / "tamp" / "pick_place.card.yaml"


def written(tmp_path: Path, **changes) -> Path:
    body = yaml.safe_load(CARD.read_text()) | changes
    path = tmp_path / "mine.card.yaml"
    path.write_text(yaml.safe_dump({k: v for k, v in body.items() if v is not None}))
    return path


def test_every_shipped_card_loads():
    cards = Registry.load()
    assert {"pick_place", "stack"} <= cards.skills
    assert len({card.id for card in cards}) == len(cards.cards)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"colour": "blue"}, "colour"),
        ({"action": None}, "action"),
        ({"id": "PickPlace"}, "id"),
        ({"skills": ["juggle"]}, "juggle"),
        ({"skills": []}, "skills"),
        ({"rate_hz": True}, "rate_hz"),
        ({"rate_hz": float("nan")}, "rate_hz"),
        ({"rate_hz": 0}, "rate_hz"),
        ({"cost_seconds": float("inf")}, "cost_seconds"),
        ({"preconditions": ["clear object"]}, "clear object"),
        ({"preconditions": ["clear(banana)"]}, "banana"),
        ({"takes": {"juggle": {"object": ["cube"]}}}, "juggle"),
        ({"takes": {"pick_place": {"banana": ["cube"]}}}, "banana"),
        ({"action": {"kind": "joint_delta", "dim": 8, "gripper": "width"}}, "reference"),
        ({"action": {"kind": "wiggle", "dim": 8, "gripper": "width"}}, "kind"),
        ({"schema": 2}, "schema"),
    ],
)
def test_a_broken_card_is_refused_and_the_key_is_named(tmp_path, changes, named):
    with pytest.raises(CardError) as error:
        load_card(written(tmp_path, **changes))
    assert named in str(error.value)


def test_a_missing_or_unreadable_card_is_refused(tmp_path):
    with pytest.raises(CardError, match="check the path"):
        load_card(tmp_path / "none.card.yaml")
    for content, words in ((b"a: [", "line 2"), (b"\xff\xfe\x00", "no text in UTF-8"), (b"- a", "keys with values")):
        (tmp_path / "x.card.yaml").write_bytes(content)
        with pytest.raises(CardError, match=words):
            load_card(tmp_path / "x.card.yaml")


def test_preconditions_bind_to_the_subgoal_and_skip_roles_it_lacks():
    card = load_card(CARD)
    facts = card.requires(skill("stack").subgoal("red_cube", "blue_cube"))
    assert Predicate("clear", ("red_cube",)) in facts
    assert Predicate("holding", ("blue_cube",), negated=True) in facts
    assert all("blue_cube" not in f.args for f in card.requires(skill("open_drawer").subgoal("drawer")))


def test_a_users_folder_adds_a_card_and_only_selects_in_order(tmp_path):
    written(tmp_path, id="tamp/mine-v1")
    cards = Registry.load([tmp_path])
    assert cards["tamp/mine-v1"].id == "tamp/mine-v1"
    chosen = Registry.load([tmp_path], only=["tamp/mine-v1", "tamp/pick-place-v1"])
    assert [c.id for c in chosen] == ["tamp/mine-v1", "tamp/pick-place-v1"]


def test_unknown_and_doubled_cards_are_refused(tmp_path):
    with pytest.raises(CardError, match="did you mean tamp/pick-place-v1"):
        Registry.load(only=["tamp/pick-place-v2"])
    written(tmp_path)
    with pytest.raises(CardError, match="one card per id"):
        Registry.load([tmp_path])
    with pytest.raises(CardError):
        Registry.load()["nobody/none-v1"]
