# SPDX-License-Identifier: Apache-2.0
"""Which policies there are: cards shipped, brought by installed packages, and in folders that a user names.

* shipped: ``*.card.yaml`` anywhere below this folder;
* installed: what entry points of the group ``robo_orch.policies`` name, a folder or a list of cards and folders;
* a user's: folders in the environment variable ``ROBO_ORCH_POLICIES``, and those of the option ``--policies``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from robo_orch.errors import CardError, unknown
from robo_orch.policies.card import PolicyCard, load_card

SHIPPED = Path(__file__).parent
#: Entry points under this name bring cards.
GROUP = "robo_orch.policies"
#: Folders in this environment variable are searched, separated as in ``PATH``.
VARIABLE = "ROBO_ORCH_POLICIES"
_SUFFIX = ".card.yaml"


@dataclass(frozen=True, slots=True)
class Registry:
    """Cards in the order in which they are tried."""

    cards: tuple[PolicyCard, ...]

    @classmethod
    def load(cls, folders: Iterable[Path] = (), only: Iterable[str] = ()) -> Registry:
        """All cards, those of further folders (``**/*.card.yaml``) included, or ``only`` some, in that order.

        A card that is found twice by the same path counts once.

        Raises:
            CardError: a broken card, two cards with one id, a folder without cards, a package that cannot tell where
                its cards are, or an id in ``only`` that does not exist.
        """
        found: dict[str, tuple[PolicyCard, Path]] = {}
        for path in dict.fromkeys(p.resolve() for p in _paths(folders)):
            card = load_card(path)
            if card.id in found:
                got = f"{card.id} in {found[card.id][1]} and in {path}"
                raise CardError("one card per id", got, "raise the version in one of them, or leave a folder out")
            found[card.id] = card, path
        wanted = tuple(only) or tuple(found)
        for name in wanted:
            if name not in found:
                raise unknown(CardError, "a card", name, found)
        return cls(tuple(found[name][0] for name in wanted))

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


def _paths(folders: Iterable[Path]) -> Iterator[Path]:
    yield from _below(SHIPPED, "the shipped cards")
    for point in entry_points(group=GROUP):
        yield from _installed(point)
    for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        yield from _below(Path(name), f"the environment variable {VARIABLE}")
    for folder in folders:
        yield from _below(folder, "--policies")


def _below(place: Path, who: str) -> list[Path]:
    """The cards in a folder, or a card's own path."""
    paths = [place] if place.name.endswith(_SUFFIX) else sorted(place.glob(f"**/*{_SUFFIX}"))
    if not paths:
        got = f"{place}, where there is {'none' if place.is_dir() else 'no such folder'}"
        raise CardError(f"a folder with cards (*{_SUFFIX}), for {who}", got, "correct the path")
    return paths


def _installed(point: EntryPoint) -> list[Path]:
    """The cards that an installed package brings."""
    package = point.dist.name if point.dist else point.value
    who = f"{point.name!r}, an entry point of the package {package}"
    try:
        told = point.load()
        told = told() if callable(told) else told
        places = [told] if isinstance(told, str | os.PathLike) else list(told)
        return [path for place in places for path in _below(Path(place), who)]
    except CardError:
        raise
    except Exception as error:  # foreign code: whatever it raises, its package is to be named
        got = f"{type(error).__name__}: {error}"
        raise CardError(f"a folder or list of cards from {who}", got, f"mend or uninstall {package}") from error
