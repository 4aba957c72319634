# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.errors import RenderError
from robo_orch.runs.camera import FPS, Pictures, RunCamera
from robo_orch.runs.folder import RunFolder
from robo_orch.runs.jpeg import jpegs


class _Eye:
    def __init__(self, blind: bool = False) -> None:
        self.blind, self.now, self.drawn = blind, 0, []

    def snapshot(self):
        return self.now

    def render(self, camera, *, of=None, plain=False):
        if self.blind:
            raise RenderError("GL", "none", "apt-get\ninstall it")
        self.drawn.append(self.now if of is None else of)
        return np.full((48, 64, 3), 10 * self.drawn[-1], np.uint8)


@pytest.fixture
def folder(tmp_path):
    return RunFolder.create(tmp_path / "run", "goal")


def test_the_first_key_frame_shows_the_first_moment_though_it_is_drawn_later(folder):
    eye, said = _Eye(), []
    camera = RunCamera(eye, folder, Pictures.FRAMES, said.append)
    assert camera.key_frame(0.0, "step_started", 0) == []
    assert eye.drawn == []
    eye.now = 7
    drawn = camera.key_frame(1.0, "step_ended", 0)
    assert eye.drawn == [0, 7]
    assert [(frame.taken, file) for frame, file in drawn] == [(0.0, "frames/000.png"), (1.0, "frames/001.png")]


def test_a_moment_has_one_key_frame(folder):
    camera = RunCamera(_Eye(), folder, Pictures.FRAMES, print)
    camera.key_frame(0.0, "step_started", 0)
    assert len(camera.key_frame(1.0, "step_ended", 0)) == 2
    assert camera.key_frame(1.0, "step_started", 1) == []


def test_a_single_key_frame_is_not_lost(folder):
    camera = RunCamera(_Eye(), folder, Pictures.FRAMES, print)
    camera.key_frame(0.0, "step_started", 0)
    assert len(camera.develop()) == 1
    assert camera.develop() == []


def test_without_gl_it_says_so_once_in_one_line(folder):
    said = []
    camera = RunCamera(_Eye(blind=True), folder, Pictures.FILM, said.append)
    for i in range(5):
        assert camera.key_frame(float(i), "x", 0) == []
        camera.film(float(i))
    camera.close()
    assert len(said) == 1
    assert "\n" not in said[0]
    assert "apt-get install it" in said[0]
    assert not (folder.path / "video.mp4").exists()


def test_no_pictures_means_none(folder):
    eye = _Eye()
    camera = RunCamera(eye, folder, Pictures.NONE, print)
    camera.key_frame(0.0, "x", 0)
    camera.film(0.0)
    assert camera.develop() == []
    assert eye.drawn == []


def test_a_film_has_the_frames_of_its_time(folder):
    from imageio_ffmpeg import count_frames_and_secs

    camera = RunCamera(_Eye(), folder, Pictures.FILM, print)
    for tick in range(1, 101):
        camera.film(0.02 * tick)
    camera.close()
    frames, seconds = count_frames_and_secs(str(folder.path / "video.mp4"))
    assert abs(frames - 2 * FPS) <= 1
    assert seconds == pytest.approx(2.0, abs=0.1)


def test_reports_get_small_copies(folder, tmp_path):
    camera = RunCamera(_Eye(), folder, Pictures.FRAMES, print)
    for i in range(3):
        camera.key_frame(float(i), "x", 0)
    (tmp_path / "small").mkdir()
    copies = jpegs(folder.path / "frames", tmp_path / "small")
    assert sorted(copies) == ["000", "001", "002"]
    assert all(file.read_bytes()[:2] == b"\xff\xd8" for file in copies.values())
    assert jpegs(tmp_path, tmp_path) == {}
