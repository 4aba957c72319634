# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from robo_orch.runs.png import encode_png


@given(arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3))))
def test_rows_come_back_from_the_file(image):
    import struct
    import zlib

    png = encode_png(image)
    width, height = struct.unpack(">II", png[16:24])
    size = struct.unpack(">I", png[33:37])[0]
    rows = np.frombuffer(zlib.decompress(png[41 : 41 + size]), np.uint8).reshape(height, 1 + 3 * width)
    again = np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(height, width, 3)
    assert (again == image).all()


def test_ffmpeg_reads_it(tmp_path):
    from imageio_ffmpeg import get_ffmpeg_exe

    image = np.random.default_rng(0).integers(0, 255, (12, 16, 3), np.uint8)
    (tmp_path / "x.png").write_bytes(encode_png(image))
    command = [
        get_ffmpeg_exe(),
        "-v",
        "error",
        "-i",
        str(tmp_path / "x.png"),
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-",
    ]
    assert subprocess.run(command, capture_output=True, check=True).stdout == image.tobytes()


@pytest.mark.parametrize("image", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 4), np.uint8), np.zeros((4, 4, 3))])
def test_other_arrays_are_refused(image):
    with pytest.raises(ValueError, match="H, W, 3"):
        encode_png(image)
