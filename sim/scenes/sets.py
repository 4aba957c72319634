# SPDX-License-Identifier: Apache-2.0
"""Which seeds are for training, validation and test, and what only some of them may show.

What is held out by a stratum appears in layouts of its seeds only, unless a goal asks for it by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict

#: A kind and a colour, colour empty where the kind has none worth naming.
Pair = tuple[str, str]


class Stratum(BaseModel):
    """A range of seeds, first and last, and what appears in it alone: pairs of kind and colour, colours, kinds."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    seeds: tuple[int, int]
    pairs: tuple[Pair, ...] = ()
    colours: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def holds_out(self, pair: Pair) -> bool:
        """Whether the pair appears in no other stratum."""
        kind, colour = pair
        return pair in self.pairs or colour in self.colours or kind in self.kinds


@dataclass(frozen=True, slots=True)
class Membership:
    """Which set and stratum a seed belongs to; both empty for a seed that no set claims."""

    set: str = ""
    stratum: str = ""


class Sets(BaseModel):
    """All sets by name, their strata by name.

    Raises:
        ValueError: two strata claim the same seed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    train: dict[str, Stratum] = {}
    validation: dict[str, Stratum] = {}
    test: dict[str, Stratum] = {}

    def model_post_init(self, _context: object) -> None:
        """Refuse ranges that are empty or overlap."""
        last = -1
        for first, end in sorted(stratum.seeds for _, stratum in self._all()):
            if first <= last or end < first:
                raise ValueError(f"seeds {first} to {end} are empty, below 0 or in two strata")
            last = end

    @classmethod
    def none(cls) -> Self:
        """No sets: every seed may show everything."""
        return cls()

    def of(self, seed: int) -> Membership:
        """Where a seed belongs."""
        return next((m for m, s in self._all() if s.seeds[0] <= seed <= s.seeds[1]), Membership())

    def seeds(self, set_name: str, stratum: str) -> range:
        """All seeds of a stratum.

        Raises:
            KeyError: there is no such set or stratum.
        """
        first, last = self._by_name()[set_name][stratum].seeds
        return range(first, last + 1)

    def allows(self, seed: int, pair: Pair) -> bool:
        """Whether a layout of this seed may show a kind in a colour unasked."""
        holders = [stratum for _, stratum in self._all() if stratum.holds_out(pair)]
        return not holders or any(s.seeds[0] <= seed <= s.seeds[1] for s in holders)

    def features(self, seed: int, pair: Pair) -> bool:
        """Whether a kind in a colour is what this seed's stratum is there for."""
        member = self.of(seed)
        return bool(member.set) and self._by_name()[member.set][member.stratum].holds_out(pair)

    def _by_name(self) -> Mapping[str, Mapping[str, Stratum]]:
        return {"train": self.train, "validation": self.validation, "test": self.test}

    def _all(self) -> Iterator[tuple[Membership, Stratum]]:
        for name, strata in self._by_name().items():
            for stratum, described in strata.items():
                yield Membership(name, stratum), described
