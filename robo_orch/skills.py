# SPDX-License-Identifier: Apache-2.0
"""The kinds of subgoal that exist: roles, postcondition, hold time, and which hard contacts each may make.

The table is package data (``robo_orch/data/skills.yaml``); a policy card names the skills it can do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict

from robo_orch.errors import CardError, unknown
from robo_orch.objects import Inventory, ObjectSpec, Trait
from robo_orch.types import Predicate, Subgoal

_FACT = re.compile(r"(?P<not>not\s+)?(?P<name>\w+)\(\s*(?P<args>[^()]*)\)")


class FactPattern(BaseModel):
    """A predicate over roles, for example ``not holding(target)``."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    roles: tuple[str, ...]
    negated: bool = False

    def bind(self, args: Mapping[str, str]) -> Predicate:
        """The predicate for the objects that fill the roles."""
        return Predicate(self.name, tuple(args[role] for role in self.roles), self.negated)


def _parse_fact(text: Any) -> Any:
    match = _FACT.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"a fact such as 'clear(object)' or 'not holding(object)' was expected, got {text!r}")
    roles = tuple(part.strip() for part in match["args"].split(",") if part.strip())
    return {"name": match["name"], "roles": roles, "negated": bool(match["not"])}


#: A :class:`FactPattern` written as text in YAML.
Fact = Annotated[FactPattern, BeforeValidator(_parse_fact)]


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
    postcondition over ``roles`` in order; ``hold_seconds`` how long it must stay true; ``preconditions`` what any
    policy needs before it can begin; ``applies`` what each role's object must be made for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    template: str
    roles: tuple[str, ...]
    predicate: str
    applies: dict[str, tuple[Trait, ...]] = {}
    preconditions: tuple[Fact, ...] = ()
    hold_seconds: float = 0.5
    contacts: tuple[ContactBound, ...] = ()

    def subgoal(self, *args: str) -> Subgoal:
        """A subgoal of this kind for named objects, in the order of ``roles``."""
        by_role = dict(zip(self.roles, args, strict=True))
        words = {role: name.replace("_", " ") for role, name in by_role.items()}
        return Subgoal(self.template.format(**words), self.name, Predicate(self.predicate, args), by_role)

    def fits(self, args: Sequence[str], inventory: Inventory) -> bool:
        """Whether the skill is made for these objects, given in the order of ``roles``."""
        if len(args) != len(self.roles):
            return False
        return all(
            _has(inventory[name], self.applies.get(role, ())) for role, name in zip(self.roles, args, strict=True)
        )


def _has(spec: ObjectSpec, traits: Iterable[Trait]) -> bool:
    return spec.traits.issuperset(traits)


#: Postconditions that are as good as the fact asked for. "On" is also reached by stacking where that applies, a region
#: by putting down what can be gripped and by pushing what cannot.
_AS_GOOD = {"on": ("on", "stacked", "at"), "at": ("on", "at"), "stacked": ("stacked",)}


def achieving(fact: Predicate, inventory: Inventory) -> tuple[Skill, ...]:
    """The skills that bring a fact about for its objects, the one that is meant for it first."""
    if fact.negated:
        return ()
    wanted = _AS_GOOD.get(fact.name, (fact.name,))
    fitting = [s for s in skills().values() if s.predicate in wanted and s.fits(fact.args, inventory)]
    return tuple(sorted(fitting, key=lambda s: wanted.index(s.predicate)))


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
