# SPDX-License-Identifier: Apache-2.0
"""``bench bank``: scenes x cards x starts, each simulated once, with all that later benches may ask of it.

A row holds the start (joints, tool, opening), what was believed of every object, what was harder, how it ended, and
where the arm ended. Routing, drift and understanding are then measured by replay.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from robo_orch.bench.begin import Where, recorded, shipped, starting
from robo_orch.bench.cells import Bench, Cell, Preset, Row
from robo_orch.bench.episode import Stage, draw, ended, ready, told
from robo_orch.bench.intervals import proportion
from robo_orch.bench.ledger import RESULTS
from robo_orch.errors import OptionError, RunError, unknown
from robo_orch.policies.loaders import version
from robo_orch.policies.registry import Registry
from robo_orch.robots import load_robot
from robo_orch.skills import skill

#: From where each card starts in each scene.
STARTS = (Where.IN, Where.TERMINAL, Where.RANDOM)
#: Share of the scenes that are harder, and from which ranges (on a log scale) what is harder is drawn (chosen: from no
#: trouble to where most cards fail).
HARDER = 0.5
TROUBLES: Mapping[str, tuple[float, float]] = {"pose_noise": (1.0, 10.0), "handle_stiffness": (1.0, 20.0)}
#: Share of the scenes with clutter, and how much (chosen).
CLUTTERED, CLUTTER = 0.3, (1, 4)
#: The file in a bank's folder with the postures at which skills ended.
POSTURES = "postures.json"
#: Which arm a row is of: card, skill, start.
SEPARATOR = "|"


def bench(cards: Sequence[str] = (), starts: Sequence[str] = STARTS) -> Bench:
    """The bank of some cards, or of all.

    Raises:
        CardError, OptionError: a card or a start that does not exist.
    """
    registry = Registry.load(only=cards)
    for start in starts:
        if start not in STARTS:
            raise unknown(OptionError, "--starts", start, STARTS)
    arms = [SEPARATOR.join((c.id, name, start)) for c in registry for name in c.skills for start in starts]
    return Bench(
        name="bank",
        work=work,
        summarise=summarise,
        arms=tuple(arms),
        episodes={Preset.QUICK: 4, Preset.FULL: 100},
        options={"versions": {card.id: version(card) for card in registry}},
        scene="kitchen",
    )


def work(cell: Cell) -> Mapping[str, Any]:
    """One scene, one card, one start: the scene depends on skill and episode alone."""
    card_id, name, where = cell.arm.split(SEPARATOR)
    card = Registry.load()[card_id]
    episode = draw(skill(name), "pairs", cell.seed, ready, trouble(cell.seed))
    known = recorded(shipped()) if where == Where.TERMINAL else ()
    start = starting(Where(where), card, name, load_robot(episode.layout.robot), known)
    stage = Stage.set(episode, start)
    row = {"card": card_id, "version": cell.options["versions"][card_id], "start": where} | told(episode, stage.seen)
    return row | stage.run(stage.policy(card), card, episode.subgoal, cell.seed) | ended(stage)


def trouble(seed: int) -> dict[str, float]:
    """What is harder in the scene of a seed."""
    rng = np.random.default_rng([seed, 0x7B0B])
    found: dict[str, float] = {}
    if rng.random() < HARDER:
        found = {name: round(float(np.exp(rng.uniform(*np.log(ends)))), 3) for name, ends in TROUBLES.items()}
    if rng.random() < CLUTTERED:
        found["bystanders"] = float(rng.integers(CLUTTER[0], CLUTTER[1] + 1))
    return found


def summarise(rows: Sequence[Row]) -> dict[str, Any]:
    """Success by arm, and what failed."""
    arms: dict[str, list[Row]] = {}
    for row in rows:
        arms.setdefault(row["arm"], []).append(row)
    codes = Counter(str(row.get("code") or "INTERNAL") for row in rows if not row.get("success"))
    return {
        "n": len(rows),
        "arms": {arm: proportion("success", [bool(r.get("success")) for r in found]) for arm, found in arms.items()},
        "failures": dict(codes.most_common()),
    }


def postures(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Where the arm was when a skill had ended well, one a row."""
    keys = ("skill", "card", "layout")
    good = [row for row in rows if row.get("success")]
    return [{k: row[k] for k in keys} | {"q": row["end_q"], "width": row["end_width"]} for row in good]


def write_postures(folder: Path, file: Path) -> int:
    """Write the end postures of a bank's folder to a file; returns how many.

    Raises:
        RunError: there is no bank in the folder, or the file cannot be written.
    """
    try:
        rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
        found = postures(rows)
        lines = ",\n".join(json.dumps(posture) for posture in found)
        file.write_text(f'{{"scene": "kitchen", "postures": [\n{lines}\n]}}\n')
    except (OSError, ValueError) as error:
        raise RunError("a bank's folder, and a file to write", str(error), "run robo-orch bench bank first") from error
    return len(found)


def newest_postures() -> Path:
    """The end postures of the newest bank under ``results/``, else those that ship with the package."""
    stored = sorted(RESULTS.glob(f"bank*/{POSTURES}"), key=lambda path: path.stat().st_mtime)
    return stored[-1] if stored else shipped()
