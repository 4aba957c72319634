# SPDX-License-Identifier: Apache-2.0
"""How the visual classifier is learned: ``recipe.yaml`` beside its weights."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import ModelError
from robo_orch.sim.scenes import load_scene
from robo_orch.verification.classifier import SHIPPED
from robo_orch.verification.question import Eye

Size = tuple[int, int]


class View(Strict):
    """The (width, height) of a camera's pictures and of the part that is looked at, pixels; sizes that 4 divides."""

    size: Size
    crop: Size


class Recipe(Strict):
    """How it is learned.

    Attributes:
        views: by camera.
        situations: to learn from; ``validation``: on which it is calibrated.
        batch: rows a step; ``rate`` the highest learning rate; ``seconds`` of computing on one core.
        false_done: share of failures that may be taken for success on the validation set, for the threshold.
    """

    scene: str = "kitchen"
    views: dict[str, View]
    situations: int = Field(gt=0)
    validation: int = Field(gt=0)
    batch: int = Field(64, gt=0)
    rate: float = Field(2e-3, gt=0)
    seconds: float = Field(gt=0)
    false_done: float = Field(0.012, gt=0, lt=1)

    def eyes(self) -> dict[str, Eye]:
        """The cameras as the classifier knows them."""
        cameras = load_scene(self.scene).cameras
        return {name: Eye(**cameras[name].model_dump(), size=v.size, crop=v.crop) for name, v in self.views.items()}


def load_recipe(path: Path = SHIPPED / "recipe.yaml") -> Recipe:
    """Read a recipe.

    Raises:
        ModelError: it is missing or broken; every mistake is told.
    """
    expected = "a recipe for the visual classifier"
    return parsed(read(path, expected, ModelError, "check the path"), Recipe, expected, ModelError, path.name)
