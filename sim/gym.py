# SPDX-License-Identifier: Apache-2.0
"""A gymnasium environment over the simulated world: where skills are trained and demonstrations made.

The arm moves by the same low-level path as everywhere (:mod:`robo_orch.robots.actions`), the policy sees what
perception estimates (:mod:`robo_orch.robots.features`); only reward and the end of an episode know the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robo_orch.errors import OptionError
from robo_orch.robots.actions import Decoder, Setpoint, problem_of
from robo_orch.robots.features import PER_OBJECT, features
from robo_orch.robots.spec import RobotSpec, load_robot
from robo_orch.sim.build import Simulation, assemble
from robo_orch.sim.mujoco.world import MujocoWorld
from robo_orch.sim.perturb import checked
from robo_orch.sim.referee import Bound, RefereeVerdict
from robo_orch.sim.scenes import Layout, lay_out, load_scene
from robo_orch.types import ActionKind, ActionSpace, Array, DeltaReference, Observation, Predicate

try:
    import gymnasium
except ImportError as error:
    raise OptionError("gymnasium", "a Python without it", "pip install 'robo_orch[train]'") from error

#: The action space of those who name none: tool deltas to the command, with a gripper width, at 10 Hz.
TOOL_DELTAS = ActionSpace(ActionKind.EE_DELTA, 7, "base", "rotvec", DeltaReference.COMMAND)
#: The largest tool delta per second that :func:`action_bounds` offers, m and rad (chosen: a careful hand).
TOOL_SPEED = (0.3, 1.5)
#: The box (base frame, m) in which :func:`action_bounds` offers tool positions (chosen: the table and what is on it).
REACH = ((0.2, -0.6, 0.0), (0.8, 0.6, 0.7))
#: Time that perception gets to see everything before an episode begins, s (chosen).
FIRST_LOOK = 1.0
#: Draws of a start before one that touches something is put up with (chosen).
START_TRIES = 50


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What an episode is about.

    Attributes:
        predicate: the postcondition.
        args: objects by role, as the skill has them; they are what the observation tells of.
        bounds: contacts that the skill declares.
        hold_seconds: how long the postcondition must hold.
        require: (kind, colour) pairs that the scene must have.
    """

    predicate: Predicate
    args: Mapping[str, str]
    bounds: Sequence[Bound] = ()
    hold_seconds: float = 0.5
    require: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What a reward is computed from, after one action.

    Attributes:
        before, after: what the robot observed.
        action: ``(A,)`` as given.
        strain: the largest ratio of a contact force to its bound during the action; above 1 is unsafe.
        holds: whether the postcondition is true; ``success``: has been for its hold time, and all was safe.
        verdict: the referee's, from the beginning of the episode.
        world: for what only it knows: ``world.referee`` may be asked in training.
    """

    before: Observation
    after: Observation
    action: Array
    strain: float
    holds: bool
    success: bool
    verdict: RefereeVerdict
    world: MujocoWorld


def sparse(moment: Moment) -> float:
    """1 for success, -1 for what is unsafe."""
    return float(moment.success) - float(not moment.verdict.safe)


@dataclass(frozen=True, slots=True, eq=False)
class _Snapshot:
    robot: Any
    world: int
    setpoint: Setpoint
    begun: float
    true_since: float | None


def action_bounds(space: ActionSpace, robot: RobotSpec, seconds: float) -> tuple[Array, Array]:
    """Lowest and highest actions ``(A,)`` that make sense in a space at one action every ``seconds``."""
    limits, ones = robot.limits, np.ones(3)
    match space.kind:
        case ActionKind.JOINT_POSITION:
            low, high = limits.lower, limits.upper
        case ActionKind.JOINT_VELOCITY:
            low, high = -limits.velocity, limits.velocity
        case ActionKind.JOINT_DELTA:
            low, high = -seconds * limits.velocity / 4, seconds * limits.velocity / 4
        case ActionKind.JOINT_TRAJECTORY:
            low, high = np.append(limits.lower, -limits.velocity), np.append(limits.upper, limits.velocity)
        case ActionKind.EE_POSE:
            low, high = np.array(REACH)
        case _:
            high = seconds * TOOL_SPEED[0] * ones
            low = -high
    turn = {"none": 0.0, "rotvec": np.pi, "xyzw": 1.0}[space.rotation]
    if space.kind is ActionKind.EE_DELTA and space.rotation == "rotvec":
        turn = seconds * TOOL_SPEED[1]
    rest = space.dim - len(low)
    rotation = np.full({"none": 0, "rotvec": 3, "xyzw": 4}[space.rotation], turn)
    gripper = [(0.0, robot.gripper.max_width if space.gripper == "width" else 1.0)] * (rest - len(rotation))
    edges = np.array(gripper).reshape(-1, 2).T
    return np.concatenate([low, -rotation, edges[0]]), np.concatenate([high, rotation, edges[1]])


class KitchenEnv(gymnasium.Env):
    """One skill in one scene.

    Observations are a dict of ``float32`` arrays, see :func:`robo_orch.robots.features.features`, and one ``uint8``
    image ``(H, W, 3)`` per camera asked for, named ``image_<camera>``. An episode ends when the task is done and has
    held (``info["success"]``), when something unsafe happens (``info["unsafe"]`` says what), or is truncated when its
    time is up.

    Args:
        task: what to do.
        scene: a scene's name or path.
        space, rate_hz: what actions mean, and how many there are a second; the control rate is a multiple of it.
        bounds: lowest and highest action ``(A,)`` each; :func:`action_bounds` by default.
        reward: from a :class:`Moment`.
        time_limit: s.
        seeds: of the layouts that episodes draw from; each is built once and kept, so choose a few dozen at most.
        alone: leave out all movable objects that the task does not name: three times faster.
        start: draws joints ``(n,)`` and an opening to begin with, again if they touch something; the robot's home and
            open by default.
        prepare: what somebody does to the world before an episode, for example open a drawer.
        cameras: (width, height) of the images to observe, by camera.
        perturb: what is harder, by name as :mod:`robo_orch.sim.perturb` has it; or a function that says so for the seed
            of a layout, to draw from many.
        render_mode: ``rgb_array`` or ``None``.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012 - gymnasium's own name and type

    def __init__(
        self,
        task: Task,
        scene: str = "kitchen",
        space: ActionSpace = TOOL_DELTAS,
        rate_hz: float = 10.0,
        bounds: tuple[Array, Array] | None = None,
        reward: Callable[[Moment], float] = sparse,
        time_limit: float = 10.0,
        seeds: Sequence[int] = range(16),
        alone: bool = False,
        start: Callable[[np.random.Generator], tuple[Array, float]] | None = None,
        prepare: Callable[[MujocoWorld, np.random.Generator], None] = lambda world, rng: None,
        cameras: Mapping[str, tuple[int, int]] | None = None,
        perturb: Mapping[str, float] | Callable[[int], Mapping[str, float]] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.task, self.render_mode = task, render_mode
        self._scene, self._seeds, self._alone = load_scene(scene), list(seeds), alone
        self._spec = load_robot(self._scene.robot)
        self._space, self._periods = space, _periods(space, rate_hz, self._spec)
        self._reward, self._time_limit, self._start, self._prepare = reward, time_limit, start, prepare
        settings = {} if callable(perturb) else checked(perturb or {})
        self._perturb = perturb if callable(perturb) else lambda _seed: settings
        self._cameras = dict(cameras or {})
        self._decoder = Decoder(self._spec)
        self._worlds: dict[int, tuple[Simulation, Any]] = {}
        self._low, self._high = bounds or action_bounds(space, self._spec, self._periods * self._spec.period)
        self.action_space = gymnasium.spaces.Box(self._low.astype(np.float32), self._high.astype(np.float32))
        self.observation_space = self._observation_space()
        self._seed = self._seeds[0]
        self._true_since: float | None = None

    @property
    def setpoint(self) -> Setpoint:
        """Where the arm was last told to be: what the next action is decoded from."""
        return self._setpoint

    @property
    def simulation(self) -> Simulation:
        """The world of this episode and the robot in it."""
        return self._worlds[self._seed][0]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict, dict]:
        """Begin an episode.

        Args:
            options: ``snapshot``: go on from what :meth:`snapshot` gave, in this environment; ``layout``: the layout's
                seed; ``start``: joints ``(n,)`` and an opening to begin with.
        """
        super().reset(seed=seed)
        options = options or {}
        if (snapshot := options.get("snapshot")) is not None:
            return self._go_on(snapshot)
        self._seed = options.get("layout", self._seeds[int(self.np_random.integers(len(self._seeds)))])
        if self._seed not in self._worlds:
            made = self._make(self._seed)
            self._worlds[self._seed] = made, made.robot.snapshot()
        simulation, beginning = self._worlds[self._seed]
        simulation.robot.restore(beginning)
        self._prepare(simulation.world, self.np_random)
        self._put(simulation, options.get("start"))
        self._setpoint = simulation.world.setpoint
        self._true_since = None
        self._first_look()
        simulation.world.referee.begin(self.task.args, self.task.bounds)
        self._begun = simulation.robot.now
        return self._observe(), {"layout": self._seed}

    def step(self, action: Any) -> tuple[dict, float, bool, bool, dict[str, Any]]:
        """One action, clipped to the action space."""
        robot, world = self.simulation.robot, self.simulation.world
        before = robot.observe()
        row = np.clip(np.asarray(action, dtype=float), self._low, self._high)
        decoded = self._decoder.decode(row, self._space, self._setpoint, before.state.q, self._periods, "gym")
        self._setpoint, strain = decoded.after, 0.0
        for target in decoded.targets:
            robot.command(target)
            robot.tick()
            strain = max(strain, world.referee.strain)
        holds = world.referee.holds(self.task.predicate)
        self._true_since = (self._true_since or robot.now) if holds else None
        verdict = world.referee.end()
        lasted = self._true_since is not None and robot.now - self._true_since >= self.task.hold_seconds - 1e-9
        moment = Moment(before, robot.observe(), row, strain, holds, lasted and verdict.safe, verdict, world)
        info: dict[str, Any] = {"success": moment.success, "holds": holds, "strain": strain, "clipped": decoded.clipped}
        if not verdict.safe:
            info["unsafe"] = verdict.because
        late = robot.now - self._begun >= self._time_limit - 1e-9
        return self._observe(), float(self._reward(moment)), moment.success or not verdict.safe, late, info

    def snapshot(self) -> Any:
        """This moment of this episode, for ``reset(options={"snapshot": …})``."""
        robot = self.simulation.robot.snapshot()
        return _Snapshot(robot, self._seed, self._setpoint, self._begun, self._true_since)

    def render(self) -> NDArray[np.uint8] | None:
        """The front view ``(480, 640, 3)`` if ``render_mode`` is ``rgb_array``."""
        return self.simulation.world.render("front", plain=True) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Give GL resources back."""
        for simulation, _ in self._worlds.values():
            simulation.world.close()

    def _go_on(self, snapshot: _Snapshot) -> tuple[dict, dict]:
        self._seed, self._setpoint = snapshot.world, snapshot.setpoint
        self._begun, self._true_since = snapshot.begun, snapshot.true_since
        self.simulation.robot.restore(snapshot.robot)
        return self._observe(), {"layout": self._seed}

    def _make(self, seed: int) -> Simulation:
        settings = checked(self._perturb(seed))
        layout = lay_out(self._scene, seed, self.task.require, round(settings["bystanders"]))
        if self._alone:
            layout = _alone(layout, set(self.task.args.values()))
        return assemble(layout, settings, seed)

    def _put(self, simulation: Simulation, start: tuple[Array, float] | None) -> None:
        """Set the arm to where it begins; what is drawn and touches something is drawn again."""
        tries = 1 if start or not self._start else START_TRIES
        for _ in range(tries):
            q, width = start or (self._start(self.np_random) if self._start else self._home())
            simulation.robot.put(q, width, int(self.np_random.integers(2**31)))
            if not simulation.world.arm_touches():
                return

    def _home(self) -> tuple[Array, float]:
        return self._spec.home, self._spec.gripper.max_width

    def _first_look(self) -> None:
        robot, wanted = self.simulation.robot, set(self.task.args.values())
        for _ in range(round(FIRST_LOOK / robot.period)):
            if wanted <= robot.observe().objects.keys():
                return
            robot.tick()

    def _observe(self) -> dict[str, NDArray[Any]]:
        simulation = self.simulation
        told = features(simulation.robot.observe(), list(self.task.args.values()), simulation.layout.inventory)
        seen = {f"image_{name}": simulation.world.render(name, size) for name, size in self._cameras.items()}
        return {**told, **seen}

    def _observation_space(self) -> gymnasium.spaces.Dict:
        n = len(self._spec.joints)
        sizes = {"q": (n,), "qd": (n,), "tool": (9,), "gripper": (2,), "objects": (len(self.task.args), PER_OBJECT)}
        told = {k: gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32) for k, shape in sizes.items()}
        cameras = self._cameras.items()
        seen = {f"image_{n}": gymnasium.spaces.Box(0, 255, (h, w, 3), np.uint8) for n, (w, h) in cameras}
        return gymnasium.spaces.Dict({**told, **seen})


def _periods(space: ActionSpace, rate_hz: float, robot: RobotSpec) -> int:
    """Control periods per action.

    Raises:
        OptionError: the rate does not divide the control rate, or the robot cannot be commanded in that space.
    """
    periods = robot.control_hz / rate_hz
    if abs(periods - round(periods)) > 1e-6 or round(periods) < 1:
        raise OptionError(f"a rate that divides {robot.control_hz:g} Hz", f"{rate_hz:g} Hz", "choose 10, 25 or 50")
    if problem := problem_of(space, robot):
        raise OptionError("an action space of this robot", str(space), problem)
    return round(periods)


def _alone(layout: Layout, named: set[str]) -> Layout:
    kept = {n: o for n, o in layout.inventory.items() if o.fixed or o.joint is not None or n in named}
    return replace(layout, inventory=kept, poses={n: p for n, p in layout.poses.items() if n in kept})
