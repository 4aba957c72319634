# SPDX-License-Identifier: Apache-2.0
"""From a bridge's name to the bridge."""

from __future__ import annotations

from robo_orch.bridge.handoff import Bridge, NoBridge
from robo_orch.bridge.names import METHODS, NONE
from robo_orch.errors import OptionError, unknown
from robo_orch.execution.executor import Executor
from robo_orch.objects import Inventory
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Robot


def make_bridge(
    method: str, executor: Executor, robot: Robot, spec: RobotSpec, inventory: Inventory, speed: float = 1.0
) -> Bridge:
    """The bridge of a name, for one robot in one scene; ``speed`` is a share of the velocity limits.

    Raises:
        OptionError: there is no such method.
    """
    if method not in METHODS:
        raise unknown(OptionError, "a bridge", method, METHODS)
    if method == NONE:
        return NoBridge()
    from robo_orch.bridge.declared import DeclaredStart

    return DeclaredStart(executor, robot, spec, inventory, speed)
