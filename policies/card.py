# SPDX-License-Identifier: Apache-2.0
"""The policy card: everything robo_orch must know of a policy before it may move a robot.

A card is one YAML file. Adding a policy means adding such a file; unknown keys are refused, nothing has a
silent default that could change what a number means.
"""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import CardError
from robo_orch.skills import Fact, skill
from robo_orch.types import (
    ActionKind,
    ActionSpace,
    DeltaReference,
    GripperEncoding,
    Precision,
    Predicate,
    StopMode,
    Subgoal,
)

SCHEMA = 1
_ID = re.compile(r"[a-z0-9_]+/[a-z0-9-]+-v\d+")


class Family(StrEnum):
    """Kinds of policy."""

    VLA = "vla"
    RL = "rl"
    TAMP = "tamp"
    MPC = "mpc"
    TELEOP = "teleop"


class Strategy(StrEnum):
    """How successive chunks are merged."""

    SYNC = "sync"
    ENSEMBLE = "ensemble"
    RTC = "rtc"
    BLEND = "blend"


class ActionSpec(Strict):
    """The card's action space; see :class:`robo_orch.types.ActionSpace`."""

    kind: ActionKind
    dim: int = Field(gt=0)
    frame: Literal["base", "tool"] = "base"
    rotation: Literal["none", "rotvec", "xyzw"] = "none"
    reference: DeltaReference = DeltaReference.NONE
    gripper: GripperEncoding

    @model_validator(mode="after")
    def _deltas_say_what_they_are_added_to(self) -> ActionSpec:
        if self.kind.endswith("_delta") and self.reference is DeltaReference.NONE:
            raise ValueError(f"a {self.kind} action needs 'reference: command' or 'reference: measured'")
        return self

    @property
    def space(self) -> ActionSpace:
        """The same as the value that chunks carry."""
        return ActionSpace(self.kind, self.dim, self.frame, self.rotation, self.reference, self.gripper)


class PosesSpec(Strict):
    """What the policy needs to know of object poses: the precision class it can work with, at worst."""

    precision: Precision


class Leases(Strict):
    """Which parts of the robot the policy takes."""

    joints: bool = True
    gripper: bool = True
    cameras: tuple[str, ...] = ()


class PolicyCard(Strict):
    """One policy's card.

    ``rate_hz`` is the rate of the actions within a chunk; ``preconditions``, beside those of the skills, are checked
    on what is perceived right before the policy starts; ``loader`` is ``kind:reference``, for example
    ``python:package.module:Class``.
    """

    schema_version: Annotated[int, Field(strict=True, ge=SCHEMA, le=SCHEMA)] = Field(alias="schema")
    id: str
    family: Family
    description: str
    skills: tuple[str, ...] = Field(min_length=1)
    preconditions: tuple[Fact, ...] = ()
    poses: PosesSpec
    action: ActionSpec
    rate_hz: float = Field(gt=0, le=1000, allow_inf_nan=False)
    strategy: Strategy = Strategy.SYNC
    leases: Leases = Leases()
    stop_mode: StopMode = StopMode.HOLD
    cost_seconds: float = Field(gt=0, allow_inf_nan=False)
    loader: str
    parameters: dict[str, float | int | str | bool] = Field(default_factory=dict)
    robots: tuple[str, ...] = ()

    @field_validator("id")
    @classmethod
    def _id_is_versioned(cls, value: str) -> str:
        if not _ID.fullmatch(value):
            raise ValueError(f"an id such as 'tamp/pick-place-v1' was expected, got {value!r}")
        return value

    @field_validator("skills")
    @classmethod
    def _skills_exist(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            try:
                skill(name)
            except CardError as error:
                raise ValueError(f"{error.got} is no skill; {error.remedy}") from error
        return value

    @field_validator("rate_hz", "cost_seconds", mode="before")
    @classmethod
    def _numbers_are_numbers(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError("a number was expected, got a boolean")
        return value

    @model_validator(mode="after")
    def _preconditions_use_known_roles(self) -> PolicyCard:
        roles = {role for name in self.skills for role in skill(name).roles}
        for fact in self.preconditions:
            for role in fact.roles:
                if role not in roles:
                    raise ValueError(f"precondition {fact.name} uses role {role!r}; the skills have {sorted(roles)}")
        return self

    def requires(self, subgoal: Subgoal) -> list[Predicate]:
        """What must hold before a subgoal: the skill's preconditions and the card's own.

        The card's facts over roles which that skill lacks do not apply.
        """
        facts = (*skill(subgoal.skill).preconditions, *self.preconditions)
        return [f.bind(subgoal.args) for f in facts if all(role in subgoal.args for role in f.roles)]


def load_card(path: Path) -> PolicyCard:
    """Read a card.

    Raises:
        CardError: the file is missing, no YAML, or breaks the schema; every problem is listed.
    """
    expected = f"a policy card of schema {SCHEMA}"
    return parsed(read(path, expected, CardError, "check the path"), PolicyCard, expected, CardError, path.name)
