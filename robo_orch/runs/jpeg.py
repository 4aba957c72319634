# SPDX-License-Identifier: Apache-2.0
"""Small copies of key frames for reports."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

#: ffmpeg's JPEG quality, 2 (best) to 31 (chosen: a tenth of the PNG's size, no visible loss at 640x480).
QUALITY = 4


def jpegs(frames: Path, into: Path) -> Mapping[str, Path]:
    """Copy ``frames/000.png``, ``001.png`` … as JPEG into another folder; returns them by name without suffix.

    Where ffmpeg is missing or fails there are none: a report then shows the PNG files themselves.
    """
    if not (frames / "000.png").is_file():
        return {}
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        source = ["-framerate", "1", "-start_number", "0", "-i", str(frames / "%03d.png")]
        target = ["-q:v", str(QUALITY), "-start_number", "0", str(into / "%03d.jpg")]
        command = [get_ffmpeg_exe(), "-loglevel", "error", "-nostdin", *source, *target]
        subprocess.run(command, check=True, timeout=60, capture_output=True)
    except (ImportError, RuntimeError, OSError, subprocess.SubprocessError):
        return {}
    return {file.stem: file for file in into.glob("*.jpg")}
