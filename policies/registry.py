# SPDX-License-Identifier: Apache-2.0
"""Which policies there are: cards found in the package and in folders that a user names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from robo_orch.errors import CardError, unknown
from robo_orch.policies.card import PolicyCard, load_card

SHIPPED = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Registry:
    """Cards in the order in which they are tried."""

    cards: tuple[PolicyCard, ...]

    @classmethod
    def load(cls, folders: Iterable[Path] = (), only: Iterable[str] = ()) -> Registry:
        """The shipped cards and those of further folders (``**/*.card.yaml``), or ``only`` some, in that order.

        Raises:
            CardError: a broken card, two cards with one id, or an id in ``only`` that does not exist.
        """
        found: dict[str, PolicyCard] = {}
        for folder in (SHIPPED, *folders):
            for path in sorted(folder.glob("**/*.card.yaml")):
                card = load_card(path)
                if card.id in found:
                    raise CardError("one card per id", f"a second {card.id} in {path}", "raise its version")
                found[card.id] = card
        wanted = tuple(only) or tuple(found)
        for name in wanted:
            if name not in found:
                raise unknown(CardError, "a card", name, found)
        return cls(tuple(found[name] for name in wanted))

    @property
    def skills(self) -> frozenset[str]:
        """Every skill that some card offers."""
        return frozenset(name for card in self.cards for name in card.skills)

    def __iter__(self) -> Iterator[PolicyCard]:
        return iter(self.cards)

    def __getitem__(self, card_id: str) -> PolicyCard:
        for card in self.cards:
            if card.id == card_id:
                return card
        raise unknown(CardError, "a card", card_id, (c.id for c in self.cards))
