# SPDX-License-Identifier: Apache-2.0
"""The visual classifier from its recipe to its files.

::

    make situations of the training set, and of the validation set (other processes may make them meanwhile)
    train; what was cut off goes on where it was
    calibrate on the validation set, draw the lines, export
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from robo_orch.sim.scenes import load_scene
from robo_orch.train.verifier import NAME
from robo_orch.train.verifier.learn import FAR, Training, read
from robo_orch.train.verifier.recipe import Recipe
from robo_orch.train.verifier.rows import SHARD, Row, rows, write
from robo_orch.train.verifier.ship import ship
from robo_orch.verification.classifier import SHIPPED

Told = Callable[[str], None]
#: Situations at least, of which some are done and some are not (chosen).
LEAST = 12


def train(
    recipe: Recipe,
    seed: int,
    work: Path,
    told: Told = lambda line: None,
    out: Path | None = None,
    steps: int | None = None,
) -> dict[str, Any]:
    """Learn the classifier and write its files; returns the report.

    Args:
        work: keeps rows and checkpoints; whatever is there already is used.
        out: where its files go; by default where the package has them.
        steps: fewer than the recipe's time allows, to try it out; as many situations then.

    Raises:
        ModelError: the exported file's answers are not those of the network.
        RenderError: there is no GL to take pictures with.
    """
    if steps is not None:
        fewer = {name: min(getattr(recipe, name), max(steps, LEAST)) for name in ("situations", "validation")}
        recipe = recipe.model_copy(update=fewer)
    sets, eyes = load_scene(recipe.scene).sets, recipe.eyes()
    learning = rows(eyes, sets.seeds("train", "all"), seed, recipe.scene)
    _made(work / "rows", learning, f"{seed}", recipe.situations, told)
    checking = rows(eyes, sets.seeds("validation", "pairs"), seed, recipe.scene, plain=True)
    _made(work / "validation", checking, f"{seed}", recipe.validation, told)
    seen, held_out = read(work / "rows", FAR), read(work / "validation")
    training = Training(seen, held_out, recipe, seed, work / f"seed-{seed}", told)
    training.run(told, steps)
    curve = training.curve()
    report: dict[str, Any] = {
        "card": NAME,
        "seed": seed,
        "command": f"robo-orch train {NAME} --seed {seed}",
        "steps": training.step,
        "seconds": round(training.spent, 1),
        "rows": len(seen["done"]),
        "situations": recipe.situations,
        "evaluations": [
            {"step": c["step"], "n": len(held_out["done"]), "success": _right(c, held_out)} for c in curve[-1:]
        ],
        "curve": curve,
    }
    folder = out or SHIPPED
    report = ship(recipe, training.average, seen, held_out, report, folder)
    return report | {"onnx": str(folder / report["onnx"])}


def _made(folder: Path, source: Iterator[list[Row]], name: str, count: int, told: Told) -> None:
    """Files of rows, where there are not enough yet, whoever made them."""
    there = [p for p in folder.glob("rows-*.npz") if not p.name.endswith(".part.npz")]
    if len(there) * SHARD < count:
        told(f"{folder.name}: {count} situations")
        write(folder, source, name, count)


def _right(noted: dict[str, Any], held_out: Any) -> float:
    """The share of the validation set that is judged rightly at a probability of a half."""
    done = float((held_out["done"] > 0.5).mean())
    return round(1.0 - (1.0 - done) * noted["false_done"] - done * noted["false_fail"], 4)
