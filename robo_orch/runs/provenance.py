# SPDX-License-Identifier: Apache-2.0
"""With what a run was made: options, scene, robot, and the versions that its outcome may depend on."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import robo_orch
from robo_orch.runs.config import RunConfig
from robo_orch.runs.schema import RunInfo

if TYPE_CHECKING:
    from robo_orch.sim.build import Simulation

#: Distributions whose version may change what a run does.
LIBRARIES = ("mujoco", "numpy", "scipy", "onnxruntime", "ompl", "ruckig", "toppra", "lark", "msgspec")


@cache
def libraries() -> dict[str, str]:
    """Versions of :data:`LIBRARIES` as installed, with Python and the platform."""
    found = {"python": platform.python_version(), "platform": f"{sys.platform}-{platform.machine()}"}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def describe(
    config: RunConfig, require: Sequence[tuple[str, str]] = (), simulation: Simulation | None = None
) -> RunInfo:
    """The contents of ``config.json``; without ``simulation``, what is known before the scene is built."""
    layout = simulation.layout if simulation else None
    return RunInfo(
        robo_orch=robo_orch.__version__,
        goal=config.goal,
        scene=config.scene,
        sim=config.sim,
        seed=config.seed,
        planner=config.planner,
        bridge=config.bridge,
        cards=list(config.cards),
        perturb=dict(config.perturb),
        speed=config.speed,
        time_limit=config.time_limit,
        pictures=str(config.pictures),
        realtime=config.realtime,
        task=config.task,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        libraries=libraries(),
        require=[(kind, colour) for kind, colour in require],
        robot=layout.robot if layout else "",
        period=simulation.robot.period if simulation else 0.0,
        scene_hash=layout.scene_hash if layout else None,
    )
