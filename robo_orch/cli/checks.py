# SPDX-License-Identifier: Apache-2.0
"""The checks behind ``robo-orch doctor``; each looks at one thing and names the remedy."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import robo_orch
from robo_orch.runs.folder import RUNS
from robo_orch.runs.provenance import LIBRARIES

OLDEST_PYTHON = (3, 11)
#: Free disk space that runs with films need, bytes (chosen: about a hundred runs).
ENOUGH_DISK = 2 * 10**9


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was looked at. ``optional``: things work without it, with less."""

    name: str
    ok: bool
    found: str
    remedy: str = ""
    optional: bool = False

    def told(self) -> dict[str, Any]:
        """The item as JSON; a remedy stands only where there is something to remedy."""
        return asdict(self) | {"remedy": "" if self.ok else self.remedy}


def examine(pictures: bool = True) -> list[Item]:
    """All checks in order; ``pictures`` decides whether a frame is rendered."""
    items = [_python(), *_libraries(), _inference()]
    items += [_graphics()] if pictures else []
    return [*items, _ffmpeg(), _processor(), _disk(), _ros(), _gpu()]


def _python() -> Item:
    wanted = ".".join(map(str, OLDEST_PYTHON))
    ok = sys.version_info[:2] >= OLDEST_PYTHON
    return Item("python", ok, f"{platform.python_version()} at {sys.executable}", f"install Python {wanted} or newer")


def _libraries() -> Iterator[Item]:
    for name, lowest, above in _required():
        remedy = f"pip install '{name}{f'>={lowest}' if lowest else ''}{f',<{above}' if above else ''}'"
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Item(name, False, "not installed", remedy)
            continue
        high_enough = not lowest or _number(found) >= _number(lowest)
        yield Item(name, high_enough and (not above or _number(found) < _number(above)), found, remedy)


def _required() -> list[tuple[str, str, str]]:
    """Name, lowest version and first version that is too new, of what robo_orch says it needs."""
    try:
        lines = metadata.requires("robo_orch") or []
    except metadata.PackageNotFoundError:  # running from a checkout that was never installed
        return [(name, "", "") for name in LIBRARIES]
    found = []
    for line in (line for line in lines if "extra ==" not in line):
        lowest, above = re.search(r">=\s*([\d.]+)", line), re.search(r"<\s*([\d.]+)", line)
        name = re.match(r"[\w.-]+", line)
        if name:
            found.append((name[0], lowest[1] if lowest else "", above[1] if above else ""))
    return found


def _number(version: str) -> tuple[int, ...]:
    """A version's leading numbers, without trailing zeros, so that 3.0 equals 3."""
    numbers = [int(part) for part in re.findall(r"\d+", version.split("+")[0])[:4]]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _inference() -> Item:
    from robo_orch.errors import ModelError

    try:
        from robo_orch.kernels.session import Session

        with warnings.catch_warnings(record=True) as told:
            provider = Session.load(Path(robo_orch.__file__).parent / "kernels" / "data" / "mlp.onnx").provider
    except ImportError as error:
        return Item("inference", False, str(error), "pip install onnxruntime")
    except ModelError as error:
        return Item("inference", False, error.got, error.remedy)
    return Item("inference", True, "; ".join([f"ONNX Runtime on {provider}", *(str(one.message) for one in told)]))


def _graphics() -> Item:
    from robo_orch.errors import RenderError
    from robo_orch.sim.gl import gl_backend

    try:
        status = gl_backend()
    except RenderError as error:
        return Item("OpenGL", False, error.got, error.remedy, optional=True)
    return Item("OpenGL", status.backend is not None, status.backend or "none", status.message, optional=True)


def _ffmpeg() -> Item:
    remedy = "pip install --force-reinstall imageio-ffmpeg"
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        path = get_ffmpeg_exe()
        said = subprocess.run([path, "-version"], capture_output=True, text=True, timeout=20, check=True).stdout
    except (ImportError, RuntimeError, OSError, subprocess.SubprocessError) as error:
        return Item("ffmpeg", False, str(error), remedy, optional=True)
    return Item("ffmpeg", True, " ".join(said.split()[:3]), remedy, optional=True)


def _processor() -> Item:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    machine = platform.machine()
    known = machine in ("x86_64", "AMD64", "aarch64", "arm64")
    return Item("processor", known, f"{cores} cores, {machine}", "use x86-64, or build the libraries from source")


def _disk() -> Item:
    folder = next(p for p in (RUNS.absolute(), *RUNS.absolute().parents) if p.is_dir())
    remedy = "free some space, or write elsewhere with --out"
    try:
        with tempfile.NamedTemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        return Item("run folder", False, f"{folder}: {error.strerror}", remedy)
    return Item("run folder", free >= ENOUGH_DISK, f"{folder}, {free / 1e9:.0f} GB free", remedy)


def _ros() -> Item:
    distribution = os.environ.get("ROS_DISTRO", "")
    found = importlib.util.find_spec("rclpy") is not None
    remedy = "for ROS 2, source its setup.bash and use an environment with system site packages"
    return Item("rclpy", found, f"found {distribution}".strip() if found else "not found", remedy, optional=True)


def _gpu() -> Item:
    command = shutil.which("nvidia-smi")
    if command is None or not Path(command).exists():
        return Item("GPU", False, "none found", "nothing here needs one", optional=True)
    query = [command, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        said = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        return Item("GPU", False, str(error), "see whether nvidia-smi works", optional=True)
    return Item("GPU", True, said.strip().replace("\n", "; "), optional=True)
