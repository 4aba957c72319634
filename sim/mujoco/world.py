# SPDX-License-Identifier: Apache-2.0
"""The simulated world: rigid-body physics in MuJoCo behind the World protocol."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from robo_orch.errors import SceneError, unknown
from robo_orch.robots.mjcf import TOOL_SITE, add_object, joint_names, robot_spec_mjcf
from robo_orch.robots.spec import RobotSpec
from robo_orch.sim.lowlevel import Setpoint, servo_commands
from robo_orch.sim.mujoco.look import dress
from robo_orch.sim.mujoco.render import Quality, Renderer, quality_for
from robo_orch.sim.mujoco.sight import Sight
from robo_orch.sim.perception import Scan
from robo_orch.sim.referee import Referee
from robo_orch.sim.scenes import Layout
from robo_orch.types import Array, JointTarget, Pose

#: Downward speed of an object that is put somewhere, m/s: enough to wake it, too little to matter (chosen).
WAKE_SPEED = 1e-3

_XYZW = np.array([1, 2, 3, 0])


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """What a robot's own sensors say: ``q``, ``qd``, ``effort`` ``(n,)``, finger positions and efforts, tool pose."""

    time: float
    q: Array
    qd: Array
    effort: Array
    fingers: Array
    finger_effort: Array
    tool: Pose


def _as_described(_spec: mujoco.MjSpec, _layout: Layout) -> None:
    """No alteration."""


@dataclass(frozen=True, slots=True, eq=False)
class Alterations:
    """What is different in a perturbed world. All of it is deterministic, so that a replay repeats it.

    Attributes:
        spec: changes the description of a layout before it is compiled, objects included: masses, cameras, lights.
        events: (time s, what somebody does to the world then), in order of time. It is done at the start of the first
            control period that begins at that time or later, and belongs to snapshots.
        image: (picture ``(H, W, 3)`` uint8, camera, time s) -> picture, for every picture of the present.
    """

    spec: Callable[[mujoco.MjSpec, Layout], None] = _as_described
    events: Sequence[tuple[float, Callable[[MujocoWorld], None]]] = ()
    image: Callable[[NDArray[np.uint8], str, float], NDArray[np.uint8]] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Snapshot:
    data: mujoco.MjData
    setpoint: Setpoint
    digest: Any
    referee: Any
    events: int


class MujocoWorld:
    """A layout with a robot in it, stepped in whole control periods.

    One thread at a time. ``referee`` sees the true state and only judges; poses of objects leave for everyone else
    through :meth:`scan`, which is for perception alone.
    """

    layout: Layout
    referee: Referee
    _setpoint: Setpoint
    _digest: Any
    _body: Body | None

    def __init__(self, layout: Layout, robot: RobotSpec, alter: Alterations | None = None) -> None:
        self._robot, self._alter = robot, alter or Alterations()
        self._renderers: dict[Quality, Renderer] = {}
        self._build(layout)

    @property
    def time(self) -> float:
        """Seconds since the layout was made."""
        return float(self._data.time)

    @property
    def setpoint(self) -> Setpoint:
        """Where the servos were last told to be."""
        return self._setpoint

    @property
    def state_hash(self) -> str:
        """SHA-256 over qpos, qvel and ctrl of every control period so far, as hex."""
        return self._digest.hexdigest()

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names that :meth:`render` knows."""
        return tuple(self.layout.cameras)

    def reset(self, seed: int) -> None:
        """Lay the same scene out anew, with what was required of it."""
        self._build(self.layout.again(seed))

    def step(self, target: JointTarget) -> None:
        """Advance one control period towards ``target``."""
        self._happen()
        commands, self._setpoint = servo_commands(self._setpoint, target, self._robot, self._steps)
        model, data, after_step, ctrl = self._model, self._data, self.referee.after_step, self._data.ctrl
        for command in commands:
            ctrl[self._servos] = command
            mujoco.mj_step(model, data)
            after_step()
        mujoco.mj_kinematics(self._model, self._data)
        self._body = None
        self.referee.after_tick()
        for part in (self._data.qpos, self._data.qvel, self._data.ctrl):
            self._digest.update(part.tobytes())

    def place(self, name: str, pose: Pose) -> None:
        """Somebody reaches in and puts a free object elsewhere. A perturbation, never a way to act.

        Raises:
            SceneError: there is no free object of that name.
        """
        obj = self.layout.inventory.get(name)
        if obj is None or obj.fixed or obj.joint is not None:
            free = (o.name for o in self.layout.inventory.values() if not o.fixed and o.joint is None)
            raise unknown(SceneError, "a free object", name, free)
        joint = self._data.joint(name)
        joint.qpos[:] = np.concatenate([pose.position, pose.wxyz])
        # MuJoCo wakes a sleeping body when it has a velocity; one at rest would stay in mid-air.
        joint.qvel[:] = 0.0
        joint.qvel[2] = -WAKE_SPEED
        self._reached_in(name)

    def move_part(self, name: str, value: float) -> None:
        """Somebody reaches in and moves a drawer, door, button or knob to a joint value (m or rad), within its limits.

        What lies in a drawer stays where it is and is pushed by it, if at all. A perturbation, never a way to act.

        Raises:
            SceneError: there is no such part.
        """
        parts = {o.name: o.joint for o in self.layout.inventory.values() if o.joint is not None}
        if name not in parts:
            raise unknown(SceneError, "a part that moves on a joint", name, parts)
        joint = self._data.joint(name)
        joint.qpos[:] = np.clip(value, *parts[name].limits)
        joint.qvel[:] = WAKE_SPEED if value <= parts[name].limits[0] else -WAKE_SPEED
        self._reached_in(name)

    def move_prop(self, name: str, pose: Pose) -> None:
        """Put a thing that nothing can touch, added by :class:`Alterations` as a mocap body, elsewhere."""
        i = int(self._model.body(name).mocapid[0])
        self._data.mocap_pos[i], self._data.mocap_quat[i] = pose.position, pose.wxyz
        mujoco.mj_kinematics(self._model, self._data)

    def _reached_in(self, name: str) -> None:
        mujoco.mj_kinematics(self._model, self._data)
        self.referee.excuse(name)

    def put_arm(self, q: Array, width: float) -> None:
        """Set the arm, at rest, to joints ``(n,)`` (rad) and an opening (m), before training or probing begins.

        It does not touch what is in the way; the caller sees to that.
        """
        d, limits = self._data, self._robot.limits
        q = np.clip(np.asarray(q, dtype=float), limits.lower, limits.upper)
        self._setpoint = Setpoint(q, np.zeros_like(q), width)
        fingers = np.full(len(self._robot.gripper.joints), width / 2)
        d.qpos[self._qpos] = d.ctrl[self._servos] = np.append(q, fingers)
        d.qvel[self._dofs] = 0.0
        mujoco.mj_forward(self._model, d)
        self._body = None

    def arm_touches(self) -> bool:
        """Whether any part of the robot touches something, or is in it. For training and probing."""
        ours = np.isin(np.asarray(self._model.geom_bodyid)[self._data.contact.geom], self._links)
        return bool((ours[:, 0] != ours[:, 1]).any())

    def body(self) -> Body:
        """The robot's own sensing."""
        if self._body is None:
            self._body = self._sense()
        return self._body

    def scan(self) -> Scan:
        """What perception looks at."""
        return Scan(self.time, self.referee.poses, self._sight.share, self._data.site_xpos[self._tool])

    def _sense(self) -> Body:
        d = self._data
        n = len(self._robot.names)
        q, qd = d.qpos[self._qpos], d.qvel[self._dofs]
        effort = d.actuator_force[self._servos]
        wxyz = np.empty(4)
        mujoco.mju_mat2Quat(wxyz, d.site_xmat[self._tool])
        tool = Pose(d.site_xpos[self._tool].copy(), wxyz[_XYZW])
        return Body(self.time, q[:n], qd[:n], effort[:n], q[n:], effort[n:], tool)

    def _happen(self) -> None:
        events = self._alter.events
        while self._happened < len(events) and events[self._happened][0] <= self.time + 1e-9:
            events[self._happened][1](self)
            self._happened += 1

    def render(
        self, camera: str, size: tuple[int, int] = (640, 480), of: _Snapshot | None = None, plain: bool = False
    ) -> NDArray[np.uint8]:
        """An image ``(H, W, 3)`` from a named camera, of now or ``of`` a snapshot; ``size`` is (width, height), pixels.

        Small pictures, of 192 pixels at most either way, are drawn for speed: without shadows, smoothing and textures.
        ``plain`` leaves out shadows and smoothing of larger ones: much faster without a GPU, good enough for a film.

        Raises:
            RenderError: no such camera (the message lists those there are), or no GL.
        """
        quality = quality_for(*size, plain)
        if quality not in self._renderers:
            self._renderers[quality] = Renderer(self._model, quality)
        shown = of.data if of else self._data
        # The only part of the kinematics that is not up to date between two control periods, and without any effect.
        mujoco.mj_camlight(self._model, shown)
        image = self._renderers[quality].draw(shown, camera, *size)
        alter = self._alter.image
        return image if alter is None or of is not None else alter(image, camera, self.time)

    def snapshot(self) -> _Snapshot:
        """All that is needed to go on from here: the whole of MuJoCo's state, setpoint, hash, referee."""
        data = copy.copy(self._data)
        return _Snapshot(data, self._setpoint, self._digest.copy(), self.referee.snapshot(), self._happened)

    def restore(self, snapshot: _Snapshot) -> None:
        """Go on from a snapshot of this layout, bit-equal."""
        mujoco.mj_copyData(self._data, self._model, snapshot.data)
        self._setpoint, self._digest = snapshot.setpoint, snapshot.digest.copy()
        self.referee.restore(snapshot.referee)
        self._happened, self._body = snapshot.events, None

    def close(self) -> None:
        """Give GL resources back."""
        while self._renderers:
            self._renderers.popitem()[1].close()

    def _build(self, layout: Layout) -> None:
        self.close()
        self.layout = layout
        self._model = _compile(layout, self._robot, self._alter)
        self._data = mujoco.MjData(self._model)
        self._index()
        robot = self._robot
        self._setpoint = Setpoint(robot.home, np.zeros(len(robot.names)), robot.gripper.max_width)
        fingers = np.full(len(robot.gripper.joints), robot.gripper.max_width / 2)
        self._data.qpos[self._qpos] = np.append(robot.home, fingers)
        self._data.ctrl[self._servos] = np.append(robot.home, fingers)
        mujoco.mj_forward(self._model, self._data)
        self.referee = Referee(self._model, self._data, layout.inventory, robot)
        fixed = [name for name, camera in layout.cameras.items() if not camera.mount]
        self._sight = Sight(self._model, self._data, layout.inventory, fixed)
        self._digest = hashlib.sha256()
        self._body = None
        self._happened = 0

    def _index(self) -> None:
        names = joint_names(self._robot)
        self._steps = round(self._robot.period / self._model.opt.timestep)
        self._servos = np.array([self._model.actuator(n).id for n in names])
        self._qpos = np.array([self._model.joint(n).qposadr.item() for n in names])
        self._dofs = np.array([self._model.joint(n).dofadr.item() for n in names])
        self._tool = self._model.site(TOOL_SITE).id
        root = self._model.body_rootid[self._model.joint(names[0]).bodyid.item()]
        self._links = np.flatnonzero(np.asarray(self._model.body_rootid) == root)


def _compile(layout: Layout, robot: RobotSpec, alter: Alterations) -> mujoco.MjModel:
    spec = robot_spec_mjcf(robot, actuated=True)
    dress(spec, layout.cameras, layout.lights)
    poses: Mapping[str, Pose] = layout.poses
    for name, obj in layout.inventory.items():
        add_object(spec, obj, poses[name])
    # What lies still costs nothing until something touches it: three times faster.
    spec.option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    alter.spec(spec, layout)
    return spec.compile()
