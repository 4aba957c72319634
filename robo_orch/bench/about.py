# SPDX-License-Identifier: Apache-2.0
"""With what a figure was made: commit, command, versions, host."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import robo_orch
from robo_orch.runs.provenance import libraries

_PACKAGE = Path(robo_orch.__file__).resolve().parent


def about() -> dict[str, Any]:
    """What stands under ``about`` in ``results.json``, as far as it is known beforehand."""
    commit, clean = revision()
    return {
        "robo_orch": robo_orch.__version__,
        "commit": commit,
        "clean": clean,
        "command": command(),
        "versions": libraries(),
        "host": {"cores": cores(), "machine": platform.machine()},
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def command() -> str:
    """The command line, with the program's name instead of its place on this machine."""
    return shlex.join([Path(sys.argv[0]).name or "robo-orch", *sys.argv[1:]])


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def revision() -> tuple[str, bool]:
    """The commit of the checkout that the package runs from and whether its code is as committed; "" outside git."""
    commit = _git("rev-parse", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ":(exclude)results", ":(exclude)docs")
    return commit or "", changed == ""


def _git(*arguments: str) -> str | None:
    command = ["git", "-C", str(_PACKAGE.parent), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
