# SPDX-License-Identifier: Apache-2.0
"""The policy card: everything robo_orch must know of a policy before it may move a robot.

A card is one YAML file. Adding a policy means adding such a file; unknown keys are refused, nothing has a
silent default that could change what a number means.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import CardError
from robo_orch.policies.observation import Features, Finish, Image, Input, Outputs, Prefix, Text
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
Length = Annotated[float, Field(ge=0)]
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


class Chunk(Strict):
    """How many actions the model gives at once, and how many of them are executed before it is asked again."""

    length: int = Field(default=1, ge=1)
    execute: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _executes_what_it_has(self) -> Chunk:
        if self.execute > self.length:
            raise ValueError(f"at most the {self.length} actions of a chunk can be executed, got {self.execute}")
        return self


class StartSet(Strict):
    """Where the policy is at home: the arm's postures from which it was made to start.

    The tool lies ``within`` (m, base axes) of where it is at ``posture`` (rad), turned by at most ``turn`` (rad); the
    gripper's opening (m) is between the two of ``gripper``.
    """

    posture: tuple[float, ...] = Field(min_length=1)
    within: tuple[Length, Length, Length]
    turn: float = Field(ge=0, le=3.15)
    gripper: tuple[Length, Length] = (0.0, 1.0)

    @model_validator(mode="after")
    def _range_is_a_range(self) -> StartSet:
        if self.gripper[0] > self.gripper[1]:
            raise ValueError(f"gripper: the lower end first was expected, got {self.gripper[0]}, {self.gripper[1]}")
        return self


class PolicyCard(Strict):
    """One policy's card.

    ``rate_hz`` is the rate of the actions within a chunk; ``preconditions``, beside those of the skills, are checked
    on what is perceived right before the policy starts; ``takes`` names, by skill and role, the kinds of things that it
    can do it with, where it cannot with all that the skill is for; ``loader`` is ``kind:reference``, for example
    ``python:package.module:Class`` or ``onnx:model.onnx`` beside the card. ``observation`` (what each of a model's
    inputs is fed), ``outputs`` and ``finish`` are for models; ``language`` says that the policy heeds the words of
    the subgoal; ``golden`` names a file beside the card with inputs and outputs that its model must reproduce;
    ``time_limit`` (s on the robot's clock) is how long one attempt may take at most.
    """

    schema_version: Annotated[int, Field(strict=True, ge=SCHEMA, le=SCHEMA)] = Field(alias="schema")
    id: str
    family: Family
    description: str
    skills: tuple[str, ...] = Field(min_length=1)
    takes: dict[str, dict[str, tuple[str, ...]]] = Field(default_factory=dict)
    preconditions: tuple[Fact, ...] = ()
    poses: PosesSpec
    observation: dict[str, Input] = Field(default_factory=dict)
    outputs: Outputs = Outputs()
    finish: Finish | None = None
    action: ActionSpec
    chunk: Chunk = Chunk()
    rate_hz: float = Field(gt=0, le=1000, allow_inf_nan=False)
    strategy: Strategy = Strategy.SYNC
    leases: Leases = Leases()
    stop_mode: StopMode = StopMode.HOLD
    cost_seconds: float = Field(gt=0, allow_inf_nan=False)
    time_limit: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    start: StartSet | None = None
    require_gpu: bool = False
    language: bool = False
    golden: str = ""
    loader: str
    parameters: dict[str, float | int | str | bool] = Field(default_factory=dict)
    robots: tuple[str, ...] = ()
    folder: Path = Field(default=Path(), exclude=True, repr=False)

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

    @field_validator("rate_hz", "cost_seconds", "time_limit", mode="before")
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

    @model_validator(mode="after")
    def _takes_uses_skills_and_their_roles(self) -> PolicyCard:
        for name, kinds in self.takes.items():
            if name not in self.skills:
                raise ValueError(f"takes: one of its skills {sorted(self.skills)} was expected, got {name!r}")
            for role in kinds:
                if role not in skill(name).roles:
                    raise ValueError(f"takes: {name} has roles {sorted(skill(name).roles)}, not {role!r}")
        return self

    @model_validator(mode="after")
    def _inputs_use_roles_of_every_skill(self) -> PolicyCard:
        for name, given in self.observation.items():
            for role in given.roles if isinstance(given, Features) else ():
                if any(role not in skill(s).roles for s in self.skills):
                    raise ValueError(f"input {name} uses role {role!r}, which not all of the skills have")
        return self

    @model_validator(mode="after")
    def _inputs_agree(self) -> PolicyCard:
        given = self.observation.values()
        for image in (i for i in given if isinstance(i, Image)):
            if image.size != self.cameras[image.camera]:
                raise ValueError(f"camera {image.camera}: one size of its pictures was expected, got two")
        prefixes = [i for i in given if isinstance(i, Prefix)]
        if len(prefixes) > 1 or any(p.length in self.observation for p in prefixes):
            raise ValueError("one prefix, its length in an input of its own, was expected")
        if self.observation and self.language and not any(isinstance(i, Text) for i in given):
            raise ValueError("language: an input of kind text was expected, got none")
        return self

    @property
    def cameras(self) -> dict[str, tuple[int, int]]:
        """The cameras that the policy looks through, with the pictures' (width, height)."""
        return {i.camera: i.size for i in self.observation.values() if isinstance(i, Image)}

    def requires(self, subgoal: Subgoal) -> list[Predicate]:
        """What must hold before a subgoal: the skill's preconditions and the card's own.

        The card's facts over roles which that skill lacks do not apply.
        """
        facts = (*skill(subgoal.skill).preconditions, *self.preconditions)
        return [f.bind(subgoal.args) for f in facts if all(role in subgoal.args for role in f.roles)]


def measured(card: PolicyCard) -> dict[str, Any]:
    """What was measured of a policy: what ``measured.json`` beside its card holds under the card's id.

    Raises:
        CardError: the file cannot be read.
    """
    path = card.folder / "measured.json"
    if not path.is_file():
        return {}
    expected = "figures by card id"
    try:
        told = json.loads(read(path, expected, CardError))
        found = told.get(card.id, {})
    except (ValueError, AttributeError) as error:
        raise CardError(expected, f"{path}: {error}", "measure again, or remove the file") from error
    return dict(found)


def load_card(path: Path) -> PolicyCard:
    """Read a card.

    Raises:
        CardError: the file is missing, no YAML, or breaks the schema; every problem is listed.
    """
    expected = f"a policy card of schema {SCHEMA}"
    text = read(path, expected, CardError, "check the path")
    card = parsed(text, PolicyCard, expected, CardError, path.name)
    if "folder" in card.model_fields_set:
        raise CardError(expected, f"{path.name}: folder: it is where the card lies", "leave it out")
    return card.model_copy(update={"folder": path.resolve().parent})
