# SPDX-License-Identifier: Apache-2.0
"""One task as a YAML file: read strictly, written so that people can edit it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import AfterValidator, Field

from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import SceneError
from robo_orch.predicates import names
from robo_orch.types import Predicate

#: Seeds fit into 32 bits, as every generator that is seeded with one accepts.
MAX_SEED = 2**32 - 1

_FACT = re.compile(r"(?P<not>not\s+)?(?P<name>\w+)\(\s*(?P<args>[^()]*)\)")


def parse_fact(text: str) -> Predicate:
    """A fact from its text, ``on(red_cube, plate)`` or ``not open(drawer)``: the opposite of ``str(predicate)``.

    Raises:
        ValueError: it is none, or of a predicate that does not exist.
    """
    match = _FACT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"a fact such as 'on(red_cube, plate)' or 'not open(drawer)' was expected, got {text!r}")
    if match["name"] not in names():
        raise ValueError(f"no predicate {match['name']!r}, there is {', '.join(names())}")
    return Predicate(match["name"], tuple(part.strip() for part in match["args"].split(",")), bool(match["not"]))


def _fact_text(text: str) -> str:
    return str(parse_fact(text))


#: A fact as text, in its one spelling.
FactText = Annotated[str, AfterValidator(_fact_text)]
#: An object that a scene must contain: ``red cube``, or a kind alone.
Wanted = Annotated[str, Field(pattern=r"^(\w+ )?\w+$")]


class Task(Strict):
    """One task.

    Attributes:
        id: unique in its suite.
        scene: a shipped scene's name, or the path of a scene's YAML.
        seed: of the scene's layout and of everything drawn in a run.
        objects: what the scene must contain, ``red cube`` or ``cube``; empty: what the seed gives; null: what the goal
            names.
        goal: in words.
        predicates: the facts that the goal stands for; a run whose goal is understood otherwise is refused. Empty where
            nobody has said.
        perturbation: perturbations by name, as ``run --perturb`` takes them.
        category, suite: what it was made for.
        subgoals: steps of the plan from the start, 0 where it was not counted.
        skills: the kinds of these steps.
        coarse: how many of these steps concern an object with nothing but a coarse pose.
    """

    schema_version: Annotated[int, Field(strict=True, ge=1, le=1)] = Field(default=1, alias="schema")
    id: str = Field(pattern=r"^[\w.-]+$")
    scene: str
    seed: int = Field(strict=True, ge=0, le=MAX_SEED)
    goal: str = Field(min_length=1)
    predicates: tuple[FactText, ...] = ()
    objects: tuple[Wanted, ...] | None = None
    perturbation: dict[str, Annotated[float, Field(strict=True)]] = Field(default_factory=dict)
    category: str = ""
    suite: str = ""
    subgoals: int = Field(0, ge=0)
    skills: tuple[str, ...] = ()
    coarse: int = Field(0, ge=0)

    @property
    def facts(self) -> tuple[Predicate, ...]:
        """The predicates as values."""
        return tuple(parse_fact(text) for text in self.predicates)

    @property
    def require(self) -> tuple[tuple[str, str], ...] | None:
        """``objects`` as (kind, colour) pairs, colour empty for any."""
        if self.objects is None:
            return None
        split = [text.rpartition(" ") for text in self.objects]
        return tuple((kind, colour) for colour, _, kind in split)

    def yaml(self) -> str:
        """The file's text."""
        content = self.model_dump(mode="json", by_alias=True)
        return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


def parse_task(text: str, name: str) -> Task:
    """Read a task from YAML text; ``name`` is shown in errors.

    Raises:
        SceneError: with the places of the mistakes.
    """
    return parsed(text, Task, "a task as in docs/tasks.md", SceneError, name)


def load_task(path: Path) -> Task:
    """Read a task's YAML file.

    Raises:
        SceneError: there is no such file, or it is no task.
    """
    remedy = "name a task's YAML file; robo-orch tasks make writes some"
    return parse_task(read(path, "a task that can be read", SceneError, remedy), path.name)
