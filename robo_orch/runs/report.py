# SPDX-License-Identifier: Apache-2.0
"""``report.html``: one file that tells a run to someone who was not there, from the run folder alone."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np

from robo_orch.runs.jpeg import jpegs
from robo_orch.runs.plots import Band, figure
from robo_orch.runs.record import RunRecord
from robo_orch.runs.schema import Tick
from robo_orch.runs.timeline import Step, Timeline
from robo_orch.runs.words import advice, sentence

TEMPLATE = "report.html.j2"
#: A run with more key frames shows the first and last half of these; all stay in the folder.
MAX_FRAMES = 24


def write_report(run_dir: Path) -> Path:
    """Write the report into a run folder and return its path.

    Everything that comes from the run is escaped. Runs that failed or were interrupted have a report too.

    Raises:
        RunError: no run folder, or one without a result.
    """
    record = RunRecord.open(run_dir)
    path = record.path / "report.html"
    path.write_text(render(record), encoding="utf-8")
    return path


def render(record: RunRecord) -> str:
    """The report's HTML."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    source = files("robo_orch").joinpath("data/report")
    environment = Environment(
        loader=FunctionLoader(lambda name: source.joinpath(name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    contents = _contents(record)
    scripts = _scripts() if contents["charts"] else []
    return environment.get_template(TEMPLATE).render(**contents, scripts=scripts, script_src=_only(scripts))


def _scripts() -> list[str]:
    """plotly, and what draws the report's figures with it."""
    plotly = files("plotly").joinpath("package_data/plotly.min.js")
    return [path.read_text(encoding="utf-8") for path in (plotly, files("robo_orch").joinpath("data/report/report.js"))]


def _only(scripts: Sequence[str]) -> str:
    """The content security policy under which a page runs these scripts and no other: nothing of the run is code."""
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    return " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"


def _contents(record: RunRecord) -> dict[str, Any]:
    timeline = Timeline.of(record.events())
    result = record.result or {}
    ticks = list(record.ticks())
    return {
        "style": files("robo_orch").joinpath("data/report/report.css").read_text(encoding="utf-8"),
        "info": record.info,
        "options": msgspec.to_builtins(record.info),
        "result": result,
        "sentence": sentence(result) if result else "Killed: the run did not end by itself.",
        "advice": advice(result) if result else "",
        "timeline": timeline,
        "bars": _bars(timeline.steps, timeline.time),
        "frames": _frames(record.path, timeline),
        "charts": _charts(ticks, timeline.steps),
        "video": (record.path / "video.mp4").is_file(),
        "run_dir": str(record.path),
    }


def _bars(steps: Sequence[Step], end: float) -> list[dict[str, Any]]:
    """Each step's attempts as shares (%) of the run's time."""
    total = end or 1.0
    return [
        {
            "step": step,
            "spans": [
                {"left": 100 * a.start / total, "width": 100 * ((a.end or end) - a.start) / total, "attempt": a}
                for a in step.attempts
            ],
        }
        for step in steps
    ]


def _frames(folder: Path, timeline: Timeline) -> list[dict[str, str]]:
    """Key frames as data URLs; files that are missing are left out."""
    shown = timeline.frames
    if len(shown) > MAX_FRAMES:
        shown = [*shown[: MAX_FRAMES // 2], *shown[-MAX_FRAMES // 2 :]]
    with TemporaryDirectory() as scratch:
        small = jpegs(folder / "frames", Path(scratch))
        return [
            {"url": _data_url(file), "text": f"{frame.step or 'start'}, {frame.taken:.1f} s"}
            for frame in shown
            if (file := small.get(Path(frame.file).stem, folder / frame.file)).is_file()
        ]


def _data_url(file: Path) -> str:
    kind = "jpeg" if file.suffix == ".jpg" else "png"
    return f"data:image/{kind};base64,{base64.b64encode(file.read_bytes()).decode()}"


def _charts(ticks: Sequence[Tick], steps: Sequence[Step]) -> list[dict[str, Any]]:
    if len(ticks) < 2:
        return []
    times = np.array([tick.t for tick in ticks])
    bands = [Band(a.start, a.end or times[-1], step.text) for step in steps for a in step.attempts]
    q = np.array([tick.q for tick in ticks])
    joints = {f"joint {i + 1}": q[:, i] for i in range(q.shape[1])}
    gripper = {
        "opening": np.array([tick.gripper for tick in ticks]) * 1000,
        "command": np.array([tick.command.gripper for tick in ticks]) * 1000,
    }
    height = {"tool height": np.array([tick.tool[2] for tick in ticks])}
    return [
        {"title": "Joint positions", "figure": figure(times, joints, "rad", bands)},
        {"title": "Gripper", "figure": figure(times, gripper, "mm", bands)},
        {"title": "Tool height", "figure": figure(times, height, "m", bands)},
    ]
