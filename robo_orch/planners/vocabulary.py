# SPDX-License-Identifier: Apache-2.0
"""The words by which objects can be named: from a scene's inventory or from the catalogue, never from the grammar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from robo_orch.objects import Inventory
from robo_orch.planners.english import english, phrase, plural


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun as it stands in a text: its singular, whether it is plural there, the kinds it may mean."""

    singular: str
    plural: bool
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words for objects.

    Attributes:
        nouns: by phrase, in singular and plural.
        colours: canonical colour by phrase (``light blue``).
        names: an object's name by each phrase that means exactly this one (``red cube 2``, ``red_cube``).
        given: kinds that a scene has or has not, whatever a goal says: furniture and its parts.
        shades: the colours in which a kind exists; a kind that is not listed exists in any.
    """

    nouns: Mapping[str, Noun]
    colours: Mapping[str, str]
    names: Mapping[str, str] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    shades: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        kinds: Mapping[str, Iterable[str]],
        colours: Iterable[str],
        names: Mapping[str, str] | None = None,
        given: Iterable[str] = (),
        shades: Mapping[str, Iterable[str]] | None = None,
    ) -> Self:
        """A vocabulary from kinds with their further words, and colours.

        What is a kind's own name is no word for another kind: where there are tins, a can is not called a tin.
        """
        by_word: dict[str, list[str]] = {}
        own = {phrase(kind): kind for kind in kinds}
        for kind, further in kinds.items():
            for word in dict.fromkeys(map(phrase, (kind, *further, *english().also.get(kind, ())))):
                if _usable(word) and own.get(word, kind) == kind:
                    by_word.setdefault(word, []).append(kind)
        nouns = {plural(w): Noun(w, True, tuple(k)) for w, k in by_word.items()}
        nouns |= {w: Noun(w, False, tuple(k)) for w, k in by_word.items()}
        said = {phrase(c): c for c in colours if c}
        by_kind = {kind: frozenset(c) for kind, c in (shades or {}).items()}
        return cls(nouns, {p: c for p, c in said.items() if _usable(p)}, names or {}, frozenset(given), by_kind)

    @classmethod
    def of_inventory(cls, inventory: Inventory) -> Self:
        """The words for what one scene contains."""
        kinds: dict[str, tuple[str, ...]] = {}
        names: dict[str, str] = {}
        for name, spec in inventory.items():
            kinds[spec.kind] = (*kinds.get(spec.kind, ()), *spec.words)
            names[name.casefold()] = name
            said = phrase(name)
            if said not in (phrase(f"{spec.colour} {w}") for w in (spec.kind, *spec.words)) and _usable(said):
                names[said] = name
        return cls.of(kinds, (spec.colour for spec in inventory.values()), names)

    @classmethod
    def of_catalogue(cls) -> Self:
        """The words for everything that the catalogue can make."""
        from robo_orch import catalogue

        movable = {name: catalogue.kind(name) for name in catalogue.kinds()}
        parts = [part for name in catalogue.furniture_names() for part in catalogue.furniture(name)]
        words = {part.kind: part.words for part in parts} | {name: kind.words for name, kind in movable.items()}
        given = {part.kind for part in parts} - movable.keys()
        shades = {name: kind.colours for name, kind in movable.items()}
        return cls.of(words, catalogue.colours(), given=given, shades=shades)

    def offers(self, kind: str, colours: Iterable[str]) -> bool:
        """Whether ``kind`` exists in all of ``colours``."""
        return kind not in self.shades or self.shades[kind].issuperset(colours)

    def coming_in(self, colours: Iterable[str]) -> tuple[str, ...]:
        """Kinds that are known to exist in all of ``colours``; none for no colour."""
        wanted = set(colours)
        return tuple(kind for kind, shades in self.shades.items() if wanted and wanted <= shades)

    def singular(self, word: str) -> str:
        """The singular of a noun as it stands in a text, empty for any other word."""
        return self.nouns[word].singular if word in self.nouns else ""

    def knows(self, text: str) -> bool:
        """Whether ``text`` is a noun, a colour or a name."""
        return text in self.nouns or text in self.colours or text in self.names

    @property
    def longest(self) -> int:
        """Words in the longest phrase."""
        return max((p.count(" ") + 1 for table in (self.nouns, self.colours, self.names) for p in table), default=1)


def _usable(text: str) -> bool:
    # A name with "and" or "on" in it would cut sentences elsewhere than people do; such an object is named by its kind.
    # "Of" between other words does no harm ("box of tea").
    said = text.split()
    inner = [word for i, word in enumerate(said) if word != "of" or i in (0, len(said) - 1)]
    return bool(said) and not english().function_words.intersection(inner)
