# SPDX-License-Identifier: Apache-2.0
"""Training by the id of a card, or of the visual classifier: its recipe says how."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from robo_orch.errors import CardError, OptionError, unknown
from robo_orch.train import recipe as rl
from robo_orch.train.verifier import NAME as VERIFIER
from robo_orch.train.vla import recipe as vla

Told = Callable[[str], None]


def train(
    card: str, seed: int, work: Path, out: Path | None = None, steps: int | None = None, told: Told = lambda line: None
) -> dict[str, Any]:
    """Train a card, or ``verifier``, anew and write its weights, report and description.

    Args:
        work: keeps frames and checkpoints.
        out: folder of the results; ``None`` for the policy's own.
        steps: fewer than the recipe has, to try it out.
        told: is given lines about progress.

    Returns:
        ``card, seed, steps, seconds, evaluations, onnx, parity`` and more.

    Raises:
        CardError: no such card, or none that can be trained.
    """
    skills, talkers, work = rl.recipes(), vla.recipes(), work / card.replace("/", "-")
    if card in skills:
        return _skill(skills[card], seed, work, out, steps, told)
    if card in talkers:
        from robo_orch.train.vla.run import train as learn

        for option, path in (("--out", out or talkers[card].folder), ("--work", work)):
            _writable(option, path)
        return learn(talkers[card], seed, work, told, out, steps=steps)
    if card == VERIFIER:
        return _verifier(seed, work, out, steps, told)
    raise unknown(CardError, "a card that can be trained", card, [*skills, *talkers, VERIFIER])


def _verifier(seed: int, work: Path, out: Path | None, steps: int | None, told: Told) -> dict[str, Any]:
    from robo_orch.train.verifier.recipe import load_recipe
    from robo_orch.train.verifier.run import train as learn
    from robo_orch.verification.classifier import SHIPPED

    for option, path in (("--out", out or SHIPPED), ("--work", work)):
        _writable(option, path)
    return learn(load_recipe(), seed, work, told, out, steps)


def _skill(recipe: rl.Recipe, seed: int, work: Path, out: Path | None, steps: int | None, told: Told) -> dict[str, Any]:
    from robo_orch.train.rl import learn
    from robo_orch.train.ship import ship

    folder = out or recipe.folder
    for option, path in (("--out", folder), ("--work", work)):
        _writable(option, path)
    if folder != recipe.folder:
        shutil.copy(recipe.folder / "recipe.yaml", folder)
    report = ship(recipe, learn(recipe, seed, work, told, steps), seed, folder)
    return report | {"onnx": str(folder / "runs" / f"seed-{seed}.onnx")}


def _writable(option: str, folder: Path) -> None:
    """Make a folder and see that it can be written to, before hours of work rely on it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        got = f"{folder}: {error.strerror or error}"
        raise OptionError(f"{option} DIR that can be written", got, "name another folder") from error
