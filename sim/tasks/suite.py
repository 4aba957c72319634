# SPDX-License-Identifier: Apache-2.0
"""Suites: what kind of tasks are made together, from ``suites.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field

from robo_orch.errors import SceneError, unknown

_FILE = Path(__file__).with_name("suites.yaml")


class Suite(BaseModel):
    """A suite of tasks.

    Attributes:
        name: as in ``--suite``; ``about`` says what it holds.
        scene: name of the scene; ``set`` and ``stratum`` tell which of its seeds the layouts come from.
        subgoals: fewest and most steps of a task's plan.
        skills: ``all``, or the family of policies whose cards must offer every step's skill.
        precise: whether objects with nothing but a coarse pose are left out of goals and plans.
        categories: how often each category is drawn, by weight.
        dishes: kinds on which things are served.
        shares: the least share of all subgoals, at any number of tasks, that need a ``contact`` skill or concern a
            ``coarse`` object.
        perturbed: share of the tasks that get one of ``perturbations``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    about: str
    scene: str
    set: str
    stratum: str
    subgoals: tuple[int, int]
    skills: str = "all"
    precise: bool = False
    categories: dict[str, int] = Field(min_length=1)
    dishes: tuple[str, ...] = ()
    shares: dict[str, float] = {}
    perturbed: float = 0.0
    perturbations: dict[str, float] = {}


@cache
def suites() -> Mapping[str, Suite]:
    """All suites by name."""
    return {name: Suite(name=name, **body) for name, body in yaml.safe_load(_FILE.read_text()).items()}


def suite_names() -> list[str]:
    """Names of the suites."""
    return sorted(suites())


def load_suite(name: str) -> Suite:
    """One suite.

    Raises:
        SceneError: there is no such suite.
    """
    if name not in suites():
        raise unknown(SceneError, "a suite", name, suites())
    return suites()[name]
