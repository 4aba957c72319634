# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from pydantic import ValidationError

from robo_orch.policies.card import Family
from robo_orch.policies.order import Order, in_order, order
from robo_orch.policies.registry import Registry

CARD = Registry.load()["tamp/handle-v1"]


def card(card_id: str, family: Family):
    return CARD.model_copy(update={"id": card_id, "family": family})


def test_cards_are_tried_by_family_as_configured_and_then_by_id():
    cards = [card("me/a-v1", Family.VLA), card("me/c-v1", Family.RL), card("me/b-v1", Family.RL), CARD]
    assert [c.id for c in in_order(Registry(tuple(cards)))] == ["tamp/handle-v1", "me/b-v1", "me/c-v1", "me/a-v1"]


def test_the_configured_order_has_every_family():
    assert set(order().families) == set(Family)
    with pytest.raises(ValidationError, match="each of"):
        Order(families=(Family.RL, Family.TAMP))
