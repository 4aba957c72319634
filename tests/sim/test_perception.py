# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robo_orch.catalogue import furniture, make_object
from robo_orch.sim.perception import LATENCY, RATE, SIGMA, Scan, SimPerception, _turned
from robo_orch.types import Pose, Precision

PERIOD = 0.02
FAR = Pose.of((0.5, 0.1, 0.02))


def inventory(n=1, precision=Precision.FIDUCIAL):
    cubes = {f"cube_{i}": make_object("cube", f"cube_{i}", "red") for i in range(n)}
    return {name: replace(cube, precision=precision) for name, cube in cubes.items()}


def watch(perception, poses, seconds, start=0.0):
    """Estimates by name, one list entry per new frame, while everything lies still."""
    frames = []
    for k in range(round(seconds / PERIOD)):
        seen, _ = perception.observe(Scan(start + k * PERIOD, lambda: poses))
        if seen and (not frames or frames[-1] is not seen):
            frames.append(seen)
    return frames


def errors(estimates, pose):
    """``(n, 6)`` position and rotation errors."""
    turned = [(e.pose.rotation * pose.rotation.inv()).as_rotvec() for e in estimates]
    return np.hstack([[e.pose.position - pose.position for e in estimates], turned])


@pytest.mark.parametrize("precision", [Precision.FIDUCIAL, Precision.MODEL, Precision.COARSE])
def test_errors_have_the_spread_that_the_covariance_states(precision):
    objects = inventory(400, precision)
    frame = watch(SimPerception(objects, 1), dict.fromkeys(objects, FAR), 0.1)[0]
    found = errors(list(frame.values()), FAR)
    stated = np.sqrt(np.diag(next(iter(frame.values())).covariance))
    np.testing.assert_allclose(stated[[0, 3]], SIGMA[precision])
    np.testing.assert_allclose(found.std(axis=0), stated, rtol=0.15)
    assert (np.abs(found.mean(axis=0)) < 4 * stated / 20).all()


def test_most_of_the_error_stays_while_an_object_lies_still():
    objects = inventory(60)
    frames = watch(SimPerception(objects, 2), dict.fromkeys(objects, FAR), 4.0)
    by_object = np.array([errors([f[name] for f in frames], FAR)[:, :3] for name in objects])  # (60, frames, 3)
    between, within = by_object.mean(axis=1).std(), by_object.std(axis=1).mean()
    assert between == pytest.approx(0.8e-3, rel=0.15)
    assert within == pytest.approx(0.6e-3, rel=0.15)


def test_the_bias_is_drawn_anew_when_an_object_has_moved():
    objects = inventory(1)
    perception = SimPerception(objects, 3)
    biases = []
    for i in range(30):
        pose = Pose.of((0.3 + 0.01 * i, 0.0, 0.02))
        frames = watch(perception, {"cube_0": pose}, 1.0, start=float(i))[1:]
        biases.append(errors([f["cube_0"] for f in frames], pose)[:, :3].mean(axis=0))
    assert np.std(biases) == pytest.approx(0.8e-3, rel=0.3)


def test_frames_come_at_their_rate_and_after_their_latency():
    perception = SimPerception(inventory(), 4)
    arrivals = {}
    for k in range(100):
        now = k * PERIOD
        seen, quality = perception.observe(Scan(now, lambda: {"cube_0": FAR}))
        if seen:
            arrivals.setdefault(seen["cube_0"].stamp, now)
        assert quality["poses"] == (1.0 if seen else 0.0)
    stamps = sorted(arrivals)
    np.testing.assert_allclose(np.diff(stamps), 1 / RATE, atol=1e-9)
    delays = np.array([arrivals[s] - s for s in stamps])
    assert (delays >= LATENCY - 1e-9).all() and (delays <= LATENCY + PERIOD + 1e-9).all()


def test_the_same_seed_repeats_and_another_differs():
    runs = [watch(SimPerception(inventory(), seed), {"cube_0": FAR}, 0.5)[-1]["cube_0"] for seed in (5, 5, 6)]
    np.testing.assert_array_equal(runs[0].pose.position, runs[1].pose.position)
    assert not np.array_equal(runs[0].pose.position, runs[2].pose.position)


def test_scale_widens_errors_and_covariance_alike():
    objects = inventory(300)
    frame = watch(SimPerception(objects, 7, scale=3.0), dict.fromkeys(objects, FAR), 0.1)[0]
    assert errors(list(frame.values()), FAR)[:, :3].std() == pytest.approx(3e-3, rel=0.15)
    assert frame["cube_0"].sigma == pytest.approx(3e-3)


def test_without_noise_estimates_are_exact():
    frame = watch(SimPerception(inventory(), 8, scale=0.0), {"cube_0": FAR}, 0.1)[0]
    np.testing.assert_allclose(frame["cube_0"].pose.position, FAR.position, atol=1e-12)


def test_furniture_is_known_to_a_millimetre():
    parts = {p.name: p for p in furniture("cabinet")}
    frame = watch(SimPerception(parts, 9), dict.fromkeys(parts, FAR), 0.1)[0]
    assert frame["cabinet"].sigma == frame["drawer"].sigma == pytest.approx(0.001)
    assert frame["cabinet"].sigma_angle == pytest.approx(0.001)


def test_what_has_no_pose_to_be_had_is_never_reported():
    objects = inventory(1, Precision.NONE)
    assert not watch(SimPerception(objects, 10), {"cube_0": FAR}, 0.5)


def test_what_drops_out_of_a_frame_is_remembered_with_the_age_it_has():
    perception = SimPerception(inventory(40), 12, dropout=0.3)
    poses = dict.fromkeys(inventory(40), FAR)
    frames = watch(perception, poses, 2.0)[5:]
    shares = [np.mean([e.visible for e in frame.values()]) for frame in frames]
    assert np.mean(shares) == pytest.approx(0.7, abs=0.06)
    newest = max(e.stamp for e in frames[-1].values())
    for estimate in frames[-1].values():
        assert (estimate.stamp == newest) is estimate.visible


def test_a_frozen_stretch_brings_nothing_new():
    perception, stamps = SimPerception(inventory(), 13, frozen=(0.45, 1.25)), []
    for k in range(100):
        seen, _ = perception.observe(Scan(k * PERIOD, lambda: {"cube_0": FAR}))
        stamps.append(seen["cube_0"].stamp if seen else -1.0)
    assert not [s for s in stamps if 0.45 <= s < 1.25]
    assert max(stamps) > 1.25


def test_an_object_that_no_camera_sees_is_not_reported_and_others_keep_their_errors():
    objects = inventory(2)
    poses = dict.fromkeys(objects, FAR)
    runs = []
    for share in ({}, {"cube_0": 0.1}):
        perception = SimPerception(objects, 14)
        for k in range(10):
            seen, quality = perception.observe(Scan(k * PERIOD, lambda: poses, lambda share=share: share))
        runs.append((seen, quality))
    assert runs[0][0].keys() == {"cube_0", "cube_1"} and runs[1][0].keys() == {"cube_1"}
    assert (runs[0][1]["poses"], runs[1][1]["poses"]) == (1.0, 0.5)
    np.testing.assert_array_equal(runs[0][0]["cube_1"].pose.position, runs[1][0]["cube_1"].pose.position)


def test_a_new_seed_begins_anew():
    perception = SimPerception(inventory(), 15)
    perception.observe(Scan(0.0, lambda: {"cube_0": FAR}))
    perception.reseed(15)
    again = SimPerception(inventory(), 15)
    pair = [watch(p, {"cube_0": FAR}, 0.5)[-1]["cube_0"].pose.position for p in (perception, again)]
    np.testing.assert_array_equal(*pair)


def test_a_snapshot_goes_on_with_the_same_errors():
    perception = SimPerception(inventory(), 11)
    watch(perception, {"cube_0": FAR}, 0.5)
    snapshot = perception.snapshot()
    runs = []
    for _ in range(2):
        perception.restore(snapshot)
        runs.append(watch(perception, {"cube_0": FAR}, 1.0, start=0.5)[-1]["cube_0"].pose.position)
    np.testing.assert_array_equal(runs[0], runs[1])


@given(st.lists(st.floats(-2, 2), min_size=3, max_size=3), st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_turning_by_a_rotation_vector_is_the_rotation_it_stands_for(rotvec, of):
    start = Rotation.from_rotvec(of)
    expected = Rotation.from_rotvec(rotvec) * start
    got = Rotation.from_quat(_turned(np.array([rotvec]), start.as_quat()[None])[0])
    assert (expected.inv() * got).magnitude() < 1e-7
