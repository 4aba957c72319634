# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np

from robo_orch.policies.frozen import MOVED, FrozenFrames
from tests.policies.learned import observation


def look(moved=0.0, grey=51, stamp=1.0):
    seen = observation(stamp, grey)
    q = seen.state.q + moved * (np.arange(7) == 3)
    return replace(seen, state=replace(seen.state, q=q), images=seen.images | {"front": np.full((2, 2, 3), grey)})


def test_a_picture_that_stays_while_the_arm_moves_is_frozen():
    frames = FrozenFrames(["wrist"])
    assert [frames.see(look(m)) for m in (0.0, 0.5 * MOVED, 0.9 * MOVED)] == ["", "", ""]
    assert frames.see(look(1.1 * MOVED)) == "camera wrist shows the same picture since 1.00 s, and the arm has moved"


def test_a_picture_that_changes_or_an_arm_that_rests_is_not():
    frames = FrozenFrames(["wrist", "front"])
    assert not any(frames.see(look(MOVED * i, grey=i)) for i in range(5))
    assert not any(frames.see(look(MOVED * 4, grey=4)) for _ in range(5))
    assert frames.see(look(MOVED * 6, grey=4))
    frames.clear()
    assert not frames.see(look(MOVED * 8, grey=4))


def test_without_cameras_nothing_is_looked_at():
    assert not any(FrozenFrames([]).see(look(m)) for m in (0.0, 9.0))
