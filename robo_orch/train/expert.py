# SPDX-License-Identifier: Apache-2.0
"""Scripted demonstrations of the skills on parts: what a learner has seen before it tries.

An expert is a generator of wishes: where the tool should be and how wide the gripper, from what is estimated now. The
way there is cut into actions of the learner's own space and size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.objects import Joint, ObjectSpec
from robo_orch.robots.actions import Decoder
from robo_orch.robots.arm import Arm
from robo_orch.robots.features import mark
from robo_orch.train.env import SkillEnv
from robo_orch.types import Array, Pose

#: How far before a grasp the approach begins, m, and how near (m, rad) a waypoint must be reached (chosen).
BEFORE, NEAR, NEAR_TURN = 0.07, 0.012, 0.12
#: Actions during which the fingers close (chosen: 8 cm at 0.1 m/s, at 10 Hz).
CLOSING = 8
#: How far (m) closed fingers are from a handle that they push, and from where they come down to it (chosen).
PUSH_FROM, COME_FROM = 0.018, 0.045
#: Largest steps in an action while something is moved: m, rad; and while something is touched first, m (chosen).
LEAD, LEAD_TURN, CREEP = 0.02, 0.12, 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Wish:
    """Where the tool should be, how wide the gripper (m), and how far (m) it may go there in one action."""

    tool: Pose
    width: float
    pace: float = np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What an expert sees: the part, where it is estimated to be, its parent, the tool."""

    part: ObjectSpec
    joint: Joint
    pose: Pose
    parent: Pose
    tool: Pose

    @property
    def value(self) -> float:
        """The joint's value, m or rad."""
        return self.joint.value(self.parent, self.pose)

    def at(self, value: float) -> Pose:
        """The part's pose at another joint value."""
        return self.joint.pose(self.parent, float(np.clip(value, *self.joint.limits)))

    def way(self) -> Array:
        """The direction ``(3,)`` in which the handle goes as the part opens."""
        step = 1e-3
        moved = self.joint.pose(self.parent, self.value + step).apply(mark(self.part)) - self.pose.apply(
            mark(self.part)
        )
        return moved / np.linalg.norm(moved)


Script = Iterator[Wish]
Look = Callable[[], Scene]


def pull(look: Look) -> Script:
    """Take the handle and lead it all the way open: drawers, doors, knobs."""
    scene = look()
    grasp = min((g.pose for g in scene.part.grasps), key=lambda g: _angle(scene.tool, scene.pose @ g))
    opened = 0.05
    yield from _to(look, lambda s: s.pose @ grasp @ Pose.of((0, 0, -BEFORE)), opened)
    yield from _to(look, lambda s: s.pose @ grasp, opened, LEAD)
    for _ in range(CLOSING):
        yield Wish(look().pose @ grasp, 0.0)
    while True:
        scene = look()
        ahead = scene.at(scene.value + _lead(scene))
        yield Wish(_joined(scene, ahead @ grasp, scene.tool), 0.0, LEAD)


def push(look: Look) -> Script:
    """Shut a drawer or a door with closed fingers against the outer side of its handle."""
    turn = look().tool

    def beside(scene: Scene, away: float, up: float) -> Pose:
        point = scene.pose.apply(mark(scene.part)) + away * scene.way() + np.array([0.0, 0.0, up])
        return Pose.of(point, turn.quaternion)

    yield from _to(look, lambda s: beside(s, COME_FROM, BEFORE), 0.0)
    yield from _to(look, lambda s: beside(s, COME_FROM, 0.0), 0.0)
    yield from _to(look, lambda s: beside(s, PUSH_FROM, 0.0), 0.0, CREEP)
    while True:
        yield Wish(beside(look(), PUSH_FROM - LEAD, 0.0), 0.0, LEAD)


def press(look: Look) -> Script:
    """Push a button down with closed fingers."""
    turn = look().tool

    def above(scene: Scene, up: float) -> Pose:
        top = scene.part.bounds(scene.pose)[1][2]
        return Pose.of([*scene.pose.position[:2], top + up], turn.quaternion)

    yield from _to(look, lambda s: above(s, BEFORE), 0.0)
    while True:
        scene = look()
        yield Wish(
            Pose.of(scene.tool.position - [0, 0, CREEP], turn.quaternion) if _over(scene) else above(scene, 0.03), 0.0
        )


SCRIPTS: Mapping[str, Callable[[Look], Script]] = {
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
        self._script: Script = iter(())

    def begin(self) -> None:
        """A new episode has begun."""
        self._script = SCRIPTS[self._env.recipe.policy.skills[0]](self._look)

    def action(self) -> Array:
        """What the expert does now, ``(A,)`` in [-1, 1]."""
        env, wish = self._env, next(self._script)
        before, card = env.kitchen.setpoint, env.recipe.policy
        now = self._arm.tool(before.goal)
        way = wish.tool.position - now.position
        pace = min(wish.pace, float(np.min(np.array(env.recipe.scale)[:3])) if "ee" in card.action.kind else LEAD * 1.5)
        way *= min(1.0, pace / max(float(np.linalg.norm(way)), 1e-9))
        turn = (wish.tool.rotation * now.rotation.inv()).as_rotvec()
        turn *= min(1.0, LEAD_TURN / max(float(np.linalg.norm(turn)), 1e-9))
        if card.action.kind == "ee_delta" and card.action.rotation == "none":
            turn *= 0.0
        target = Pose.of(now.position + way, (Rotation.from_rotvec(turn) * now.rotation).as_quat())
        q = self._arm.inverse(target, before.goal)
        periods = round(1.0 / (card.rate_hz * env.robot.period))
        row = self._decoder.encode(q, wish.width, card.action.space, before, env.seen.state.q, periods)
        return env.recipe.inverse(row)

    def _look(self) -> Scene:
        env, seen = self._env, self._env.seen
        part = env.kitchen.simulation.layout.inventory[env.recipe.object]
        if part.joint is None:
            raise ValueError(f"{part.name} moves on no joint")
        parent = seen.objects[part.joint.parent].pose
        return Scene(part, part.joint, seen.objects[part.name].pose, parent, seen.state.tool)


def _to(look: Look, where: Callable[[Scene], Pose], width: float, pace: float = np.inf) -> Script:
    while True:
        scene = look()
        goal = where(scene)
        near = np.linalg.norm(goal.position - scene.tool.position) < NEAR
        if near and _angle(goal, scene.tool) < NEAR_TURN:
            return
        yield Wish(goal, width, pace)


def _angle(a: Pose, b: Pose) -> float:
    return float((a.rotation.inv() * b.rotation).magnitude())


def _lead(scene: Scene) -> float:
    if scene.joint.kind == "slide":
        return LEAD
    lever = np.linalg.norm(np.cross(scene.joint.axis, mark(scene.part) - scene.joint.anchor))
    return float(min(LEAD / max(lever, 1e-3), LEAD_TURN))


def _joined(scene: Scene, wish: Pose, tool: Pose) -> Pose:
    """The wish with as much of a hinge's turn as the hand joins in: all of a knob's."""
    if scene.joint.kind == "slide" or np.linalg.norm(mark(scene.part)[:2] - scene.joint.anchor[:2]) < 0.02:
        return wish
    return Pose.of(wish.position, tool.quaternion)


def _over(scene: Scene) -> bool:
    return bool(np.linalg.norm(scene.tool.position[:2] - scene.pose.position[:2]) < NEAR)
