# SPDX-License-Identifier: Apache-2.0
"""The kinds of subgoal that exist: roles, postcondition, hold time, and which hard contacts each may make.

The table is package data (``robo_orch/data/skills.yaml``); a policy card names the skills it can do.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict

from robo_orch.errors import CardError, unknown
from robo_orch.types import Predicate, Subgoal


class ContactBound(BaseModel):
    """A pair of bodies that may touch harder than the general bound while a skill runs, N.

    ``between`` names two of: ``finger`` (any part of the hand that is made to touch), or a role of the skill.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    between: tuple[str, str]
    newtons: float


class Skill(BaseModel):
    """A kind of subgoal.

    ``template`` is how a person would say it, with the roles in braces; ``predicate`` the name of the
    postcondition over ``roles`` in order; ``hold_seconds`` how long it must stay true.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    template: str
    roles: tuple[str, ...]
    predicate: str
    hold_seconds: float = 0.5
    contacts: tuple[ContactBound, ...] = ()

    def subgoal(self, *args: str) -> Subgoal:
        """A subgoal of this kind for named objects, in the order of ``roles``."""
        by_role = dict(zip(self.roles, args, strict=True))
        words = {role: name.replace("_", " ") for role, name in by_role.items()}
        return Subgoal(self.template.format(**words), self.name, Predicate(self.predicate, args), by_role)


@cache
def skills() -> Mapping[str, Skill]:
    """All skills by name."""
    text = files("robo_orch").joinpath("data/skills.yaml").read_text()
    return {name: Skill(name=name, **body) for name, body in yaml.safe_load(text).items()}


def skill(name: str) -> Skill:
    """One skill by name.

    Raises:
        CardError: there is no such skill.
    """
    if name not in skills():
        raise unknown(CardError, "a skill", name, skills())
    return skills()[name]
