# SPDX-License-Identifier: Apache-2.0
"""The order in which cards are tried where nobody has said another one: ``order.yaml``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import field_validator

from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import CardError
from robo_orch.policies.card import Family
from robo_orch.policies.registry import Registry

_FILE = Path(__file__).with_name("order.yaml")


class Order(Strict):
    """Every family once, the one that is tried first in front."""

    families: tuple[Family, ...]

    @field_validator("families")
    @classmethod
    def _each_once(cls, value: tuple[Family, ...]) -> tuple[Family, ...]:
        if sorted(value) != sorted(Family):
            raise ValueError(f"each of {', '.join(Family)} once was expected, got {', '.join(value)}")
        return value


def in_order(cards: Registry) -> Registry:
    """The same cards, by family as configured and within a family by id."""
    place = {family: i for i, family in enumerate(order().families)}
    return Registry(tuple(sorted(cards, key=lambda card: (place[card.family], card.id))))


@cache
def order() -> Order:
    """The configured order.

    Raises:
        CardError: the file is missing or broken.
    """
    expected = "an order of families"
    return parsed(read(_FILE, expected, CardError), Order, expected, CardError, _FILE.name)
