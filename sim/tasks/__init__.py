# SPDX-License-Identifier: Apache-2.0
"""Tasks: a scene, a goal in words with the facts it stands for, and what makes it harder (docs/tasks.md)."""

from robo_orch.sim.tasks.suite import Suite, load_suite, suite_names
from robo_orch.sim.tasks.task import Task, load_task, parse_fact, parse_task

__all__ = ["Suite", "Task", "load_suite", "load_task", "parse_fact", "parse_task", "suite_names"]
