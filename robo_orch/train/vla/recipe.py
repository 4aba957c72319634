# SPDX-License-Identifier: Apache-2.0
"""How a vision-language-action policy is learned: ``vla.yaml`` beside the policy, the card's body in it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import CardError, unknown
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.registry import SHIPPED
from robo_orch.sim.scenes import load_scene
from robo_orch.train.vla.shards import View

Window = tuple[int, int, int, int]


class Recipe(Strict):
    """How one card is learned.

    Attributes:
        card: the card's body, without what training finds out.
        windows: left, top, width and height (pixels, sizes multiples of 8) of what is looked at of a camera's picture.
        frames: how many there are to be; ``layouts``: from so many seeds of the scene's training set.
        batch: frames a step; ``rate`` the highest learning rate; ``seconds`` of training.
    """

    card: dict[str, Any]
    scene: str = "kitchen"
    windows: dict[str, Window]
    frames: int = Field(gt=0)
    layouts: int = Field(gt=0)
    batch: int = Field(32, gt=0)
    rate: float = Field(1e-3, gt=0)
    seconds: float = Field(gt=0)
    folder: Path = Field(default=Path(), exclude=True)

    @model_validator(mode="after")
    def _windows_fit(self) -> Recipe:
        if set(self.windows) != set(self.policy.cameras):
            raise ValueError(
                f"windows of {', '.join(self.policy.cameras)} were expected, got {', '.join(self.windows)}"
            )
        for name, (left, top, width, height) in self.windows.items():
            across, down = self.policy.cameras[name]
            if width % 8 or height % 8 or left < 0 or top < 0 or left + width > across or top + height > down:
                raise ValueError(f"a window of {name} within {across} x {down}, of sizes that 8 divides, was expected")
        return self

    @cached_property
    def policy(self) -> PolicyCard:
        """The card."""
        return PolicyCard.model_validate(self.card).model_copy(update={"folder": self.folder})

    @property
    def views(self) -> list[View]:
        """The cameras and what is looked at."""
        return [View(name, size, self.windows[name]) for name, size in self.policy.cameras.items()]

    def train_seeds(self) -> range:
        """Layouts to learn on."""
        return load_scene(self.scene).sets.seeds("train", "all")[: self.layouts]


def load_recipe(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        CardError: it is missing or broken; every mistake is told.
    """
    expected = "a recipe for a vision-language-action policy"
    recipe = parsed(read(path, expected, CardError, "check the path"), Recipe, expected, CardError, path.name)
    return recipe.model_copy(update={"folder": path.resolve().parent})


def recipes(folder: Path = SHIPPED) -> dict[str, Recipe]:
    """All recipes by card id."""
    return {r.card["id"]: r for r in map(load_recipe, sorted(folder.glob("**/vla.yaml")))}


def recipe_of(card: str, folder: Path = SHIPPED) -> Recipe:
    """The recipe of a card by its id.

    Raises:
        CardError: there is none.
    """
    known = recipes(folder)
    if card not in known:
        raise unknown(CardError, "a card that can be trained", card, known)
    return known[card]
