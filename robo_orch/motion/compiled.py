# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo model of a planning copy: what may collide of a robot, and everything that may be there."""

from __future__ import annotations

import mujoco

from robo_orch.objects import Inventory
from robo_orch.robots.mjcf import add_object, robot_spec_mjcf
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Pose


def compiled(robot: RobotSpec, inventory: Inventory) -> mujoco.MjModel:
    """A model in which furniture can be put anywhere, and things move freely; without visual geoms of the robot."""
    spec = robot_spec_mjcf(robot)
    for geom in list(spec.geoms):
        if not (geom.contype or geom.conaffinity):
            spec.delete(geom)
    for obj in sorted(inventory.values(), key=lambda o: o.joint is not None):
        add_object(spec, obj, Pose.of(), mocap=True)
    # Bodies have few geoms each, and the held object's are moved by hand: the trees inside bodies would be wrong.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
    return spec.compile()
