# SPDX-License-Identifier: Apache-2.0
"""A run from a task file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from robo_orch.runs.config import RunConfig
from robo_orch.sim.tasks import Task


def run_of(task: Task, **options: Any) -> RunConfig:
    """The run that does a task.

    Args:
        options: further fields of :class:`RunConfig`; what the task says itself wins, but their perturbations come on
            top of the task's.

    Raises:
        OptionError: a value that cannot be used.
    """
    config = RunConfig(**{"goal": task.goal} | options)
    return replace(
        config,
        goal=task.goal,
        scene=task.scene,
        seed=task.seed,
        perturb={**task.perturbation, **config.perturb},
        task=task.id,
        require=task.require,
        facts=task.predicates,
    )
