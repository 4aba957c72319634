# SPDX-License-Identifier: Apache-2.0
"""Scripted demonstrations of the skills on parts: what a learner has seen before it tries.

An expert is a function of what is estimated now, without a memory: a wish for the tool and the gripper. So it can also
say what it would have done where somebody else has got to. The way there is cut into actions of the learner's space.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.objects import Joint, JointKind, ObjectSpec
from robo_orch.robots.actions import Decoder
from robo_orch.robots.arm import Arm
from robo_orch.robots.features import mark
from robo_orch.train.env import SkillEnv
from robo_orch.types import ActionKind, Array, Observation, Pose

#: How far before a grasp the way down to it begins, and the opening there, m (chosen).
BEFORE, OPENED = 0.07, 0.05
#: How much higher than a grasp the fingers take a handle, m (chosen: a palm is wide, and furniture 12 mm below it).
RAISED = 0.006
#: How far beside that way it is left for its beginning, and beside a grasp the fingers may close, m (chosen).
BESIDE, NEAR = 0.02, 0.012
#: How far (m) closed fingers stay from the middle of a handle that they push, and from where they come to it (chosen).
PUSH_FROM, COME_FROM = 0.018, 0.045
#: Largest steps in an action while something is led: m, rad; while something is pushed or first touched, m (chosen).
LEAD, LEAD_TURN, CREEP = 0.016, 0.12, 0.006
#: Share of its range at which a part is shut, and open or turned (chosen: clear of what counts and of its stop).
SHUT, OPEN = 0.03, 0.78
#: Steps in which a button is pressed, m, and the share of its range at which it is down (chosen).
PRESS, DEEP = 0.006, 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Wish:
    """Where the tool should be, how wide the gripper (m), and how far (m) the tool may go there in one action."""

    tool: Pose
    width: float
    pace: float = np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What an expert sees: the part, where it and its parent are estimated to be, the tool, what the gripper feels."""

    part: ObjectSpec
    joint: Joint
    pose: Pose
    parent: Pose
    tool: Pose
    gripper: float
    grasping: bool

    @property
    def value(self) -> float:
        """The joint's value, m or rad."""
        return self.joint.value(self.parent, self.pose)

    @property
    def share(self) -> float:
        """The joint's value over its range."""
        return self.value / self.joint.limits[1]

    def at(self, value: float) -> Pose:
        """The part's pose at another joint value."""
        return self.joint.pose(self.parent, float(np.clip(value, *self.joint.limits)))

    def way(self) -> Array:
        """The direction ``(3,)`` in which the handle goes as the part opens."""
        here, ahead = (self.joint.pose(self.parent, self.value + step).apply(mark(self.part)) for step in (0.0, 1e-3))
        return (ahead - here) / np.linalg.norm(ahead - here)

    def grasp(self) -> Pose:
        """The tool's pose in the part's frame at the grasp that needs the least turning."""
        return min((g.pose for g in self.part.grasps), key=lambda g: _angle(self.tool, self.pose @ g))


def pull(scene: Scene) -> Wish:
    """Take the handle and lead it all the way open: drawers, doors, knobs."""
    grasp = scene.grasp() @ Pose.of((0.0, 0.0, -RAISED))
    at = scene.pose @ grasp
    x, y, z = at.inverse().apply(scene.tool.position)
    beside, near = float(np.hypot(x, y)), abs(z) < NEAR
    if scene.grasping and beside < 2 * BESIDE and abs(z) < 2 * BESIDE:
        return _leading(scene, grasp)
    if beside < NEAR and near:
        return Wish(at, 0.0, CREEP)
    if beside < BESIDE and scene.gripper > 0.6 * OPENED:
        return Wish(at, OPENED, LEAD if z < -2 * BESIDE else CREEP)
    return Wish(at @ Pose.of((0.0, 0.0, -BEFORE)), OPENED)


def push(scene: Scene) -> Wish:
    """Shut a drawer or a door with closed fingers against the outer side of its handle, slowly: a blow is no push."""
    way, handle = scene.way(), scene.pose.apply(mark(scene.part))
    turn = (scene.pose @ scene.grasp()).quaternion
    off = scene.tool.position - handle
    away, up = float(off @ way), float(off[2])
    beside = float(np.linalg.norm(off - away * way - [0.0, 0.0, up]))

    def point(out: float, high: float) -> Pose:
        return Pose.of(handle + out * way + np.array([0.0, 0.0, high]), turn)

    if scene.share < SHUT:
        return Wish(scene.tool, 0.0)
    if beside < BESIDE and abs(up) < BESIDE and 0.0 < away < 2 * COME_FROM:
        return Wish(point(PUSH_FROM - LEAD, 0.0), 0.0, CREEP)
    if beside < BESIDE and away > 0.6 * COME_FROM:
        return Wish(point(COME_FROM, 0.0), 0.0)
    return Wish(point(COME_FROM, BEFORE), 0.0)


def press(scene: Scene) -> Wish:
    """Push a button down with closed fingers."""
    off = scene.tool.position - scene.pose.position
    turn = scene.tool.quaternion
    if scene.share > DEEP:
        return Wish(scene.tool, 0.0)
    if np.hypot(*off[:2]) < NEAR:
        return Wish(Pose.of(scene.tool.position - np.array([0.0, 0.0, PRESS]), turn), 0.0, PRESS)
    top = scene.part.bounds(scene.pose)[1][2]
    return Wish(Pose.of([*scene.pose.position[:2], top + 0.04], turn), 0.0)


SCRIPTS: Mapping[str, Callable[[Scene], Wish]] = {
    "open_drawer": pull,
    "open_door": pull,
    "turn": pull,
    "close_drawer": push,
    "close_door": push,
    "press": press,
}


class Expert:
    """Demonstrates in an environment, from what is estimated there."""

    def __init__(self, env: SkillEnv) -> None:
        self._env, self._decoder, self._arm = env, Decoder(env.robot), Arm(env.robot)
        self._script = SCRIPTS[env.recipe.policy.skills[0]]

    def action(self, seen: Observation | None = None) -> Array:
        """What the expert would do now, ``(A,)`` in [-1, 1], or now if it saw something else."""
        env, wish, card = self._env, self._script(self._look(seen or self._env.seen)), self._env.recipe.policy
        before = env.kitchen.setpoint
        now = self._arm.tool(before.goal)
        way = _cut(wish.tool.position - now.position, min(wish.pace, env.recipe.pace))
        turn = _cut((wish.tool.rotation * now.rotation.inv()).as_rotvec(), LEAD_TURN)
        if card.action.kind is ActionKind.EE_DELTA:
            turns = turn if card.action.rotation == "rotvec" else np.zeros(0)
            return env.recipe.inverse(np.concatenate([way, turns, [wish.width]]))
        target = Pose.of(now.position + way, (Rotation.from_rotvec(turn) * now.rotation).as_quat())
        q = self._arm.inverse(target, before.goal)
        periods = round(1.0 / (card.rate_hz * env.robot.period))
        row = self._decoder.encode(q, wish.width, card.action.space, before, env.seen.state.q, periods)
        return env.recipe.inverse(row)

    def _look(self, seen: Observation) -> Scene:
        env = self._env
        part = env.kitchen.simulation.layout.inventory[env.recipe.object]
        if part.joint is None:
            raise ValueError(f"{part.name} moves on no joint")
        state, parent = seen.state, seen.objects[part.joint.parent].pose
        pose = seen.objects[part.name].pose
        return Scene(part, part.joint, pose, parent, state.tool, state.gripper, state.grasping)


def _leading(scene: Scene, grasp: Pose) -> Wish:
    if scene.share > OPEN:
        return Wish(scene.tool, 0.0)
    ahead = scene.at(scene.value + _step(scene)) @ grasp
    lever = np.linalg.norm(mark(scene.part)[:2] - scene.joint.anchor[:2])
    joins = scene.joint.kind is JointKind.SLIDE or lever < BESIDE  # fingers turn about an upright bar, not about a knob
    return Wish(ahead if joins else Pose.of(ahead.position, scene.tool.quaternion), 0.0, LEAD)


def _step(scene: Scene) -> float:
    """By how much a part is led in one action, m or rad."""
    if scene.joint.kind is JointKind.SLIDE:
        return LEAD
    lever = float(np.linalg.norm(np.cross(scene.joint.axis, mark(scene.part) - scene.joint.anchor)))
    return min(LEAD / max(lever, 1e-3), LEAD_TURN)


def _cut(way: Array, longest: float) -> Array:
    return way * min(1.0, longest / max(float(np.linalg.norm(way)), 1e-9))


def _angle(a: Pose, b: Pose) -> float:
    return float((a.rotation.inv() * b.rotation).magnitude())
