# SPDX-License-Identifier: Apache-2.0
"""A world in which frames are taken: objects put anywhere, the hand put or moved, pictures and labels read off."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from robo_orch.robots.arm import Arm
from robo_orch.robots.lens import Lens
from robo_orch.robots.spec import load_robot
from robo_orch.sim.mujoco.world import MujocoWorld
from robo_orch.sim.scenes import Layout
from robo_orch.sim.scenes.footprint import Footprint
from robo_orch.sim.scenes.layout import standing, upright
from robo_orch.sim.scenes.scene import SceneSpec
from robo_orch.train.vla.expert import Hand
from robo_orch.train.vla.table import furniture_of
from robo_orch.types import Array, Pose

#: Spots that are tried for one object, and how often all begin anew (chosen).
TRIES, RESTARTS = 60, 12


class Stage:
    """One layout's world, posed instead of simulated."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.robot = layout, load_robot(layout.robot)
        self.world, self._arm = MujocoWorld(layout, self.robot), Arm(self.robot)
        self.q = self.robot.home
        self.furniture = furniture_of(layout.inventory, layout.poses)

    @property
    def home(self) -> Array:
        """Where the tool is at the robot's resting posture, ``(3,)`` m."""
        return self._arm.tool(self.robot.home).position

    def rest(self, moved: Mapping[str, Pose]) -> None:
        """Put objects where they are, and let the arm be reckoned from its resting posture."""
        self.q = self.robot.home
        for name, pose in moved.items():
            self.world.place(name, pose)

    def pose(self, hand: Hand, moved: Mapping[str, Pose]) -> float:
        """Put objects where they are and the arm to where the hand is; how far (m) the arm stays from there."""
        for name, pose in moved.items():
            self.world.place(name, pose)
        self.q = self._arm.inverse(hand.pose, self.q)
        self.world.put_arm(self.q, hand.width)
        return float(np.linalg.norm(self.world.body().tool.position - hand.position))

    def pictures(self, sizes: Mapping[str, tuple[int, int]]) -> dict[str, NDArray[np.uint8]]:
        """One a camera, ``(H, W, 3)``."""
        return {name: self.world.render(name, size) for name, size in sizes.items()}

    def lens(self, camera: str, size: tuple[int, int]) -> Lens:
        """A camera's lens."""
        return Lens(self.layout.cameras[camera], size)

    def mount(self, camera: str) -> Pose:
        """Where the link is that carries a camera."""
        if not self.layout.cameras[camera].mount:
            return Pose.of()
        return self.world.body().tool @ self.robot.tool_offset.inverse()

    def proprioception(self, grasping: bool) -> NDArray[np.float32]:
        """``tool``, ``gripper`` and ``q`` as :func:`robo_orch.robots.features.vector` has them, ``(18,)``."""
        body = self.world.body()
        columns = body.tool.matrix[:, :2].T.ravel()
        gripper = np.array([float(body.fingers.sum()), float(grasping)])
        parts = [body.tool.position, columns, gripper, body.q]
        return np.concatenate(parts).astype(np.float32)

    def close(self) -> None:
        """Give GL resources back."""
        self.world.close()


def hand_of(tool: Pose, width: float, gripped: bool) -> Hand:
    """The expert's view of a tool pose that points more or less down."""
    matrix = tool.matrix
    yaw = math.atan2(matrix[1, 0], matrix[0, 0])
    lean = (tool.rotation * Rotation.from_euler("ZX", [yaw, math.pi]).inv()).as_rotvec()
    return Hand(tool.position, yaw, lean[:2], width, gripped)


def scattered(layout: Layout, scene: SceneSpec, rng: np.random.Generator) -> dict[str, Pose]:
    """New places for a layout's free objects, the widest first; where there is no room, they stay where they were."""
    free = [o for o in layout.inventory.values() if not o.fixed and o.joint is None]
    free.sort(key=lambda o: Footprint.of(o, Pose.of()).extent, reverse=True)
    area, covered = scene.area, standing(scene)
    for _ in range(RESTARTS):
        taken, found = Footprint.none(), {}
        for obj in free:
            spots = rng.uniform((area.x[0], area.y[0], -np.pi), (area.x[1], area.y[1], np.pi), size=(TRIES, 3))
            spots = spots[area.holds(spots)]
            figures = Footprint.of(obj, Pose.of()).moved(spots[:, :2], spots[:, 2])
            good = figures.apart(taken) >= area.gap
            good[good] = covered.leaves(figures.pick(good), area)
            if not good.any():
                break
            first = int(np.flatnonzero(good)[0])
            taken = Footprint.together([taken, figures.pick(np.array([first]))])
            found[obj.name] = upright(obj, spots[first], area.z)
        if len(found) == len(free):
            return found
    return {o.name: layout.poses[o.name] for o in free}


def start(rng: np.random.Generator, home: Array) -> Hand:
    """Where an episode may begin: mostly about home, else anywhere above the table; the hand mostly open."""
    if rng.random() < 0.7:
        position = home + rng.uniform((-0.06, -0.15, -0.12), (0.12, 0.15, 0.04))
    else:
        position = rng.uniform((0.32, -0.5, 0.16), (0.7, 0.25, 0.5))
    width = 0.08 if rng.random() < 0.85 else float(rng.uniform(0.0, 0.08))
    return Hand(position, float(rng.normal(0.0, 0.25)), rng.normal(0.0, 0.02, 2), width)
