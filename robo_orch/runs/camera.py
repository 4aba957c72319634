# SPDX-License-Identifier: Apache-2.0
"""Key frames and film of a run. Pictures are for people: nothing in a run depends on them."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from robo_orch.errors import RenderError
from robo_orch.runs.folder import RunFolder
from robo_orch.runs.png import encode_png

#: The camera that key frames and film come from.
VIEW = "front"
#: Film rate, frames per second of the robot's clock.
FPS = 25


class Pictures(StrEnum):
    """How much of a run is pictured: nothing, key frames, or key frames and a film."""

    NONE = "none"
    FRAMES = "frames"
    FILM = "film"


class Eye(Protocol):
    """A world as far as pictures of it go."""

    def snapshot(self) -> Any:
        """The present, to be drawn later."""
        ...

    def render(self, camera: str, *, of: Any = None, plain: bool = False) -> NDArray[np.uint8]:
        """The view ``(H, W, 3)``, of now or of a snapshot, in beauty or in haste; raises RenderError."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class KeyFrame:
    """A moment worth a picture: the robot's clock (s), what was going on, and the world then."""

    taken: float
    at: str
    index: int | None
    view: Any


class RunCamera:
    """Takes the pictures of one run; where no picture can be had it says so once and is quiet from then on.

    The first key frame is drawn together with the second: to set up OpenGL takes a second or two, which motion need not
    wait for. ``seconds`` is the wall time spent on pictures.
    """

    def __init__(self, eye: Eye, folder: RunFolder, pictures: Pictures, notify: Callable[[str], None]) -> None:
        self._eye, self._folder, self._pictures, self._notify = eye, folder, pictures, notify
        self._film: Film | None = None
        self._pending: list[KeyFrame] = []
        self._last: float | None = None
        self._frames = self._filmed = 0
        self.seconds = 0.0

    def key_frame(self, now: float, at: str, index: int | None) -> list[tuple[KeyFrame, str]]:
        """Keep this moment, unless there is a key frame of it; returns the frames drawn by now with their files."""
        if self._pictures is Pictures.NONE or now == self._last:
            return []
        first, self._last = self._last is None, now
        self._pending.append(KeyFrame(now, at, index, self._eye.snapshot()))
        return [] if first else self.develop()

    def develop(self) -> list[tuple[KeyFrame, str]]:
        """Draw the key frames that are not drawn yet; returns them with their files within the run folder."""
        begun, drawn = time.perf_counter(), []
        frames, self._pending = self._pending, []
        for frame in frames:
            image = self._picture(frame.view)
            if image is not None:
                drawn.append((frame, self._folder.frame(f"{self._frames:03d}.png", encode_png(image))))
                self._frames += 1
        self.seconds += time.perf_counter() - begun
        return drawn

    def film(self, now: float) -> None:
        """Film the view if the robot's clock (s) says that a frame is due."""
        if self._pictures is not Pictures.FILM or now * FPS + 1e-6 < self._filmed:
            return
        begun = time.perf_counter()
        image = self._picture(plain=True)
        if image is not None:
            self._write(image)
        self._filmed += 1
        self.seconds += time.perf_counter() - begun

    def close(self) -> None:
        """Finish the film."""
        if self._film is not None:
            self._film.close()

    def _write(self, image: NDArray[np.uint8]) -> None:
        try:
            if self._film is None:
                self._film = Film(self._folder.path / "video.mp4", image.shape[1], image.shape[0])
            self._film.write(image)
        except (OSError, ImportError, RuntimeError) as error:
            self._notify(f"no video: ffmpeg cannot be used ({error}); pip install --force-reinstall imageio-ffmpeg")
            self._pictures = Pictures.FRAMES

    def _picture(self, view: Any = None, plain: bool = False) -> NDArray[np.uint8] | None:
        if self._pictures is Pictures.NONE:
            return None
        try:
            return self._eye.render(VIEW, of=view, plain=plain)
        except RenderError as error:
            self._notify(" ".join(f"no pictures: {error.got}; {error.remedy}".split()))
            self._pictures = Pictures.NONE
            return None


class Film:
    """An H.264 film written by the ffmpeg that imageio-ffmpeg brings.

    ffmpeg runs in a session of its own: Ctrl-C reaches us alone, and when we end, in whatever way, it finds the end
    of its input and closes the file properly.
    """

    def __init__(self, path: Path, width: int, height: int) -> None:
        from imageio_ffmpeg import get_ffmpeg_exe

        source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(FPS), "-i", "-"]
        target = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p"]
        command = [get_ffmpeg_exe(), "-loglevel", "error", "-y", *source, *target, "-movflags", "+faststart", str(path)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def write(self, image: NDArray[np.uint8]) -> None:
        """Append a frame ``(H, W, 3)``.

        Raises:
            OSError: ffmpeg has ended.
        """
        pipe = self._process.stdin
        if pipe is None:
            raise OSError("its input is closed")
        pipe.write(np.ascontiguousarray(image).data)

    def close(self) -> None:
        """Let ffmpeg finish the file; after half a minute it is ended."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
