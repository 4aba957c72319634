# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robo_orch.policies.tamp.ways import CARRYING, GRASPING, LEAVING, LEAVING_FAR, along, backed, raised
from robo_orch.types import Pose

numbers = st.floats(-1.0, 1.0)
poses = st.tuples(numbers, numbers, numbers, numbers, numbers, numbers).map(
    lambda v: Pose.from_rotation(v[:3], Rotation.from_rotvec(v[3:]))
)


@given(poses, st.floats(0.0, 0.3))
def test_up_is_up_and_back_is_out_of_the_hands_direction(pose, distance):
    assert raised(pose, distance).position == pytest.approx(pose.position + np.array([0.0, 0.0, distance]))
    assert (pose.inverse() @ backed(pose, distance)).position == pytest.approx([0.0, 0.0, -distance], abs=1e-9)


@given(poses, st.sampled_from([*GRASPING, *CARRYING, *LEAVING, *LEAVING_FAR]))
def test_the_hand_keeps_its_orientation_on_every_way(pose, way):
    found = along(way, pose)
    assert len(found) == len(way)
    assert all(p.distance(pose)[1] < 1e-6 and p.distance(pose)[0] > 0.01 for p in found)
