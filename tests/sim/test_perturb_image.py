# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.sim.perturb import FREEZE_START
from robo_orch.sim.perturb_image import SHEET, Pictures

RNG = np.random.default_rng(0)
PICTURE = RNG.integers(100, 255, size=(96, 128, 3), dtype=np.uint8)


def test_without_any_of_it_a_picture_stays_as_it_is():
    nothing = Pictures(0, 0, 0, 0)
    assert not nothing.change_anything
    np.testing.assert_array_equal(nothing(PICTURE, "front", 3.0), PICTURE)


@given(st.floats(0.05, 0.9), st.integers(0, 1000), st.sampled_from(["front", "side", "wrist"]))
def test_the_sheet_covers_the_share_that_is_asked_for_and_stays_where_it_is(share, seed, camera):
    pictures = Pictures(0, share, 0, seed)
    seen = pictures(PICTURE, camera, 0.0)
    assert np.all(seen == SHEET, axis=2).mean() == pytest.approx(share, abs=0.03)
    np.testing.assert_array_equal(seen, pictures(PICTURE, camera, 9.0))


def test_blur_takes_away_contrast_and_keeps_the_brightness():
    blurred = Pictures(3, 0, 0, 0)(PICTURE, "front", 0.0)
    assert blurred.std() < 0.3 * PICTURE.std()
    assert blurred.mean() == pytest.approx(PICTURE.mean(), abs=2.0)


def test_a_frozen_camera_shows_what_it_showed_first_and_then_goes_on():
    pictures = Pictures(0, 0, 5.0, 0)
    first, later = PICTURE, 255 - PICTURE
    for time, shown in ((FREEZE_START - 0.1, first), (FREEZE_START, first), (FREEZE_START + 5.0, later)):
        np.testing.assert_array_equal(pictures(first if time < 6 else later, "front", time), shown)
    np.testing.assert_array_equal(pictures(later, "front", FREEZE_START + 1.0), first)
    np.testing.assert_array_equal(pictures(later, "side", FREEZE_START + 1.0), later)
