# SPDX-License-Identifier: Apache-2.0
"""What is to be done, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from robo_orch.types.codes import Code, Outcome


@dataclass(frozen=True, slots=True)
class Predicate:
    """A fact about the world: ``on(red_cube, plate)``, possibly negated."""

    name: str
    args: tuple[str, ...]
    negated: bool = False

    def __str__(self) -> str:
        text = f"{self.name}({', '.join(self.args)})"
        return f"not {text}" if self.negated else text

    def negate(self) -> Predicate:
        """The opposite fact."""
        return Predicate(self.name, self.args, not self.negated)


@dataclass(frozen=True, slots=True)
class Goal:
    """What a person asked for: their words, and the conjunction of facts they stand for.

    Attributes:
        text: as it was said.
        predicates: what must hold at the end, in the order said.
        stages: where order was asked for ("then", "before"), the facts to bring about one stage after the other;
            a later stage may undo an earlier one. Empty where all may be done in any order.
    """

    text: str
    predicates: tuple[Predicate, ...]
    stages: tuple[tuple[Predicate, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Subgoal:
    """One step of a plan: a skill applied to named objects, done when its predicate holds.

    Attributes:
        text: in words, as a person would say it.
        skill: the kind of subgoal (``pick_place``, ``stack``, ``open_drawer``, ...).
        predicate: the postcondition.
        args: the skill's arguments by role, for example ``{"object": "red_cube", "target": "plate"}``.
    """

    text: str
    skill: str
    predicate: Predicate
    args: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One attempt of one card at one subgoal, as memory keeps it."""

    card: str
    version: str
    subgoal: Subgoal
    outcome: Outcome
    verdict: Code
    attempt: int
    start: float
    seconds: float
    seed: int
