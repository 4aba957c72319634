# SPDX-License-Identifier: Apache-2.0
"""``bench verifier``: whether verdicts are true, on situations of held-out scenes, in physics, by the verifier itself.

::

    each episode: a situation after work on a subgoal about something of which only a coarse pose is known
        (let go at its target, beside it, still held, tipped …), in a layout of the test set
        each arm is a tier: verify() watches the arm hold still, as the loop has it; the referee knows the truth

``false_done``: share of true failures whose verdict is OK. ``false_fail``: share of true successes whose verdict is
another: NOT_YET and UNKNOWN alike, for the loop would try again after either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from robo_orch.bench.cells import Bench, Cell, Preset, Row
from robo_orch.bench.intervals import proportion
from robo_orch.errors import OptionError, RenderError
from robo_orch.execution.executor import Executor
from robo_orch.objects import ObjectSpec
from robo_orch.robots import load_robot
from robo_orch.sim import gl
from robo_orch.sim.scenes import Layout, load_scene
from robo_orch.skills import skill
from robo_orch.train.verifier.situations import Situation, progress, situations
from robo_orch.types import Code
from robo_orch.verification import Verdict, verify
from robo_orch.verification.classifier import SHIPPED, Witness, described

#: Tiers of evidence (DESIGN) that judge such subgoals: by poses, by pictures.
TIERS = (2, 3)
#: Situations of one layout in an episode (chosen: laying out costs as much as several of them).
PER_LAYOUT = 10
#: Strata of the test set, in turn: the first counts, the others are reported beside it.
STRATA = ("pairs", "pairs", "pairs", "pairs", "colours")


def bench(tier: int | None = None) -> Bench:
    """The bench on one tier, or on all.

    Raises:
        OptionError: no such tier.
        ModelError: tier 3 without its weights.
        RenderError: tier 3 without GL.
    """
    if tier is not None and tier not in TIERS:
        raise OptionError(f"--tier {' or '.join(map(str, TIERS))}", str(tier), "leave it out for all")
    tiers = TIERS if tier is None else (tier,)
    options: dict[str, Any] = {"tiers": list(tiers)}
    if 3 in tiers:
        about = described(SHIPPED)
        if gl.gl_backend().backend is None:
            raise RenderError("pictures for tier 3", gl.gl_backend().message, gl.REMEDY)
        options |= {"classifier": about.id, "sha256": about.sha256}
    return Bench(
        name="verifier",
        work=work,
        summarise=summarise,
        arms=("tiers",),
        episodes={Preset.QUICK: 40, Preset.FULL: 100},
        options=options,
        scene="kitchen",
    )


def work(cell: Cell) -> Mapping[str, Any]:
    """The situations of one layout and what each tier says of them."""
    stratum = STRATA[cell.episode % len(STRATA)]
    seeds = load_scene("kitchen").sets.seeds("test", stratum)
    rng = np.random.default_rng([cell.seed, 0xBE5])
    found = []
    for situation in islice(situations(seeds, rng, per_layout=PER_LAYOUT), PER_LAYOUT):
        found.append(judged(situation, cell.options["tiers"]))
    return {"stratum": stratum, "situations": found}


def judged(situation: Situation, tiers: Sequence[int]) -> dict[str, Any]:
    """A situation's truth, and each tier's verdict on it."""
    fact, layout = situation.subgoal.predicate, situation.simulation.layout
    robot, spec = situation.simulation.robot, load_robot(layout.robot)
    thing, target = (layout.inventory[name] for name in fact.args)
    told: dict[str, Any] = {
        "fact": str(fact),
        "layout": layout.seed,
        "ending": str(situation.ending),
        "kind": thing.kind,
        "colour": thing.colour,
        "target": target.kind,
        "held_out": _held_out(layout, thing, target),
        "done": situation.holds(fact),
        "progress": round(progress(situation, fact), 4),
        "verdicts": {},
    }
    begin = robot.snapshot()
    for tier in tiers:
        robot.restore(begin)
        sight = Witness(robot, spec) if tier == 3 else None
        watch = Executor(robot, spec).hold(skill(situation.subgoal.skill).hold_seconds)
        told["verdicts"][str(tier)] = _row(verify(fact, layout.inventory, watch, sight=sight))
    return told


def summarise(rows: Sequence[Row]) -> dict[str, Any]:
    """The bench's keys: of the highest tier on top, of each by itself, by what became of the subgoal, kind, target."""
    every = [{**s, "stratum": row["stratum"]} for row in rows for s in row.get("situations", ())]
    tiers = sorted({tier for s in every for tier in s["verdicts"]})
    main = [s for s in every if s["stratum"] == STRATA[0]]
    by_tier = {tier: _figures(main, tier) for tier in tiers}
    told = dict(by_tier[tiers[-1]]) if tiers else _figures([], "")
    told["by_tier"] = by_tier
    for tier in tiers[-1:]:
        for key in ("ending", "kind", "target", "held_out"):
            told[f"by_{key}"] = {str(v): _figures([s for s in main if s[key] == v], tier) for v in _values(main, key)}
        others = [name for name in _values(every, "stratum") if name != STRATA[0]]
        told["strata"] = {name: _figures([s for s in every if s["stratum"] == name], tier) for name in others}
        told["completion_rank_correlation"] = _ranks(main, tier)
        told["calibration"] = _calibration(main, tier)
    return told


def _figures(found: Sequence[Mapping[str, Any]], tier: str) -> dict[str, Any]:
    """The two shares with their intervals and numbers, and how often nothing could be said."""
    failures = [s["verdicts"][tier] for s in found if not s["done"]]
    successes = [s["verdicts"][tier] for s in found if s["done"]]
    done = proportion("false_done", [v["code"] == Code.OK for v in failures])
    fail = proportion("false_fail", [v["code"] != Code.OK for v in successes])
    told = {**done, "n_failures": done.pop("n"), **fail, "n_successes": fail.pop("n")}
    told.pop("n", None)
    for name, verdicts in (("failures", failures), ("successes", successes)):
        told[f"unknown_{name}"] = sum(v["code"] == Code.UNKNOWN for v in verdicts)
    return told


def _ranks(found: Sequence[Mapping[str, Any]], tier: str) -> float | None:
    """Spearman's correlation of estimated and true progress, where a completion was estimated."""
    from scipy.stats import spearmanr

    pairs = [(v["completion"], s["progress"]) for s in found if (v := s["verdicts"][tier])["completion"] is not None]
    if len(pairs) < 3 or len(set(pairs)) < 3:
        return None
    return round(float(spearmanr(*zip(*pairs, strict=True)).statistic), 4)


def _calibration(found: Sequence[Mapping[str, Any]], tier: str) -> list[dict[str, Any]]:
    """Of verdicts in each fifth of probability: how many, what they say on the average, how many are done."""
    pairs = [(s["verdicts"][tier]["probability"], s["done"]) for s in found]
    rows = []
    for i in range(5):
        some = [(p, d) for p, d in pairs if min(int(5 * p), 4) == i]
        said = round(float(np.mean([p for p, _ in some])), 4) if some else None
        rows.append({"from": i / 5, "n": len(some), "said": said, "done": sum(d for _, d in some)})
    return rows


def _held_out(layout: Layout, *specs: ObjectSpec) -> bool:
    """Whether one of some objects is of a kind and colour that no scene to learn from has shown."""
    sets = load_scene(layout.scene).sets
    return any(sets.features(layout.seed, (spec.kind, spec.colour)) for spec in specs if spec.movable)


def _values(found: Sequence[Mapping[str, Any]], key: str) -> list[Any]:
    return sorted({s[key] for s in found})


def _row(verdict: Verdict) -> dict[str, Any]:
    said = {"code": str(verdict.code), "probability": round(verdict.probability, 4), "by": verdict.by}
    return {**said, "completion": verdict.completion, "because": verdict.because}
