# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robo_orch.robots.spec import load_robot
from robo_orch.sim import lowlevel
from robo_orch.sim.lowlevel import Setpoint, low_level_hash, servo_commands
from robo_orch.types import JointTarget

PANDA = load_robot("panda")
LEAD = np.array([j.kv / j.kp for j in PANDA.joints])
small = st.lists(st.floats(-0.02, 0.02), min_size=7, max_size=7).map(np.array)
slow = st.lists(st.floats(-1.0, 1.0), min_size=7, max_size=7).map(np.array)


def at_rest(width=0.08):
    return Setpoint(PANDA.home, np.zeros(7), width)


@given(small, slow, slow)
def test_the_setpoint_runs_from_start_to_target_with_both_velocities(step, v0, v1):
    start = Setpoint(PANDA.home, v0, 0.08)
    target = JointTarget(PANDA.home + step, v1, 0.08)
    commands, end = servo_commands(start, target, PANDA, 2000)
    np.testing.assert_allclose(commands[0, :7], start.q + LEAD * v0, atol=1e-9)
    np.testing.assert_allclose(end.q, target.q)
    np.testing.assert_allclose(end.qd, target.qd)
    following, _ = servo_commands(end, target, PANDA, 2000)
    np.testing.assert_allclose(commands[-1, :7], following[0, :7], atol=5e-3)


def test_holding_still_commands_the_same_position_in_every_step():
    commands, _ = servo_commands(at_rest(), JointTarget(PANDA.home, np.zeros(7), 0.08), PANDA, 10)
    np.testing.assert_allclose(commands, np.tile(np.append(PANDA.home, (0.04, 0.04)), (10, 1)), atol=1e-12)


def test_a_steady_velocity_is_led_by_kv_over_kp():
    v = np.full(7, 0.3)
    start = Setpoint(PANDA.home, v, 0.08)
    commands, _ = servo_commands(start, JointTarget(PANDA.home + v * PANDA.period, v, 0.08), PANDA, 10)
    times = np.arange(10)[:, None] * PANDA.period / 10
    np.testing.assert_allclose(commands[:, :7], PANDA.home + v * times + LEAD * v, atol=1e-12)


def test_targets_beyond_the_limits_are_clipped():
    target = JointTarget(np.full(7, 9.0), np.full(7, 9.0), 1.0)
    _, end = servo_commands(at_rest(), target, PANDA, 10)
    np.testing.assert_array_equal(end.q, PANDA.limits.upper)
    np.testing.assert_array_equal(end.qd, PANDA.limits.velocity)
    assert end.width == PANDA.gripper.max_width


@given(st.floats(0, 0.08), st.floats(-1, 1))
def test_the_gripper_moves_at_its_speed_and_stays_in_its_range(width, wish):
    commands, end = servo_commands(at_rest(width), JointTarget(PANDA.home, np.zeros(7), wish), PANDA, 10)
    assert abs(end.width - width) <= PANDA.gripper.speed * PANDA.period + 1e-12
    assert 0 <= end.width <= PANDA.gripper.max_width
    assert commands[-1, 7] == commands[-1, 8] == pytest.approx(end.width / 2)


def test_the_hash_is_that_of_the_code_whatever_is_said_about_it(tmp_path):
    plain, told, other = (tmp_path / f"{name}.py" for name in ("plain", "told", "other"))
    plain.write_text('X = 1\n\n\ndef f(x):\n    return f"{x} # no comment"\n')
    told.write_text(
        '"""What\nthis is."""\n\nX = 1  # m\n# why\n\ndef f(x):\n    """Does."""\n    return f"{x} # no comment"\n'
    )
    other.write_text(plain.read_text().replace("X = 1", "X = 2"))
    assert lowlevel._code(plain) == lowlevel._code(told) != lowlevel._code(other)
    assert len(low_level_hash()) == 64
