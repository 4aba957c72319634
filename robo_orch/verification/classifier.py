# SPDX-License-Identifier: Apache-2.0
"""The learned visual success classifier and completion estimator: pictures and a question in, a probability out.

It stands in a folder: ``verifier.yaml`` says what it was trained on and where it draws its lines, ``model.onnx`` is it.
It knows the cameras it was trained with; pictures of others would mean something else and are refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
from pydantic import Field

from robo_orch.descriptions import Strict, parsed, read
from robo_orch.errors import ModelError, RenderError
from robo_orch.kernels.session import Session
from robo_orch.objects import Inventory
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Observation, Predicate, Robot
from robo_orch.verification.question import NUMBERS, Eye, Images, Question, asked, stacked

#: The classifier that comes with the package.
SHIPPED = Path(str(files("robo_orch").joinpath("data", "verifier")))
#: Its description within its folder, and the outputs of its model.
DESCRIPTION, OUTPUTS = "verifier.yaml", ("probability", "completion")


class Description(Strict):
    """What a classifier is.

    Attributes:
        id: ``name-vN``; verdicts carry it.
        scene, scene_hash: what it was trained on; ``robot``: whose hand it knows.
        eyes: its cameras.
        done_above, failed_below: probabilities from which on it says so; between them it does not know.
        model, sha256: its file.
    """

    id: str
    scene: str
    scene_hash: str
    robot: str
    eyes: dict[str, Eye]
    done_above: float = Field(gt=0, lt=1)
    failed_below: float = Field(gt=0, lt=1)
    model: str = "model.onnx"
    sha256: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the classifier says of one look: that the fact holds, and how much of the subgoal is done, in [0, 1]."""

    probability: float
    completion: float


class Classifier:
    """A classifier, loaded and warm.

    Args:
        folder: with its description and model.

    Raises:
        ModelError: something is missing, or not what the description says.
    """

    def __init__(self, folder: Path = SHIPPED) -> None:
        self.about = described(folder)
        path = folder / self.about.model
        self._session = Session.load(path)
        got = hashlib.sha256(path.read_bytes()).hexdigest()
        if got != self.about.sha256:
            remedy = "train it anew: robo-orch train verifier"
            raise ModelError(f"{path.name} with SHA-256 {self.about.sha256[:12]}…", f"{got[:12]}…", remedy)
        shapes = {name: (4, eye.crop[1], eye.crop[0]) for name, eye in self.about.eyes.items()} | {
            "numbers": (NUMBERS,)
        }
        takes = {name: tuple(spec.dims[1:]) for name, spec in self._session.inputs.items()}
        if takes != shapes or set(self._session.outputs) != set(OUTPUTS):
            got = f"{takes} to {', '.join(self._session.outputs)}"
            raise ModelError(
                f"a model of {shapes} to {', '.join(OUTPUTS)}", got, "train it anew: robo-orch train verifier"
            )
        self._session.warm_up()

    def judge(
        self, fact: Predicate, inventory: Inventory, seen: Observation, images: Images, robot: RobotSpec
    ) -> Judgement:
        """What one set of pictures says of a fact that it may be :func:`asked`, whose target has been perceived."""
        row = Question.of(fact, inventory, seen, robot).inputs(self.about.eyes, images)
        said = self._session.run(stacked([row]))
        return Judgement(*(float(np.ravel(said[name])[0]) for name in OUTPUTS))


class Witness:
    """A classifier with a robot's cameras: what :func:`robo_orch.verification.verify` asks where poses are coarse.

    It is loaded when it is first asked. Whatever keeps it from seeing is a reason, in words, and never an error.

    Args:
        folder: of the classifier.
    """

    def __init__(self, robot: Robot, spec: RobotSpec, folder: Path = SHIPPED) -> None:
        self._robot, self._spec, self._folder = robot, spec, folder
        self._classifier: Classifier | None = None
        self._missing: str | None = None

    def asked(self, fact: Predicate, inventory: Inventory) -> bool:
        """Whether a fact is one for the classifier."""
        return asked(fact, inventory)

    @property
    def about(self) -> Description | None:
        """Who it is, once it was asked and could be loaded."""
        return self._classifier.about if self._classifier else None

    def look(self, fact: Predicate, inventory: Inventory) -> Judgement | str:
        """What the pictures of now say of a fact, or why there is nothing to say."""
        classifier = self._loaded()
        if classifier is None:
            return f"no visual classifier: {self._missing}"
        seen, target = self._robot.observe(), fact.args[1]
        if target not in seen.objects:
            return f"{target} was never perceived"
        try:
            images = self._robot.capture({name: eye.size for name, eye in classifier.about.eyes.items()})
        except RenderError as error:
            return f"no pictures for {classifier.about.id}: {error.got}"
        return classifier.judge(fact, inventory, seen, images, self._spec)

    def stands(self, fact: Predicate, inventory: Inventory) -> bool:
        """Whether pictures contradict who takes a fact of coarse poses for false."""
        look = self.look(fact, inventory) if self.asked(fact, inventory) else ""
        return isinstance(look, Judgement) and self.about is not None and look.probability > self.about.failed_below

    def _loaded(self) -> Classifier | None:
        if self._classifier is None and self._missing is None:
            try:
                self._missing = _unfit(described(self._folder), self._spec, self._robot.cameras)
                if not self._missing:
                    self._classifier = Classifier(self._folder)
            except ModelError as error:
                self._missing = error.got
        return self._classifier


def described(folder: Path) -> Description:
    """A classifier's description.

    Raises:
        ModelError: it is missing or broken; every mistake is told.
    """
    expected = "a description of a visual classifier"
    text = read(folder / DESCRIPTION, expected, ModelError, "train it: robo-orch train verifier")
    return parsed(text, Description, expected, ModelError, DESCRIPTION)


def _unfit(about: Description, spec: RobotSpec, cameras: Collection[str]) -> str:
    """Why a classifier is not for a robot, in words; empty if it is."""
    if spec.name != about.robot:
        return f"{about.id} knows the hand of {about.robot}, this is {spec.name}"
    lacking = sorted(set(about.eyes) - set(cameras))
    return (
        f"{about.id} needs camera {' and '.join(lacking)}, there is {', '.join(cameras) or 'none'}" if lacking else ""
    )
