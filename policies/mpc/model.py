# SPDX-License-Identifier: Apache-2.0
"""What becomes of a box that is pushed: a MuJoCo model of box, table top and finger pads, rolled out for many pushes.

The box is as in the world; the pads are a body that slides and turns over the table and is drawn along its way by stiff
servos, as the arm draws the real ones. Pushing is slow enough that speed does not matter, so the model pushes faster.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from mujoco import rollout

from robo_orch.objects import ObjectSpec
from robo_orch.policies.mpc.pushes import GRIPS, Box, Grip
from robo_orch.robots.mjcf import add_object, physics_options
from robo_orch.types import Array, Pose

#: Physics step of the model, s (chosen: the longest at which boxes move as with the world's own).
TIMESTEP = 0.004
#: Speed of the pads in the model, m/s (chosen: what is let go slides on for less than 4 mm).
SPEED = 0.2
#: Servos of the pads: N/m and N s/m; the turning one has a hundredth (chosen: they lag less than 0.1 mm).
KP, KV = 10_000.0, 400.0
#: The solver's iterations and tolerance (chosen: against the world's own, boxes end 1 mm elsewhere, in half the time).
ITERATIONS, ACCURACY = 10, 1e-4
#: Half the height of a pad, m (panda.urdf).
PAD_HALF = 0.009


class PushModel:
    """Rolls pushes of one box out.

    Args:
        spec: the box.
        friction: of box on support, sliding.
        height: of the pads' middle over the support, m.
    """

    def __init__(self, spec: ObjectSpec, friction: float, height: float) -> None:
        self._models = [_compile(spec, friction, height, grip) for grip in GRIPS]
        self._data = mujoco.MjData(self._models[0])
        self._height = float(-spec.bounds()[0][2])
        self.steps = 0

    def roll(self, box: Box, grips: Sequence[int], paths: Array, step: float) -> Array:
        """Where the box is after every step of its pusher's way.

        Args:
            box: where it begins.
            grips: index into :data:`GRIPS` for each push.
            paths: pusher poses ``(n, t, 3)``, m and rad, ``step`` (m) of way apart, the first before it touches.

        Returns:
            Box poses ``(n, t, 3)``, the first where it begins.
        """
        n, t = paths.shape[:2]
        per = max(1, round(step / SPEED / TIMESTEP))
        control = _servo(_between(paths, per))
        press = np.array([-GRIPS[grip].press / KP for grip in grips])[:, None, None]
        control = np.concatenate([control, np.broadcast_to(press, (*control.shape[:2], 1))], axis=2)
        states = np.empty((n, control.shape[1], self._state(box, paths[0, 0]).size))
        initial = np.array([self._state(box, path[0]) for path in paths])
        models = [self._models[grip] for grip in grips]
        rollout.rollout(models, [self._data], initial, control, state=states)
        self.steps += n * control.shape[1]
        qpos = states[:, per - 1 :: per, 1:8]
        yaw = 2.0 * np.arctan2(qpos[..., 6], qpos[..., 3])
        moved = np.stack([qpos[..., 0], qpos[..., 1], box.at[2] + _wrapped(yaw - box.at[2])], axis=-1)
        return np.concatenate([np.tile(box.at, (n, 1, 1)), moved], axis=1)[:, :t]

    def _state(self, box: Box, pusher: Array) -> Array:
        """A full state: box at rest on the ground, pusher at rest."""
        x, y, yaw = box.at
        qpos = [x, y, self._height, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2), *pusher, 0.0]
        return np.concatenate([[0.0], qpos, np.zeros(self._models[0].nv)])


def _compile(spec: ObjectSpec, friction: float, height: float, grip: Grip) -> mujoco.MjModel:
    world = mujoco.MjSpec()
    physics_options(world)
    world.option.timestep = TIMESTEP
    world.option.iterations, world.option.tolerance = ITERATIONS, ACCURACY
    world.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[2, 2, 0.1], friction=[max(friction, spec.friction), 0.005, 0.0001]
    )
    add_object(world, spec, Pose.of())
    body = world.worldbody.add_body(name="pusher")
    for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0))):
        body.add_joint(name=f"pusher_{name}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    body.add_joint(name="pusher_yaw", type=mujoco.mjtJoint.mjJNT_HINGE, axis=(0, 0, 1))
    body.add_joint(name="pusher_z", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(0, 0, 1))
    body.gravcomp = 1.0
    height = 2.0 * float(spec.bounds()[1][2]) + PAD_HALF if grip.on_top else height
    for y, half_x, half_y in grip.pads:
        pad = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[half_x, half_y, PAD_HALF], pos=[0, y, height])
        pad.mass, pad.priority, pad.friction = 0.5, 1, [1.5, 0.005, 0.0001]
    body.explicitinertial, body.mass, body.inertia = True, 1.0, [0.01, 0.01, 0.01]
    for name in ("x", "y", "yaw", "z"):
        share = 0.01 if name == "yaw" else 1.0
        servo = world.add_actuator(name=name, target=f"pusher_{name}", trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=KP * share, kv=KV * share)
    return world.compile()


def _between(paths: Array, per: int) -> Array:
    """Poses ``(n, (t - 1) per, 3)`` at every physics step of ways ``(n, t, 3)``."""
    share = (np.arange(per) / per)[:, None]
    a, b = paths[:, :-1, None], paths[:, 1:, None]
    return (a + (b - a) * share).reshape(len(paths), -1, 3)


def _servo(poses: Array) -> Array:
    """Servo commands for poses ``(n, s, 3)``, leading by what their damping holds back."""
    rates = np.gradient(poses, TIMESTEP, axis=1)
    return poses + (KV / KP) * rates


def _wrapped(angle: Array) -> Array:
    return (angle + np.pi) % (2.0 * np.pi) - np.pi
