# SPDX-License-Identifier: Apache-2.0
"""The arms we know: a URDF and one YAML each, read into a :class:`~robo_orch.robots.spec.RobotSpec`."""

from robo_orch.robots.spec import GripperSpec, JointLimits, RobotSpec, load_robot, robot_names

__all__ = ["GripperSpec", "JointLimits", "RobotSpec", "load_robot", "robot_names"]
