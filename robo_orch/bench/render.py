# SPDX-License-Identifier: Apache-2.0
"""``bench render``: how long a picture takes, beside a plain ``mujoco.Renderer`` of the same world, camera and size."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from robo_orch.bench.cells import Bench, Cell, Preset, Row

#: Pictures in a row, and how many of each are taken in an episode (chosen: an arm then takes a second or two).
SIZES, SHOTS = ((128, 128), (96, 96)), 50
#: The name under which MuJoCo's own renderer stands beside ours.
REFERENCE = "mujoco.Renderer"
#: The scene's seed that is looked at.
SEED = 1


def bench(scene: str = "kitchen") -> Bench:
    """The bench on every camera of a scene.

    Raises:
        SceneError: there is no such scene.
    """
    from robo_orch.sim.scenes import load_scene

    cameras = load_scene(scene).cameras
    arms = [f"{who} {camera} {w}x{h}" for w, h in SIZES for camera in cameras for who in ("ours", REFERENCE)]
    return Bench(
        name="render",
        work=work,
        summarise=summarise,
        arms=tuple(arms),
        episodes={Preset.QUICK: 3, Preset.FULL: 10},
        options={"scene": scene},
        scene=scene,
        alone=True,
    )


def work(cell: Cell) -> Mapping[str, Any]:
    """Take pictures of a world that moves between them; their times in ms, motion left out.

    Raises:
        RenderError: there is no GL.
    """
    who, camera, size = cell.arm.split()
    width, height = (int(part) for part in size.split("x"))
    simulation, draw = _stage(cell.options["scene"]), _drawing(who, cell.options["scene"])
    draw(camera, (width, height), simulation.world.snapshot())  # the first picture in a size sets things up
    times = []
    for _ in range(SHOTS):
        simulation.robot.tick()
        now = simulation.world.snapshot()
        begun = time.perf_counter()
        draw(camera, (width, height), now)
        times.append(round(1e3 * (time.perf_counter() - begun), 4))
    return {"times_ms": times}


def summarise(rows: Sequence[Row]) -> dict[str, Any]:
    """The bench's keys: percentiles over all pictures of an arm, and the ratio of medians to the reference's."""
    times: dict[str, list[float]] = {}
    for row in rows:
        times.setdefault(row["arm"], []).extend(row.get("times_ms", ()))
    return {"rows": [_row(arm, times) for arm in times if times[arm]]}


def _row(arm: str, times: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    p50, p95, p99 = np.percentile(times[arm], [50, 95, 99]).round(3).tolist()
    other = f"{REFERENCE} {arm.partition(' ')[2]}"
    known = bool(times.get(other))
    return {
        "name": arm,
        "p50_ms": p50,
        "p95_ms": p95,
        "p99_ms": p99,
        "fps": round(1e3 * len(times[arm]) / sum(times[arm]), 1),
        "n": len(times[arm]),
        "ratio_to": other if known else None,
        "ratio": round(p50 / float(np.median(times[other])), 3) if known else None,
    }


#: Draws the view of a camera in a size (width, height); the reference draws from the snapshot's data.
Draw = Callable[[str, tuple[int, int], Any], Any]


@cache
def _stage(scene: str) -> Any:
    from robo_orch.sim import gl
    from robo_orch.sim.build import build

    gl.choose()
    return build(scene, "mujoco", SEED)


@cache
def _drawing(who: str, scene: str) -> Draw:
    world = _stage(scene).world
    return Plain() if who == REFERENCE else lambda camera, size, now: world.render(camera, size)


class Plain:
    """MuJoCo's own renderer, used as its manual says, on the same physics."""

    def __init__(self) -> None:
        self._renderers: dict[tuple[int, int], Any] = {}

    def __call__(self, camera: str, size: tuple[int, int], now: Any) -> np.ndarray:
        """The view of a camera, ``size`` is (width, height)."""
        import mujoco

        if size not in self._renderers:
            self._renderers[size] = mujoco.Renderer(now.data.model, height=size[1], width=size[0])
        renderer = self._renderers[size]
        renderer.update_scene(now.data, camera)
        return renderer.render()
