# SPDX-License-Identifier: Apache-2.0
"""Which GL backend can draw here, found out by really creating a context, once, when it is first needed.

Simulation without images never comes here and needs no GL at all. ``MUJOCO_GL`` (``egl``, ``osmesa`` or ``disable``)
overrides the choice.
"""

from __future__ import annotations

import ctypes.util
import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from robo_orch.errors import RenderError

#: Backends in the order in which they are tried, and the library each needs.
BACKENDS = {"egl": "EGL", "osmesa": "OSMesa"}
#: Up to this size, pixels, one thread draws faster than two (measured, ms a picture: 2.6 for 4.2 at 96, 5.1 for 5.3
#: at 128).
SMALL = 192
REMEDY = "install one: apt-get install libegl1 libgl1 libgl1-mesa-dri (or libosmesa6), then run again"


@dataclass(frozen=True, slots=True)
class GlStatus:
    """``backend`` that draws, ``None`` if none does; ``message`` says why, and what to install."""

    backend: str | None
    message: str


def choose() -> str | None:
    """Set ``MUJOCO_GL`` to the first backend whose library is installed, unless it is set; creates nothing.

    Cheap (a look-up of library names), and to be called before mujoco is first imported, so that parts of mujoco
    that read the variable agree with ours. Returns the backend's name.
    """
    wish = os.environ.get("MUJOCO_GL", "").strip().lower()
    if wish:
        return wish if wish in BACKENDS else None
    for name, library in BACKENDS.items():
        if ctypes.util.find_library(library):
            os.environ["MUJOCO_GL"] = name
            return name
    return None


@cache
def gl_backend() -> GlStatus:
    """Try the backends for real; the answer is kept for the life of the process."""
    wish = os.environ.get("MUJOCO_GL", "").strip().lower()
    if wish in ("disable", "disabled", "off", "false", "0"):
        return GlStatus(None, f"images are switched off by MUJOCO_GL={wish}")
    failures = []
    for name in [wish] if wish in BACKENDS else list(BACKENDS):
        try:
            context = _context_class(name)(64, 64)
            context.make_current()
            context.free()
        except Exception as error:  # any of a dozen kinds, by driver and by binding
            failures.append(f"{name}: {_first_line(error)}")
        else:
            return GlStatus(name, f"images are drawn with {name}")
    return GlStatus(None, f"no GL that can draw without a display ({'; '.join(failures)}); {REMEDY}")


def new_context(width: int, height: int) -> Any:
    """A GL context for off-screen drawing.

    Without a GPU Mesa draws with a thread per core, which costs more than it gains in pictures of at most :data:`SMALL`
    pixels either way. If the first context of a process is for such, there will be one thread, unless
    ``LP_NUM_THREADS`` says otherwise.

    Raises:
        RenderError: no backend works here; the remedy names packages.
    """
    if max(width, height) <= SMALL:
        os.environ.setdefault("LP_NUM_THREADS", "1")  # read when the display is opened, once
    status = gl_backend()
    if status.backend is None:
        raise RenderError("a GL backend that draws without a display", status.message, REMEDY)
    return _context_class(status.backend)(width, height)


def _context_class(name: str) -> Callable[[int, int], Any]:
    return importlib.import_module(f"mujoco.{name}").GLContext


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]
