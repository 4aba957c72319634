# SPDX-License-Identifier: Apache-2.0
"""What the arm would touch: a planning copy of the scene as it is estimated.

Only what the robot moves is tested against anything: its links and what it holds. Objects carry a margin that grows
with the uncertainty of their pose, so that what does not touch in the plan does not touch in reality.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import mujoco
import numpy as np

from robo_orch.motion.boxes import near_boxes
from robo_orch.motion.compiled import compiled
from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.path import RESOLUTION, edge_is_free
from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.robots.mjcf import TOOL_SITE
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Array, Code, Pose, PoseEstimate

#: Clearance to every object beside the uncertainty of its pose, m (chosen).
PADDING = 0.005
#: How deep a pair that is allowed to touch may overlap in the estimate, beside its uncertainty, m (chosen).
DEPTH = 0.010
#: By how much a pair that is within the padding at the start may come closer still, m (chosen).
SLACK = 0.001
#: What is known worse than this may be overlapped where :attr:`PlanningScene.give` says so, m (chosen: coarse poses).
VAGUE = 0.02
#: Names that stand for several bodies in pairs: every link of the robot; the hand with its fingers.
ROBOT, GRIPPER = "robot", "gripper"

#: Pairs of names of links and objects, in either order.
Pairs = Iterable[tuple[str, str]]

# Which geoms are tested against which: (contype, conaffinity) bits.
_STILL, _LINK, _HAND, _HELD, _NOTHING = (2, 0), (1, 15), (4, 3), (8, 3), (0, 0)


class PlanningScene:
    """The robot among objects at their estimated poses. Compiled once, then updated; not for several threads at once.

    Args:
        robot: the arm.
        inventory: everything that may be there; what was never perceived is absent.
        padding: clearance in m, to which each estimate's sigma is added.

    Attributes:
        sigmas: how many sigma are added; takes effect with the next update.
        most: no sigma counts for more than this, m.
        give: how deep, in sigma, the robot may overlap the estimate of what is known worse than :data:`VAGUE`.
        checks: how often was looked for contacts so far.
    """

    def __init__(self, robot: RobotSpec, inventory: Inventory, padding: float = PADDING) -> None:
        self.robot, self.inventory, self.padding = robot, inventory, padding
        self.sigmas, self.most, self.give, self.checks = 1.0, np.inf, 0.0, 0
        self._least: Array | None = None
        self._model = compiled(robot, inventory)
        self._data = mujoco.MjData(self._model)
        self._qpos = np.array([int(self._model.joint(name).qposadr[0]) for name in robot.names])
        self._fingers = np.array([int(self._model.joint(name).qposadr[0]) for name in robot.gripper.joints])
        self._site = self._model.site(TOOL_SITE).id
        self._names = [self._model.body(i).name for i in range(self._model.nbody)]
        self._body = {name: i for i, name in enumerate(self._names)}
        self._geoms = {name: np.flatnonzero(self._model.geom_bodyid == i) for name, i in self._body.items()}
        self._solid = self._model.geom_contype != 0
        self._sides = np.zeros(0, int), np.zeros(0, int)  # boxes that move, and those that do not
        self._boxes = np.flatnonzero(self._solid & (self._model.geom_type == mujoco.mjtGeom.mjGEOM_BOX))
        self._sigma = dict.fromkeys(inventory, 0.0)
        self._seen: set[str] = set()
        self._held: str | None = None
        self._in_tool = Pose.of()
        self._held_geoms, self._held_points, self._held_turns = np.zeros(0, int), np.zeros((0, 3)), np.zeros((0, 3, 3))
        # A contact counts where its distance is below this, by pair of bodies; the margin decides elsewhere.
        self._bound = np.full((self._model.nbody, self._model.nbody), np.inf)
        self._links = self._descendants(robot.base)
        self._is_link = np.isin(np.arange(self._model.nbody), sorted(self._links))
        self._hand = self._descendants(robot.tool_parent)
        self._behind = self._descendants(self._names[self._model.joint(robot.names[-1]).bodyid.item()])
        self._hands: dict[float, tuple[Array, Array, Array]] = {}
        self._placed: dict[str, tuple[Pose, Pose | None]] = {}
        self._sorted: dict[int, tuple[tuple[int, int], float]] = {}
        self._changed = True

    @property
    def held(self) -> str | None:
        """Name of the attached object."""
        return self._held

    def update(self, objects: Mapping[str, PoseEstimate], gripper: float) -> None:
        """Lay the scene out as estimated: poses by name (base frame), gripper opening in m.

        Moving parts of furniture are set to the joint value that their pose means. What the robot holds stays where it
        is attached. Objects outside the inventory are ignored, those of it without an estimate are absent.
        """
        self._seen = {name for name in objects if name in self.inventory}
        self._data.qpos[self._fingers] = gripper / 2.0
        for name in self.inventory:
            if name in self._seen:
                self._sigma[name] = min(objects[name].sigma, self.most)
                if name != self._held:
                    self._place(self.inventory[name], objects)
        self._least = self._overlaps(objects) if self.give else None
        self._changed = True

    def attach(self, name: str, in_tool: Pose) -> None:
        """From now on the object moves with the tool, at this pose in the tool's frame.

        Raises:
            MotionFailure: ``NOT_PERCEIVED``, no such object is known.
        """
        if name not in self.inventory:
            raise MotionFailure(Code.NOT_PERCEIVED, f"{name} cannot be attached: the scene has no such object")
        self._held, self._in_tool = name, in_tool
        self._placed.pop(name, None)
        self._changed = True

    def detach(self) -> None:
        """Let go of what is attached; it stays absent until the next update places it."""
        if self._held is not None:
            self._seen.discard(self._held)
        self._held = None
        self._changed = True

    def free(self, q: Array) -> bool:
        """Whether the arm at ``q`` ``(n,)`` rad, and what it holds, keeps clear of everything and of itself."""
        self._collide(q)
        if self._data.ncon == 0:
            return True
        return not bool(np.any(self._counting()))

    def certain(self, q: Array) -> bool:
        """Whether :meth:`free`, and boxes are no nearer than they may be to the last detail, which takes longer.

        Of the box pairs that are within their margin, MuJoCo's own test overlooks one in fifty, edges near corners.
        """
        return self.free(q) and not self._overlooked()

    def free_between(self, q0: Array, q1: Array, resolution: float = RESOLUTION) -> bool:
        """Whether the straight joint-space edge is free, both ends included; ``resolution`` in rad."""
        return self.free(q0) and self.free(q1) and edge_is_free(self.free, q0, q1, resolution)

    def contacts(self, q: Array, gripper: float | None = None) -> list[tuple[str, str]]:
        """Names of the links and objects that touch at ``q`` against what is allowed, sorted, each pair once.

        Args:
            q: ``(n,)`` rad.
            gripper: opening in m, if other than at the last update.
        """
        before = self._data.qpos[self._fingers].copy()
        if gripper is not None:
            self._data.qpos[self._fingers] = gripper / 2.0
        self._collide(q)
        self._data.qpos[self._fingers] = before
        bodies = [*self._contact_bodies()[self._counting()]] if self._data.ncon else []
        bodies += [(a, b) for a, b, _ in self._overlooked()]
        return sorted({tuple(sorted((self._names[a], self._names[b]))) for a, b in bodies})

    def hand_contacts(self, tool: Pose, gripper: float | None = None) -> list[tuple[str, str]]:
        """What the hand, and what it holds, would touch with the tool at a pose (base frame), wherever the arm is.

        Other links are left out; the arguments and the answer are else those of :meth:`contacts`.
        """
        self._prepare()
        opening = 2.0 * float(self._data.qpos[self._fingers[0]]) if gripper is None else gripper
        hand, held = self._rigid(opening), (self._held_geoms, self._held_points, self._held_turns)
        geoms, points, turns = map(np.concatenate, zip(hand, held, strict=True)) if self._held is not None else hand
        data, turn = self._data, tool.matrix
        data.geom_xpos[geoms] = points @ turn.T + tool.position
        data.geom_xmat[geoms] = _turned(turn, turns)
        self.checks += 1
        mujoco.mj_collision(self._model, data)
        if data.ncon == 0:
            return []
        bodies = self._contact_bodies()
        moves = np.zeros(len(self._names), dtype=bool)
        moves[self._model.geom_bodyid[geoms]] = True
        moved, links = moves[bodies], self._is_link[bodies]
        own = np.logical_and(moved.any(axis=1), (moved | ~links).all(axis=1))
        counting = np.logical_and(self._counting(), own)
        return sorted({tuple(sorted((self._names[a], self._names[b]))) for a, b in bodies[counting]})

    def gap(self, q: Array, a: str, b: str, gripper: float | None = None, most: float = 0.2) -> float:
        """Distance (m) between two of links, objects, ``robot`` or ``gripper`` at ``q``; negative where they overlap.

        Args:
            q: ``(n,)`` rad.
            gripper: opening in m, if other than at the last update.
            most: what is farther apart counts as this far, m.
        """
        before = self._data.qpos[self._fingers].copy()
        if gripper is not None:
            self._data.qpos[self._fingers] = gripper / 2.0
        self._collide(q)
        self._data.qpos[self._fingers] = before
        ones, others = ([g for i in self._members(n) for g in self._solid_geoms(i)] for n in (a, b))
        pairs = ((g, h) for g in ones for h in others)
        return min((mujoco.mj_geomDistance(self._model, self._data, g, h, most, None) for g, h in pairs), default=most)

    def touched(self, contacts: Iterable[tuple[str, str]]) -> tuple[str, ...]:
        """Names of the objects among contacts, sorted, the one that is held left out."""
        names = {name for pair in contacts for name in pair}
        return tuple(sorted(name for name in names if name in self.inventory and name != self._held))

    def explain(self, q: Array, gripper: float | None = None) -> str:
        """The contacts at ``q`` as a phrase, empty where there are none."""
        return self.said(self.contacts(q, gripper))

    @staticmethod
    def said(contacts: Sequence[tuple[str, str]]) -> str:
        """Contacts as a phrase, empty where there are none."""
        phrases = [f"{a} touches {b}" for a, b in contacts]
        more = [f"{len(phrases) - 2} more pairs touch"] if len(phrases) > 3 else []
        return " and ".join(phrases[:2] + more if more else phrases)

    @contextmanager
    def allowing(self, pairs: Pairs, depth: float = DEPTH) -> Iterator[None]:
        """Within the block these pairs may touch, overlapping at most ``depth`` m plus the pose's sigma.

        A name is a link, an object, ``robot`` (every link) or ``gripper`` (hand and fingers). Unknown names are an
        error, for a misspelt allowance would look like an obstacle.
        """
        before = self._bound.copy()
        for a, b in pairs:
            tolerated = -depth - self._sigma.get(a, 0.0) - self._sigma.get(b, 0.0)
            for i in self._members(a):
                for j in self._members(b):
                    self._bound[i, j] = self._bound[j, i] = min(tolerated, self._bound[i, j])
        try:
            yield
        finally:
            self._bound = before

    @contextmanager
    def starting_at(self, q: Array, depth: float = DEPTH) -> Iterator[None]:
        """Within the block, pairs that are too close at ``q`` already may stay so but come no closer.

        Without it nothing could ever leave what it has just grasped, released or been put beside. A pair that overlaps
        by more than ``depth`` m plus the pose's sigma remains a collision.
        """
        before = self._bound.copy()
        self._collide(q)
        if self._data.ncon:
            for (a, b), gap in zip(self._contact_bodies(), self._data.contact.dist, strict=True):
                sigma = self._sigma.get(self._names[a], 0.0) + self._sigma.get(self._names[b], 0.0)
                if gap > -depth - sigma:
                    self._bound[a, b] = self._bound[b, a] = min(self._bound[a, b], gap - SLACK)
        for a, b, gap in self._overlooked():
            self._bound[a, b] = self._bound[b, a] = min(self._bound[a, b], gap - SLACK)
        try:
            yield
        finally:
            self._bound = before

    def _collide(self, q: Array) -> None:
        data = self._data
        self._prepare()
        data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self._model, data)
        if self._held is not None:
            self._carry()
        self.checks += 1
        mujoco.mj_collision(self._model, data)

    def _prepare(self) -> None:
        """Take changes into account, once for all those since the last time."""
        if self._changed:
            self._sort_bodies()
            self._changed = False

    def _rigid(self, gripper: float) -> tuple[Array, Array, Array]:
        """The geoms that move with the tool whatever the joints do, at an opening (m), and their poses seen from it."""
        if gripper not in self._hands:
            data, before = self._data, self._data.qpos.copy()
            data.qpos[self._fingers] = gripper / 2.0
            mujoco.mj_kinematics(self._model, data)
            ids = [i for i in range(self._model.ngeom) if int(self._model.geom_bodyid[i]) in self._behind]
            turn, at = data.site_xmat[self._site].reshape(3, 3), data.site_xpos[self._site]
            turns = turn.T @ data.geom_xmat[ids].reshape(-1, 3, 3)
            self._hands[gripper] = (np.array(ids), (data.geom_xpos[ids] - at) @ turn, turns)
            data.qpos[:] = before
        return self._hands[gripper]

    def _carry(self) -> None:
        """Put the held object's geoms where the tool takes them; MuJoCo's own tree does not know that it is held."""
        data = self._data
        turn = data.site_xmat[self._site].reshape(3, 3)
        data.geom_xpos[self._held_geoms] = self._held_points @ turn.T + data.site_xpos[self._site]
        data.geom_xmat[self._held_geoms] = _turned(turn, self._held_turns)

    def _contact_bodies(self) -> Array:
        return self._model.geom_bodyid[self._data.contact.geom]

    def _counting(self) -> Array:
        bodies = self._contact_bodies()
        counting = self._data.contact.dist < self._bound[bodies[:, 0], bodies[:, 1]]
        return (
            counting if self._least is None else counting & (self._data.contact.dist < self._least[bodies].min(axis=1))
        )

    def _overlooked(self) -> list[tuple[int, int, float]]:
        """Bodies of which boxes are nearer than they may be, though no contact says so, and their distance, m."""
        bound = self._bound if self._least is None else np.minimum(self._bound, np.minimum.outer(*[self._least] * 2))
        return near_boxes(self._model, self._data, *self._sides, bound)

    def _overlaps(self, objects: Mapping[str, PoseEstimate]) -> Array:
        """The distance below which a contact counts, by body: those known too little to be sure may be overlapped."""
        least = np.full(len(self._names), np.inf)
        for name in self._seen:
            if objects[name].sigma > VAGUE:
                least[self._body[name]] = -self.give * objects[name].sigma
        return least

    def _place(self, obj: ObjectSpec, objects: Mapping[str, PoseEstimate]) -> None:
        pose = objects[obj.name].pose
        parent = objects[obj.joint.parent].pose if obj.joint is not None and obj.joint.parent in objects else None
        if self._placed.get(obj.name) == (pose, parent):  # the very same: poses compare by identity
            return
        self._placed[obj.name] = (pose, parent)
        body = self._body[obj.name]
        if obj.fixed:
            mocap = int(self._model.body_mocapid[body])
            self._data.mocap_pos[mocap], self._data.mocap_quat[mocap] = pose.position, pose.wxyz
        elif obj.joint is None:
            at = int(self._model.joint(obj.name).qposadr[0])
            self._data.qpos[at : at + 7] = np.concatenate([pose.position, pose.wxyz])
        elif parent is not None:
            value = obj.joint.value(parent, pose)
            self._data.qpos[int(self._model.joint(obj.name).qposadr[0])] = np.clip(value, *obj.joint.limits)

    def _sort_bodies(self) -> None:
        """Decide which geoms are tested against which, and how far objects reach beyond their surface."""
        still = self._body[self.robot.base]
        for i in self._links:
            self._assign(i, _STILL if i == still else _HAND if i in self._hand else _LINK, 0.0)
        for name in self.inventory:
            if name == self._held:
                self._assign(self._body[name], _HELD, self.sigmas * self._sigma[name])
            elif name in self._seen:
                self._assign(self._body[name], _STILL, self.padding + self.sigmas * self._sigma[name])
            else:
                self._assign(self._body[name], _NOTHING, 0.0)
        if self._held is not None:
            self._hold(self._held)
        kinds, still = self._model.geom_contype[self._boxes], ~self._is_link[self._model.geom_bodyid[self._boxes]]
        moving = np.isin(kinds, [_HAND[0], _HELD[0], _LINK[0]])
        self._sides = self._boxes[moving], self._boxes[(kinds == _STILL[0]) & still]

    def _hold(self, name: str) -> None:
        geoms = self._geoms[name]
        inside = [Pose.from_wxyz(self._model.geom_pos[g], self._model.geom_quat[g]) for g in geoms]
        placed = [self._in_tool @ pose for pose in inside]
        self._held_geoms = geoms
        self._held_points = np.array([pose.position for pose in placed])
        self._held_turns = np.array([pose.rotation.as_matrix() for pose in placed])

    def _assign(self, body: int, bits: tuple[int, int], margin: float) -> None:
        if self._sorted.get(body) == (bits, margin):
            return
        self._sorted[body] = (bits, margin)
        model = self._model
        geoms = self._geoms[self._names[body]]
        solid = self._solid[geoms]
        model.geom_contype[geoms] = bits[0] * solid
        model.geom_conaffinity[geoms] = bits[1] * solid
        model.geom_margin[geoms] = margin
        # MuJoCo filters by body before it looks at geoms.
        model.body_contype[body], model.body_conaffinity[body] = bits
        model.body_margin[body] = margin

    def _solid_geoms(self, body: int) -> Array:
        geoms = self._geoms[self._names[body]]
        return geoms[self._solid[geoms]]

    def _members(self, name: str) -> Sequence[int]:
        if name == ROBOT:
            return sorted(self._links)
        if name == GRIPPER:
            return sorted(self._hand)
        if name not in self._body:
            raise ValueError(f"{name} is neither a link, an object, {ROBOT!r} nor {GRIPPER!r}")
        return (self._body[name],)

    def _descendants(self, root: str) -> set[int]:
        """Bodies from ``root`` outwards: a body comes after its parent."""
        found = {self._body[root]}
        for i in range(self._model.nbody):
            if int(self._model.body_parentid[i]) in found and i != 0:
                found.add(i)
        return found


def _turned(turn: Array, turns: Array) -> Array:
    """The products ``(k, 9)`` of one rotation matrix with others ``(k, 3, 3)``, as one product of matrices."""
    side_by_side = turns.transpose(1, 0, 2).reshape(3, -1)
    return (turn @ side_by_side).reshape(3, -1, 3).transpose(1, 0, 2).reshape(-1, 9)
