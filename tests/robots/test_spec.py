# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from robo_orch.errors import RobotError
from robo_orch.robots.spec import ROBOTS, load_robot, robot_names


@pytest.mark.parametrize("name", robot_names())
def test_yaml_and_urdf_agree_on_the_limits(name):
    robot = load_robot(name)
    urdf = {j.get("name"): j.find("limit") for j in ElementTree.parse(robot.urdf).findall("joint")}
    for joint in robot.joints:
        limit = urdf[joint.name]
        assert (float(limit.get("lower")), float(limit.get("upper"))) == joint.position
        assert float(limit.get("velocity")) == joint.velocity
        assert float(limit.get("effort")) == joint.effort
    for finger in robot.gripper.joints:
        assert float(urdf[finger].get("upper")) == robot.gripper.max_width / 2


@pytest.mark.parametrize("name", robot_names())
def test_home_is_well_within_the_limits(name):
    robot = load_robot(name)
    assert (robot.home > robot.limits.lower + 0.1).all()
    assert (robot.home < robot.limits.upper - 0.1).all()


def test_the_panda_has_its_published_limits():
    limits = load_robot("panda").limits
    np.testing.assert_allclose(limits.velocity, [2.175] * 4 + [2.61] * 3)
    np.testing.assert_allclose(limits.acceleration, (15, 7.5, 10, 12.5, 15, 20, 20))
    np.testing.assert_allclose(limits.jerk, (7500, 3750, 5000, 6250, 7500, 10000, 10000))


def test_slowing_down_stretches_time():
    limits = load_robot("panda").limits
    slow = limits.scaled(0.5)
    np.testing.assert_allclose(slow.velocity, limits.velocity / 2)
    np.testing.assert_allclose(slow.acceleration, limits.acceleration / 4)
    np.testing.assert_allclose(slow.jerk, limits.jerk / 8)


def test_an_unknown_robot_is_told_with_those_there_are():
    with pytest.raises(RobotError, match="panda"):
        load_robot("pandas")


@pytest.mark.parametrize(("old", "new"), [("control_hz: 50", "hertz: 50"), ("urdf: panda.urdf", "urdf: none.urdf")])
def test_a_broken_description_is_told_with_its_file(tmp_path, old, new):
    path = tmp_path / "panda.yaml"
    path.write_text((ROBOTS / "panda" / "panda.yaml").read_text().replace(old, new))
    with pytest.raises(RobotError, match=r"panda\.yaml"):
        load_robot(path)
