# SPDX-License-Identifier: Apache-2.0
"""Robots and objects as MuJoCo specs: the same bodies for the simulated world and for the planning copy.

A robot's bodies keep their URDF names and sit at the world's origin, which is the robot's base frame.
Collision geoms are named ``<body>/<i>``, visual geoms have no name, never collide and are in group 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import mujoco
import numpy as np

from robo_orch.catalogue import rgba
from robo_orch.errors import RobotError, SceneError
from robo_orch.objects import Geom, Joint, JointKind, ObjectSpec, Shape
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Pose

#: Physics step, s; with the options below the stiff pads neither slip nor explode (measured).
TIMESTEP = 0.002
#: Name of the site at the tool point.
TOOL_SITE = "tool"
#: Group of collision geoms that stand in for finer visual ones; not drawn.
COLLISION_GROUP = 3
#: Reflected rotor inertia of arm joints (kg m^2) and fingers (kg), chosen near MuJoCo Menagerie's Panda.
ARM_ARMATURE, FINGER_ARMATURE = 0.1, 0.1

_SHAPES = {
    Shape.BOX: mujoco.mjtGeom.mjGEOM_BOX,
    Shape.CYLINDER: mujoco.mjtGeom.mjGEOM_CYLINDER,
    Shape.CAPSULE: mujoco.mjtGeom.mjGEOM_CAPSULE,
    Shape.SPHERE: mujoco.mjtGeom.mjGEOM_SPHERE,
    Shape.ELLIPSOID: mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}


def robot_spec_mjcf(robot: RobotSpec, actuated: bool = False) -> mujoco.MjSpec:
    """The robot alone, from its URDF.

    Its weight is compensated, as on the real arm. ``actuated`` adds a position servo per joint with the robot's
    gains and effort limits, named as the joint; a planning copy needs none.

    Raises:
        RobotError: the URDF cannot be read or does not have the joints and links that the YAML names.
    """
    try:
        spec = mujoco.MjSpec.from_file(str(robot.urdf))
    except (ValueError, mujoco.FatalError) as error:
        raise RobotError("a URDF of primitives", f"{robot.urdf.name}: {error}", "mend that file") from error
    _check_names(spec, robot)
    spec.modelname = robot.name
    physics_options(spec)
    for body in spec.bodies[1:]:
        body.gravcomp = 1.0
        _capsules(spec, body)
        _name_collisions(body)
    _pads(spec, robot)
    _joints(spec, robot, actuated)
    site = spec.body(robot.tool_parent).add_site(name=TOOL_SITE, pos=robot.tool_offset.position)
    site.quat = robot.tool_offset.wxyz
    site.group = 4
    _exclude_neighbours(spec, robot)
    return spec


def physics_options(spec: mujoco.MjSpec) -> None:
    """Solver options under which grasps hold without slip.

    Elliptic cones with a high ``impratio`` keep held objects from creeping; they need 50 line-search iterations
    (10 diverges). Flat faces get several contacts: MuJoCo's ``multiccd`` is on by default. With the usual
    tolerance in collision, a cylinder between flat pads is now and then found on the wrong side of one (measured).
    """
    option = spec.option
    option.timestep = TIMESTEP
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 10.0
    option.iterations = 100
    option.ls_iterations = 50
    option.ccd_iterations, option.ccd_tolerance = 100, 1e-8


def add_object(spec: mujoco.MjSpec, obj: ObjectSpec, pose: Pose, mocap: bool = False) -> mujoco.MjsBody:
    """Add an object as a body of its name.

    Free objects get a free joint named as the object. A part with a :class:`Joint` becomes a child of its parent's
    body (add the parent first), with a slide or hinge joint named as the object whose value is the joint's; ``pose``
    is then ignored. Fixed objects are welded where ``pose`` (base frame) says, or with ``mocap`` can be moved through
    ``data.mocap_pos``.

    Raises:
        SceneError: the parent of a moving part is not there.
    """
    if obj.joint is not None:
        body = _add_part(spec, obj, obj.joint)
    else:
        body = spec.worldbody.add_body(name=obj.name, pos=pose.position, quat=pose.wxyz)
        if not obj.fixed:
            body.add_freejoint(name=obj.name)
        body.mocap = mocap and obj.fixed
    volumes = [_volume(geom) if geom.collides else 0.0 for geom in obj.geoms]
    for i, geom in enumerate(obj.geoms):
        _add_geom(spec, body, geom, f"{obj.name}/{i}", obj.friction, obj.mass * volumes[i] / sum(volumes))
    return body


def owner(body_name: str) -> str:
    """The object or robot link that a geom named ``<body>/<i>`` belongs to."""
    return body_name.rpartition("/")[0] or body_name


def joint_names(robot: RobotSpec) -> tuple[str, ...]:
    """Arm joints, then finger joints: the order of actuators and of commands."""
    return (*robot.names, *robot.gripper.joints)


def _check_names(spec: mujoco.MjSpec, robot: RobotSpec) -> None:
    links = {body.name for body in spec.bodies}
    joints = {joint.name for joint in spec.joints}
    missing = [n for n in (robot.base, robot.tool_parent) if n not in links]
    missing += [n for n in joint_names(robot) if n not in joints]
    if missing:
        raise RobotError(
            f"links and joints of {robot.name}.yaml in {robot.urdf.name}",
            f"no {', '.join(missing)}",
            "use the names that the URDF has",
        )


def _collisions(body: mujoco.MjsBody) -> list[mujoco.MjsGeom]:
    return [geom for geom in body.geoms if geom.contype or geom.conaffinity]


def _capsules(spec: mujoco.MjSpec, body: mujoco.MjsBody) -> None:
    """URDF has no capsule: collision cylinders with a sphere at each end stand for one."""
    for geom in _collisions(body):
        if geom.type == mujoco.mjtGeom.mjGEOM_CYLINDER:
            geom.type = mujoco.mjtGeom.mjGEOM_CAPSULE
        elif geom.type == mujoco.mjtGeom.mjGEOM_SPHERE:
            spec.delete(geom)


def _name_collisions(body: mujoco.MjsBody) -> None:
    for i, geom in enumerate(_collisions(body)):
        geom.userdata = [1.0 if geom.name.endswith("_pad") else 0.0]
        geom.name = f"{body.name}/{i}"
        geom.group = COLLISION_GROUP


def _pads(spec: mujoco.MjSpec, robot: RobotSpec) -> None:
    """Rubber pads: they impose their own friction, torsion included, on whatever they touch (measured: no slip)."""
    for name in robot.gripper.joints:
        for geom in _collisions(spec.joint(name).parent):
            if geom.userdata[0]:
                geom.condim = 4
                geom.friction = [1.5, 0.005, 0.0001]
                geom.solref = [0.004, 1.0]
                geom.solimp = [0.95, 0.99, 0.001, 0.5, 2.0]
                geom.priority = 1


def _joints(spec: mujoco.MjSpec, robot: RobotSpec, actuated: bool) -> None:
    gripper = robot.gripper
    for joint in robot.joints:
        element = spec.joint(joint.name)
        element.armature = ARM_ARMATURE
        element.range = joint.position
        if actuated:
            _servo(spec, joint.name, joint.kp, joint.kv, joint.effort)
    for name in gripper.joints:
        element = spec.joint(name)
        element.armature = FINGER_ARMATURE
        element.range = (0.0, gripper.max_width / 2)
        if actuated:
            _servo(spec, name, gripper.kp, gripper.kv, gripper.force)


def _servo(spec: mujoco.MjSpec, joint: str, kp: float, kv: float, effort: float) -> None:
    actuator = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.set_to_position(kp=kp, kv=kv)
    actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
    actuator.forcerange = [-effort, effort]


def _exclude_neighbours(spec: mujoco.MjSpec, robot: RobotSpec) -> None:
    """Never test links that touch by construction: neighbours, the fingers, and what overlaps at home."""
    solid = [body for body in spec.bodies[1:] if _collisions(body)]
    pairs = {_pair(body.name, parent.name) for body in solid if (parent := _solid_parent(body)) is not None}
    fingers = [spec.joint(name).parent.name for name in robot.gripper.joints]
    pairs |= {_pair(a, b) for a in fingers for b in fingers if a < b}
    pairs |= set(_touching_at_home(spec, robot))
    for a, b in sorted(pairs):
        spec.add_exclude(name=f"{a}|{b}", bodyname1=a, bodyname2=b)


def _solid_parent(body: mujoco.MjsBody) -> mujoco.MjsBody | None:
    parent = body.parent
    while parent is not None and parent.name != "world":
        if _collisions(parent):
            return parent
        parent = parent.parent
    return None


def _touching_at_home(spec: mujoco.MjSpec, robot: RobotSpec) -> Iterator[tuple[str, str]]:
    model = spec.copy().compile()
    data = mujoco.MjData(model)
    for name, value in zip(robot.names, robot.home, strict=True):
        data.joint(name).qpos = value
    mujoco.mj_forward(model, data)
    for a, b in model.geom_bodyid[data.contact.geom]:
        yield _pair(model.body(a).name, model.body(b).name)


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


def _add_part(spec: mujoco.MjSpec, obj: ObjectSpec, joint: Joint) -> mujoco.MjsBody:
    parent = spec.body(joint.parent)
    if parent is None:
        raise SceneError(f"{joint.parent} before its part {obj.name}", "no such body", "list the parent first")
    body = parent.add_body(name=obj.name, pos=joint.origin.position, quat=joint.origin.wxyz)
    slide = joint.kind is JointKind.SLIDE
    body.add_joint(
        name=obj.name,
        type=mujoco.mjtJoint.mjJNT_SLIDE if slide else mujoco.mjtJoint.mjJNT_HINGE,
        pos=joint.anchor,
        axis=joint.axis,
        range=joint.limits,
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        frictionloss=joint.friction,
        damping=[joint.damping, 0.0, 0.0],
        stiffness=[joint.springback, 0.0, 0.0],
        armature=0.01,
    )
    spec.add_exclude(name=f"{joint.parent}|{obj.name}", bodyname1=joint.parent, bodyname2=obj.name)
    return body


def _add_geom(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, geom: Geom, name: str, friction: float, mass: float
) -> mujoco.MjsGeom:
    element = body.add_geom(
        name=name,
        type=_SHAPES[geom.shape],
        size=np.pad(np.asarray(geom.size, dtype=float), (0, 3 - len(geom.size))),
        pos=geom.pose.position,
        quat=geom.pose.wxyz,
        friction=[friction, 0.005, 0.0001],
        mass=mass,
        rgba=rgba(geom.material),
    )
    if not geom.collides:
        element.contype = element.conaffinity = 0
    if geom.material in _names(spec.materials):
        element.material = geom.material
    return element


def _names(elements: Iterable[mujoco.MjsMaterial]) -> set[str]:
    return {element.name for element in elements}


def _volume(geom: Geom) -> float:
    """Volume (m^3) up to a factor that is alike enough to share a body's mass among its geoms."""
    return float(np.prod(2.0 * geom.half_extents)) * (1.0 if geom.shape is Shape.BOX else np.pi / 4)
