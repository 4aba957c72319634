# SPDX-License-Identifier: Apache-2.0
"""Questions about situations with their answers, as rows to learn from, in files of a few thousand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robo_orch.robots.spec import RobotSpec, load_robot
from robo_orch.sim.perception import SIGMA
from robo_orch.sim.scenes import load_scene
from robo_orch.train.verifier.situations import QUESTIONS, Situation, others, progress, situations, subgoals, truth
from robo_orch.types import Array, Observation, Pose, PoseEstimate, Precision, Predicate
from robo_orch.verification.question import SPAN, Eye, Question

Row = Mapping[str, NDArray[Any]]
#: Errors of perception that a question is asked under, the one that came included (chosen: they cost no physics).
ERRORS = 3
#: Situations in a file.
SHARD = 64


def rows(
    eyes: Mapping[str, Eye], seeds: Sequence[int], seed: int, scene: str = "kitchen", plain: bool = False
) -> Iterator[list[Row]]:
    """The rows of one situation after the other, without end; ``plain``: of its own subgoal as it was perceived only.

    Each row has the classifier's inputs, and ``done``, ``progress``, ``miss`` ``(2,)`` and ``points`` (cameras, 3) as
    what is to be learned: see :func:`answers`.
    """
    rng = np.random.default_rng([seed, 0xC1A5])
    robot = load_robot(load_scene(scene).robot)
    for situation in situations(seeds, rng, scene):
        facts = [situation.subgoal.predicate]
        if not plain:
            facts += others(situation, subgoals(situation.simulation.layout), rng, QUESTIONS - 1)
        images = situation.simulation.robot.capture({name: eye.size for name, eye in eyes.items()})
        found: list[Row] = []
        for fact in facts:
            answer = answers(situation, fact)
            for seen in looks(situation, fact, rng)[: 1 if plain else None]:
                if fact.args[1] in seen.objects:
                    question = Question.of(fact, situation.simulation.layout.inventory, seen, robot)
                    told = {**question.inputs(eyes, images), **answer}
                    points = where(question, eyes, robot, situation.true_pose(fact.args[0]).position)
                    found.append({**told, "points": points})
        yield found


def answers(situation: Situation, fact: Predicate) -> dict[str, NDArray[Any]]:
    """``done``: whether it holds; ``progress``; ``miss``: margin to the border and height above the bed, of SPAN."""
    miss = np.clip(np.array(truth(situation, fact)) / SPAN, -1.0, 1.0)
    told = {"done": float(situation.holds(fact)), "progress": progress(situation, fact)}
    return {**{name: np.array(value, np.float32) for name, value in told.items()}, "miss": miss.astype(np.float32)}


def looks(situation: Situation, fact: Predicate, rng: np.random.Generator) -> list[Observation]:
    """What was perceived, and what might have been: other errors of the poses that were seen and are coarse."""
    seen, found = situation.seen, [situation.seen]
    for _ in range(ERRORS - 1):
        again = {name: _again(seen.objects[name], situation, rng) for name in fact.args if name in seen.objects}
        found.append(replace(seen, objects={**seen.objects, **again}))
    return found


def _again(estimate: PoseEstimate, situation: Situation, rng: np.random.Generator) -> PoseEstimate:
    if estimate.precision is not Precision.COARSE or not estimate.visible:
        return estimate
    error = SIGMA[Precision.COARSE][0] * rng.normal(size=3)
    return replace(estimate, pose=Pose(situation.true_pose(estimate.name).position + error, estimate.pose.quaternion))


def where(question: Question, eyes: Mapping[str, Eye], robot: RobotSpec, point: Array) -> NDArray[np.float32]:
    """Column and row of a point as shares of each camera's part of the picture, and 1 where it is in it, ``(c, 3)``."""
    found = []
    for eye in eyes.values():
        at = eye.at(question.seen.state.tool, robot)
        left, top, width, height = eye.window(question.anchor, at)
        column, row, depth = eye.lens().project(point[None], at)[0]
        share = np.array([(column - left) / width, (row - top) / height])
        inside = depth > 0.02 and bool((share > 0.0).all() and (share < 1.0).all())
        found.append([*np.clip(share, 0.0, 1.0), float(inside)])
    return np.array(found, np.float32)


def write(folder: Path, source: Iterator[list[Row]], name: str, count: int, size: int = SHARD) -> None:
    """Files ``rows-<name>-<i>.npz`` of ``size`` situations each, ``count`` situations in all."""
    folder.mkdir(parents=True, exist_ok=True)
    made: list[Row] = []
    for number, found in enumerate(source, start=1):
        made += found
        if number % size == 0 or number >= count:
            path = folder / f"rows-{name}-{(number - 1) // size:04d}.npz"
            part = path.with_suffix(".part.npz")
            columns: dict[str, Any] = {name: np.stack([row[name] for row in made]) for name in made[0]}
            np.savez(part, **columns)
            part.rename(path)
            made = []
        if number >= count:
            return
