# SPDX-License-Identifier: Apache-2.0
"""What a goal has spoken of so far, clause by clause: what "it", "them" and "the others" go by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Self

#: Objects spoken of together.
Group = tuple[str, ...]


@dataclass(slots=True)
class Discourse:
    """Groups of objects and nouns, the latest last.

    Attributes:
        clauses: the groups of each clause; what only tells which thing is meant ("the drawer *of the cabinet*") stands
            in a clause of its own before the one that it is said in.
        nouns: every noun.
        collective: whether the latest clause is about "everything", which "it" takes up as a whole.
    """

    clauses: list[list[Group]] = field(default_factory=lambda: [[], []])
    nouns: list[str] = field(default_factory=list)
    collective: bool = False

    def begin(self) -> None:
        """A new clause begins."""
        self.clauses += [[], []]
        self.collective = False

    def note(self, names: Sequence[str], aside: bool = False) -> None:
        """Objects were spoken of, or only mentioned ``aside``."""
        self.clauses[-2 if aside else -1].append(tuple(names))

    @property
    def groups(self) -> list[Group]:
        """Every group."""
        return [group for clause in self.clauses for group in clause]

    def mentioned(self) -> set[str]:
        """Every object spoken of."""
        return {name for group in self.groups for name in group}

    def singles(self) -> Iterator[list[str]]:
        """What was spoken of by itself, each once: the latest clause and in it the latest object first."""
        told: set[str] = set()
        for clause in reversed(self.clauses):
            names = dict.fromkeys(group[0] for group in reversed(clause) if len(group) == 1)
            if found := [name for name in names if name not in told]:
                told.update(found)
                yield found

    def copy(self) -> Self:
        """Another discourse that starts from here."""
        return type(self)([list(clause) for clause in self.clauses], list(self.nouns), self.collective)
