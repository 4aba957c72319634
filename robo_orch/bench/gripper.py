# SPDX-License-Identifier: Apache-2.0
"""Whether a declared gripper encoding opens and closes the physical gripper of the simulated robot."""

from __future__ import annotations

from robo_orch.robots import load_robot
from robo_orch.robots.actions import Decoder, Setpoint
from robo_orch.sim.build import Simulation, build
from robo_orch.types import ActionSpace, GripperEncoding

#: Share of the range beyond which a gripper counts as open, and below which as closed (chosen).
OPEN, CLOSED = 0.9, 0.1
#: Time that the fingers get for either, s (chosen: twice the whole way at their speed).
SECONDS = 2.0


def polarity(space: ActionSpace, scene: str, seed: int) -> tuple[str, str, str] | None:
    """Tell a gripper to open and to close, in the words of an action space, and look at the fingers.

    Returns:
        What was expected, what came, and what to do, if they do otherwise.
    """
    if space.gripper is GripperEncoding.NONE:
        return None
    simulation = build(scene, "mujoco", seed)
    largest = load_robot(simulation.layout.robot).gripper.max_width
    fully = largest if space.gripper is GripperEncoding.WIDTH else 1.0
    words = {"open": fully, "close": 0.0}
    if space.gripper is GripperEncoding.CLOSE_FRACTION:
        words = {"open": 0.0, "close": fully}
    widths = {word: _told(simulation, space, value) / largest for word, value in reversed(words.items())}
    if widths["open"] > OPEN and widths["close"] < CLOSED:
        return None
    got = ", ".join(f"{word}: {width:.0%} open" for word, width in widths.items())
    return "a gripper that opens and closes as told", got, "correct action.gripper in the card"


def _told(simulation: Simulation, space: ActionSpace, value: float) -> float:
    """The opening (m) after a while of an arm that holds still and a gripper that is told ``value``."""
    robot = simulation.robot
    decoder, setpoint = Decoder(load_robot(simulation.layout.robot)), simulation.world.setpoint
    before = Setpoint(setpoint.q, setpoint.qd, setpoint.width)
    for _ in range(round(SECONDS / robot.period)):
        q = robot.observe().state.q
        row = decoder.encode(before.goal, before.width, space, before, q)
        row[-1] = value
        decoded = decoder.decode(row, space, before, q)
        before = decoded.after
        for target in decoded.targets:
            robot.command(target)
            robot.tick()
    return robot.observe().state.gripper
