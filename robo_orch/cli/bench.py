# SPDX-License-Identifier: Apache-2.0
"""``robo-orch bench``: the figures that are claimed, measured again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from robo_orch.cli.options import Json

if TYPE_CHECKING:
    from robo_orch.bench.cells import Bench, Settings
    from robo_orch.bench.engine import Report

app = typer.Typer(help="Measure what is claimed.", no_args_is_help=True, rich_markup_mode=None)

Suite = Annotated[str, typer.Option("--suite", metavar="NAME", help="Which tasks; see robo-orch tasks list.")]
Episodes = Annotated[
    int | None, typer.Option("--episodes", metavar="N", help="How many.", show_default="as the preset says")
]
Seed = Annotated[int | None, typer.Option("--seed", help="The same seed, the same figures.", show_default="0")]
Arms = Annotated[str, typer.Option("--arms", metavar="A,B,…", help="What is compared.", show_default="all")]
Jobs = Annotated[int, typer.Option("--jobs", metavar="J", help="Worker processes.")]
Preset = Annotated[
    Literal["quick", "full"], typer.Option("--preset", help="quick: 8 minutes at most, beside the stored full run.")
]
Budget = Annotated[
    float | None, typer.Option("--budget", metavar="MINUTES", help="Begin nothing new after that.", show_default="none")
]
Resume = Annotated[Path | None, typer.Option("--resume", metavar="DIR", help="Go on with a bench that ended early.")]
Scenes = Annotated[
    Literal["test", "validation"], typer.Option("--set", help="Whose scenes; choices are made on validation.")
]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="A new folder.", show_default="results/<bench>-<time>")
]


@app.command("tamp")
def tamp(
    suite: Suite = "kitchen-tamp",
    episodes: Episodes = None,
    seed: Seed = None,
    jobs: Jobs = 1,
    preset: Preset = "full",
    budget: Budget = None,
    resume: Resume = None,
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Tasks for the task-and-motion planner: success, progress, speed, what failed.

    Exit codes: 0 measured, 1 ended early by --budget, 2 bad input, 130 Ctrl-C; rows are kept in any case.
    """
    from robo_orch.bench import tamp as bench

    asked = {"episodes": episodes, "seed": seed, "jobs": jobs, "preset": preset}
    return measure(lambda: bench.bench(suite), asked | {"budget": budget, "resume": resume, "out": out}, as_json)


@app.command("render")
def render(
    scene: Annotated[str, typer.Option("--scene", help="A scene's name, or the path of its YAML.")] = "kitchen",
    episodes: Episodes = None,
    arms: Arms = "",
    preset: Preset = "full",
    budget: Budget = None,
    resume: Resume = None,
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Time that a picture takes, by camera and size, beside MuJoCo's own renderer."""
    from robo_orch.bench import render as bench

    asked: dict[str, Any] = {"episodes": episodes, "arms": arms, "preset": preset, "budget": budget}
    return measure(lambda: bench.bench(scene), asked | {"resume": resume, "out": out}, as_json)


@app.command("inference")
def inference(
    require_gpu: Annotated[bool, typer.Option("--require-gpu", help="Refuse to measure on a CPU.")] = False,
    episodes: Episodes = None,
    seed: Seed = None,
    arms: Arms = "",
    preset: Preset = "full",
    budget: Budget = None,
    resume: Resume = None,
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Time that a learned model takes, beside a bare ONNX Runtime session of the same bytes.

    added_us: what ours adds at the median; holds: it is 10 µs at most, or 10 % for models of 0.5 ms and more.
    """
    from robo_orch.bench import inference as bench

    asked: dict[str, Any] = {"episodes": episodes, "seed": seed, "arms": arms, "preset": preset, "budget": budget}
    return measure(lambda: bench.bench(require_gpu), asked | {"resume": resume, "out": out}, as_json)


@app.command("bank")
def bank(
    cards: Annotated[str, typer.Option("--cards", metavar="ID,…", help="Whose.", show_default="all")] = "",
    starts: Annotated[
        str, typer.Option("--starts", metavar="A,B,…", help="Among in, terminal, random.", show_default="all")
    ] = "",
    postures: Annotated[
        Path | None, typer.Option("--postures", metavar="FILE", help="Write the end postures there too.")
    ] = None,
    episodes: Episodes = None,
    seed: Seed = None,
    jobs: Jobs = 1,
    preset: Preset = "full",
    budget: Budget = None,
    resume: Resume = None,
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Scenes x cards x starts, each simulated once: what other benches replay, and skills probe starts from.

    Exit codes: 0 measured, 1 ended early by --budget, 2 bad input, 130 Ctrl-C; rows are kept in any case.
    """
    from robo_orch.bench import bank as bench
    from robo_orch.runs.config import parse_cards

    asked: dict[str, Any] = {"episodes": episodes, "seed": seed, "jobs": jobs, "preset": preset, "budget": budget}
    where = tuple(name.strip() for name in starts.split(",") if name.strip()) or bench.STARTS

    def keep(report: Report) -> None:
        for file in (report.folder / bench.POSTURES, *([postures] if postures else [])):
            bench.write_postures(report.folder, file)

    made = bench.bench(parse_cards(cards), where)
    return measure(lambda: made, asked | {"resume": resume, "out": out}, as_json, keep)


@app.command("contested")
def contested(
    skills: Annotated[str, typer.Option("--skills", metavar="A,B,…", help="Which.", show_default="all")] = "",
    scenes: Scenes = "test",
    arms: Arms = "",
    episodes: Episodes = None,
    seed: Seed = None,
    jobs: Jobs = 1,
    preset: Preset = "full",
    budget: Budget = None,
    resume: Resume = None,
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Two cards at the same subgoals, by what can be known beforehand: is each the better one somewhere?

    An arm is SKILL|STRATUM|CARD; both cards of a stratum are needed for it to be compared.

    Exit codes: 0 measured, 1 ended early by --budget, 2 bad input, 130 Ctrl-C; rows are kept in any case.
    """
    from robo_orch.bench import contested as bench

    asked: dict[str, Any] = {"episodes": episodes, "seed": seed, "jobs": jobs, "preset": preset, "budget": budget}
    asked["arms"] = arms
    names = [name.strip() for name in skills.split(",") if name.strip()]
    return measure(lambda: bench.bench(names, scenes), asked | {"resume": resume, "out": out}, as_json)


@app.command("verifier")
def verifier(
    tier: Annotated[int | None, typer.Option("--tier", help="2: by poses, 3: by pictures.", show_default="all")] = None,
    episodes: Episodes = None,
    seed: Seed = None,
    jobs: Jobs = 1,
    preset: Preset = "full",
    budget: Budget = None,
    resume: Resume = None,
    out: Out = None,
    as_json: Json = False,
) -> int:
    """Whether verdicts are true where only coarse poses are known: false_done, false_fail, by tier, ending and kind.

    Exit codes: 0 measured, 1 ended early by --budget, 2 bad input, 130 Ctrl-C; rows are kept in any case.
    """
    from robo_orch.bench import verifier as bench

    asked: dict[str, Any] = {"episodes": episodes, "seed": seed, "jobs": jobs, "preset": preset, "budget": budget}
    return measure(lambda: bench.bench(tier), asked | {"resume": resume, "out": out}, as_json)


@app.callback()
def _group() -> None:
    pass


def measure(
    bench: Callable[[], Bench],
    asked: Mapping[str, Any],
    as_json: bool,
    after: Callable[[Report], None] = lambda report: None,
) -> int:
    """Run a bench as asked for, do what is to be done ``after`` it, show what it came to; returns the exit code."""
    from robo_orch.bench import engine
    from robo_orch.cli import INTERRUPTED
    from robo_orch.cli.output import print_json
    from robo_orch.sim import gl

    gl.choose()
    report = engine.run(bench(), settings(asked))
    after(report)
    if as_json:
        print_json({**report.results, "out": str(report.folder)})
    else:
        _show(report)
    return INTERRUPTED if report.interrupted else 0 if report.complete else 1


def settings(asked: Mapping[str, Any]) -> Settings:
    """Options as typed, as the engine takes them.

    Raises:
        OptionError: a value that cannot be used.
    """
    from robo_orch.bench import cells

    given = dict(asked)
    arms = [arm.strip() for arm in given.pop("arms", "").split(",") if arm.strip()]
    given["preset"] = cells.Preset(given["preset"])
    return cells.Settings(**given, arms=tuple(arms) or None)


def _show(report: Report) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    for key, value in report.results.items():
        if key in ("about", "rows"):
            continue
        console.print(f"{key}: {value}", markup=False)
    for row in report.results.get("rows", ()):
        console.print("  ".join(f"{key} {value}" for key, value in row.items()), markup=False)
    console.print(f"record: {report.folder}", markup=False)
