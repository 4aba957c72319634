# SPDX-License-Identifier: Apache-2.0
"""A recipe from beginning to end: frames, training, how much to trust the policy, files.

::

    make frames, in parts that depend on their seed alone, side by side where there are cores
    train; what was cut off goes on where it was
    fit the confidence on errands of the validation set; write the policy's folder
"""

from __future__ import annotations

import math
import multiprocessing
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from robo_orch.kernels.text import encoder
from robo_orch.policies.card import load_card
from robo_orch.robots.lens import Lens
from robo_orch.robots.spec import load_robot
from robo_orch.sim.scenes import load_scene
from robo_orch.train.vla.data import Frames
from robo_orch.train.vla.frames import SIZE, shard_name, write
from robo_orch.train.vla.learn import How, Training
from robo_orch.train.vla.model import Eye
from robo_orch.train.vla.probe import Probe, probes
from robo_orch.train.vla.recipe import Recipe
from robo_orch.train.vla.ship import COMPARED, ship
from robo_orch.train.vla.trust import PRIOR, fitted

Told = Callable[[str], None]
#: Errands on which the confidence is fitted (chosen).
TRUSTED = 60
#: Parts that frames are made in, each from a seed of its own, and frames that are enough to try training out.
PARTS, TRIED = 2, 64
#: Seconds between lines about how many frames there are.
TELL = 15.0


def train(
    recipe: Recipe,
    seed: int,
    work: Path,
    told: Told = lambda line: None,
    out: Path | None = None,
    errands: int = TRUSTED,
    steps: int | None = None,
) -> dict[str, Any]:
    """Learn a recipe's policy and write its files; returns the report.

    Args:
        work: keeps frames and checkpoints; whatever is there already is used.
        out: where the policy's files go; beside the recipe by default.
        errands: on which the confidence is fitted; with 0 it is a figure without a scale.
        steps: fewer than the recipe's time allows, on a few frames and without errands, to try it out.

    Raises:
        ModelError: the exported file's answers are not those of the network.
    """
    if steps is not None:
        recipe, errands = recipe.model_copy(update={"frames": min(TRIED, recipe.frames)}), 0
        work = work / "tried"
    training = trained(recipe, seed, work, told, steps)
    real, folder = observations(training.frames, recipe), out or recipe.folder
    report = {
        "card": recipe.card["id"],
        "seed": seed,
        "command": f"robo-orch train {recipe.card['id']} --seed {seed}",
        "steps": training.step,
        "seconds": round(training.spent, 1),
        "frames": len(training.frames),
        "evaluations": [],
        "curve": training.curve(),
    }
    trust = torch.tensor(PRIOR)
    if errands:
        with tempfile.TemporaryDirectory() as there:
            ship(recipe, training.average, trust, real, report, Path(there) / "draft")
            card = load_card(Path(there) / "draft" / "draft.card.yaml")
            found = list(probes(card, ("validation", "pairs"), errands, seed))
        trust = torch.tensor(fitted([p.confidence for p in found], [p.result.success for p in found]))
        report["validation"] = split = shares(found)
        report["evaluations"] = [{"step": training.step, "n": split["all"]["n"], "success": split["all"]["success"]}]
    return ship(recipe, training.average, trust, real, report, folder)


def trained(
    recipe: Recipe, seed: int, work: Path, told: Told = lambda line: None, steps: int | None = None
) -> Training:
    """Frames and training, as far as they are not done yet."""
    shards = work / "frames"
    framed(recipe, seed, shards, told)
    frames = Frames(shards, tuple(v.camera for v in recipe.views), encoder().embed)
    frames.refresh()
    how = How(recipe.seconds, recipe.batch, recipe.rate)
    training = Training(frames, eyes_of(recipe), seed, work / f"seed-{seed}", how)
    training.run(told, steps)
    return training


def framed(recipe: Recipe, seed: int, shards: Path, told: Told = lambda line: None) -> None:
    """Make the parts of the frames that are not there."""
    each = math.ceil(recipe.frames / PARTS)
    size, parts = min(SIZE, each), [seed * PARTS + part for part in range(PARTS)]
    last = math.ceil(each / size) - 1
    missing = [part for part in parts if not (shards / shard_name(part, last)).is_file()]
    if not missing:
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(len(missing), os.cpu_count() or 1), spawn) as pool:
        jobs = [pool.submit(write, shards, recipe.views, recipe.train_seeds(), part, each, size) for part in missing]
        while wait(jobs, TELL).not_done:
            told(f"{len(list(shards.glob('frames-*.npz'))) * size} frames of {recipe.frames}")
        for job in jobs:
            job.result()


def eyes_of(recipe: Recipe) -> list[Eye]:
    """How the recipe's cameras look."""
    scene = load_scene(recipe.scene)
    robot, eyes = load_robot(scene.robot), []
    for view in recipe.views:
        camera = scene.cameras[view.camera]
        origin, rays = Lens(camera, view.size).rays(view.window)
        if camera.mount:
            to_tool = robot.tool_offset.inverse()
            origin, rays = to_tool.apply(origin), to_tool.matrix @ rays
        told = torch.tensor(origin, dtype=torch.float32), torch.tensor(rays, dtype=torch.float32)
        eyes.append(Eye((view.window[2], view.window[3]), *told, bool(camera.mount)))
    return eyes


def observations(frames: Frames, recipe: Recipe, n: int = COMPARED) -> dict[str, NDArray[Any]]:
    """Real observations as the exported file takes them; whole pictures are black around their windows."""
    rng = np.random.default_rng(0)
    batch, made = frames.batch(n, rng), {}
    for view, image in zip(recipe.views, batch.images, strict=True):
        whole = np.zeros((n, 3, view.size[1], view.size[0]), np.uint8)
        left, top, width, height = view.window
        whole[:, :, top : top + height, left : left + width] = image.numpy()
        made[view.camera] = whole
    made |= {"state": batch.state.numpy(), "text": batch.text[:, 0].numpy().copy()}
    length = rng.integers(0, 4, n)
    counted = np.arange(batch.chunk.shape[2])[None] < length[:, None]
    prefix = (batch.chunk[:, 0].numpy() * counted[..., None]).astype(np.float32)
    return {**made, "prefix": prefix, "prefix_length": length.astype(np.int64)}


def shares(found: list[Probe]) -> dict[str, Any]:
    """How many of some errands were safe successes, were done, and in how many the object was held: by kind, too."""

    def share(some: list[Probe]) -> dict[str, Any]:
        good, picked = sum(p.result.success for p in some), sum(p.picked for p in some)
        n, done = len(some), sum(p.result.done for p in some)
        return {"n": n, "success": round(good / n, 3), "done": round(done / n, 3), "picked": round(picked / n, 3)}

    parts = {"all": found}
    parts |= {kind: [p for p in found if p.kind == kind] for kind in sorted({p.kind for p in found})}
    parts |= {name: [p for p in found if p.alike is value] for name, value in (("alike", True), ("unlike", False))}
    return {name: share(some) for name, some in parts.items() if some}
