# SPDX-License-Identifier: Apache-2.0
"""What a learned policy's model is fed: one entry of the card for each of the model's inputs.

Inputs are matched by name, cameras by name, numbers by the name of a feature: nothing goes by position, and what an
input is normalised with is always said.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from robo_orch.descriptions import Strict
from robo_orch.robots.features import check_keys

#: ``fused``: the model does it inside its graph; ``none``: it wants raw numbers.
Normalize = Literal["fused", "none"]


class Statistics(Strict):
    """Numbers to normalise with outside the graph: ``(x - mean) / std``, one each per component."""

    mean: tuple[float, ...]
    std: tuple[Annotated[float, Field(gt=0)], ...]

    @model_validator(mode="after")
    def _one_each(self) -> Statistics:
        if len(self.mean) != len(self.std):
            raise ValueError(f"as many stds as means were expected, got {len(self.std)} for {len(self.mean)}")
        return self


class Features(Strict):
    """Numbers: named features one after the other, see :func:`robo_orch.robots.features.vector`.

    ``low``, ``high``: the range that training saw, one each per component; beyond it is out of distribution.
    """

    kind: Literal["features"]
    keys: tuple[str, ...] = Field(min_length=1)
    normalize: Normalize | Statistics
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the objects that the numbers tell of, each once, in order."""
        return tuple(dict.fromkeys(key.partition(".")[0] for key in self.keys if "." in key))

    @field_validator("keys")
    @classmethod
    def _keys_exist(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := check_keys(value):
            raise ValueError(wrong)
        return value

    @model_validator(mode="after")
    def _ranges_are_ranges(self) -> Features:
        if len(self.low) != len(self.high) or any(a > b for a, b in zip(self.low, self.high, strict=False)):
            raise ValueError("low and high of the same length were expected, each low at most its high")
        return self


class Layout(StrEnum):
    """The order of an image's axes, height, width and channels (RGB), after that of the batch."""

    HWC = "hwc"
    CHW = "chw"


class Image(Strict):
    """One camera's picture, by the camera's name.

    ``size`` is (width, height), pixels. ``dtype`` ``uint8`` feeds 0 to 255; ``float32`` feeds 0 to 1, normalised.
    """

    kind: Literal["image"]
    camera: str
    size: tuple[Annotated[int, Field(gt=0)], Annotated[int, Field(gt=0)]]
    layout: Layout = Layout.CHW
    dtype: Literal["uint8", "float32"] = "uint8"
    normalize: Normalize | Statistics

    @model_validator(mode="after")
    def _whole_numbers_are_not_normalised(self) -> Image:
        if self.dtype == "uint8" and isinstance(self.normalize, Statistics):
            raise ValueError("statistics are for dtype float32; for uint8 'fused' or 'none' was expected")
        return self


class Text(Strict):
    """The subgoal's words.

    ``encoder`` ``minilm-int8``: embedded, once a subgoal, by a frozen encoder that is pinned by hash; ``none``: the
    words themselves, for a policy class that reads them.
    """

    kind: Literal["text"]
    encoder: Literal["minilm-int8", "none"]


class Prefix(Strict):
    """Actions that will be executed whatever the model says, ``(T, A)``, and how many of them count.

    ``length`` names the input that takes their number, ``(1,)`` int64; the rest is zeros.
    """

    kind: Literal["prefix"]
    length: str


Input = Annotated[Features | Image | Text | Prefix, Field(discriminator="kind")]


class Outputs(Strict):
    """Names of the model's outputs.

    ``action``: ``(B, T, A)`` or ``(B, A)`` in the card's action space; ``confidence`` ``(B,)`` in [0, 1]: how sure the
    policy is; ``completion`` ``(B,)`` in [0, 1]: how much of the subgoal it believes to be done.
    """

    action: str = "action"
    confidence: str = ""
    completion: str = ""


class Finish(Strict):
    """When the policy says that it is done.

    ``by`` ``postcondition``: the subgoal's predicate is perceived to hold; ``completion``: that output is ``above`` a
    bound; ``looks`` in a row. Either is a claim, to be verified.
    """

    by: Literal["postcondition", "completion"]
    above: float = Field(default=0.5, ge=0, le=1)
    looks: int = Field(default=3, ge=1)
