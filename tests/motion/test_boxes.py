# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import mujoco
import numpy as np
import pytest

from robo_orch.motion.boxes import near_boxes

MARGIN = 0.007
MODEL = mujoco.MjModel.from_xml_string(f"""<mujoco><worldbody>
  <body mocap="true"><geom type="box" size=".027 .008 .018" margin="{MARGIN}"/></body>
  <body><freejoint/><geom type="box" size=".0315 .1 .0327"/></body>
</worldbody></mujoco>""")
ONE, OTHER = np.array([1]), np.array([0])


def poses(n: int):
    """Data with the boxes in ``n`` random poses, and their true distance in each, m."""
    rng, data = np.random.default_rng(0), mujoco.MjData(MODEL)
    for _ in range(n):
        turn = rng.normal(size=4)
        data.qpos[:] = [*rng.uniform(-0.14, 0.14, 3), *turn / np.linalg.norm(turn)]
        mujoco.mj_kinematics(MODEL, data)
        yield data, mujoco.mj_geomDistance(MODEL, data, 0, 1, 1.0, None)


def test_no_pair_within_its_margin_is_overlooked():
    bound = np.full((3, 3), np.inf)
    seen = overlooked = 0
    for data, gap in poses(6000):
        if gap > 0.0005:
            found = near_boxes(MODEL, data, ONE, OTHER, bound)
            assert found == ([(2, 1, pytest.approx(gap, abs=1e-5))] if gap < MARGIN else []), gap
            mujoco.mj_collision(MODEL, data)
            seen, overlooked = seen + bool(found), overlooked + (bool(found) and data.ncon == 0)
    assert seen > 50 and overlooked > 0  # else MuJoCo has mended it, and nobody needs this


def test_a_pair_that_may_come_closer_counts_below_its_own_bound_only():
    for bound in (-0.01, 0.0, 0.003):
        for data, gap in poses(1000):
            found = near_boxes(MODEL, data, ONE, OTHER, np.full((3, 3), bound))
            assert not found or gap < bound
