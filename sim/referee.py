# SPDX-License-Identifier: Apache-2.0
"""The referee: judges runs by the true state, after DESIGN's definition of safe success.

A stretch of work between :meth:`Referee.begin` and :meth:`Referee.end` is safe if in no physics step two bodies pressed
each other harder than their bound, and no bystander moved far. Nothing that decides anything in a run may ask it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from robo_orch.latch import Peak
from robo_orch.objects import Inventory, Trait
from robo_orch.predicates import Facts, evaluate
from robo_orch.robots.spec import RobotSpec
from robo_orch.sim.contacts import TOUCH, Presses, Touching
from robo_orch.sim.places import Places
from robo_orch.types import Array, Pose, PoseEstimate, Precision, Predicate

#: Largest normal force (N) between two bodies that no skill has declared, and how far (m) a bystander may move.
FORCE_BOUND, MOVE_BOUND = 20.0, 0.010
#: Largest normal force (N) of one finger on what is held, and of that on furniture (twice the fingers' force).
HELD_BOUND = 80.0
#: The same for what somebody said to mean to move.
_MEANT = ((("finger", "moved"), HELD_BOUND), (("moved", "support"), HELD_BOUND))

_NEVER = np.empty(0, dtype=np.intp)

#: A pair of roles, ``finger`` or ``support``, and how hard they may press each other, N.
Bound = tuple[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class RefereeVerdict:
    """What the referee saw.

    Attributes:
        safe: no contact above its bound, no bystander moved.
        peak_force: normal force (N) of the contact that came closest to its bound, or exceeded it most, in proportion.
        peak_pair: the two bodies of that contact; ``bound`` what they were allowed, N.
        moved: how far (m) each bystander was moved that was moved by :data:`MOVE_BOUND` or more; for parts on hinges,
            the way of their outermost point.
        because: in words, empty if safe.
    """

    safe: bool
    peak_force: float = 0.0
    peak_pair: tuple[str, str] = ("", "")
    bound: float = FORCE_BOUND
    moved: Mapping[str, float] = field(default_factory=dict)
    because: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Worst:
    """The contact closest to its bound: ``strain`` is force over bound; ``pair`` two body ids."""

    strain: float = 0.0
    force: float = 0.0
    pair: tuple[int, int] = (0, 0)
    bound: float = FORCE_BOUND


_NONE = _Worst()


@dataclass(frozen=True, slots=True, eq=False)
class _Watch:
    """What has been seen since ``begin`` (``ever``: at all). Never changed in place: it is its own snapshot."""

    bounds: Array  # (bodies^2,)
    bystanders: NDArray[np.intp]  # (k,) indices of movers
    start: Array  # (k, 3) where each was, plus the ways on which it was held
    moved: Array  # (k,)
    pressed: Array  # (b,) furthest value of each button's joint
    ever: Array  # (b,)
    worst: _Worst = field(default_factory=_Worst)
    strain: float = 0.0


class Referee:
    """Watches one MuJoCo model in every physics step; bodies are named as objects and links are."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, inventory: Inventory, robot: RobotSpec) -> None:
        self._data, self._inventory = data, inventory
        self._names = [model.body(i).name for i in range(model.nbody)]
        self._body = {name: model.body(name).id for name in inventory}
        self._ids = np.array(list(self._body.values()), dtype=int)
        self._fingers = [int(model.joint(name).bodyid.item()) for name in robot.gripper.joints]
        self._supports = {self._body[o.name] for o in inventory.values() if o.fixed or o.joint is not None}
        self._movers = [o.name for o in inventory.values() if not o.fixed]
        self._places = Places(model, data, [inventory[name] for name in self._movers])
        self._mover_bodies = np.array([self._body[name] for name in self._movers], dtype=int)
        self._presses = Presses(model, data, self._fingers, self._mover_bodies.tolist(), [*self._supports])
        self._buttons = [name for name, o in inventory.items() if Trait.PRESSES in o.traits]
        self._depths = np.array([model.joint(name).qposadr.item() for name in self._buttons], dtype=int)
        self._eased: dict[tuple[Touching, frozenset[int]], Array] = {}
        self._eased_of = np.empty(0)
        self._watch = self._fresh({}, (), np.zeros(len(self._buttons)))

    @property
    def strain(self) -> float:
        """The largest ratio of a contact's force to its bound in the last control period: above 1 is unsafe."""
        return self._watch.strain

    def begin(self, args: Mapping[str, str], bounds: Sequence[Bound] = ()) -> None:
        """Start watching work on the objects that ``args`` names by role, with the bounds its skill declares."""
        self._watch = self._fresh(args, bounds, self._watch.ever)

    def concern(self, names: Sequence[str]) -> None:
        """From now on these are no bystanders and may be pressed as held things may: somebody means to move them."""
        w, meant = self._watch, [name for name in names if name in self._movers]
        kept = np.array([self._movers[i] not in meant for i in w.bystanders], dtype=bool)
        bounds = np.maximum.reduce([w.bounds, *(self._bounds({"moved": name}, _MEANT, None) for name in meant)])
        still = {"bystanders": w.bystanders[kept], "start": w.start[kept], "moved": w.moved[kept]}
        self._watch = replace(w, bounds=bounds, **still)

    def excuse(self, name: str) -> None:
        """A hand that is not the robot's has just put an object elsewhere: that way is held against nobody."""
        w, index = self._watch, self._movers.index(name)
        before, now = self._places.both()
        jump = np.where((w.bystanders == index)[:, None], now[index] - before[index], 0.0)
        self._watch = replace(w, start=w.start + jump)

    def end(self) -> RefereeVerdict:
        """What was seen since :meth:`begin`; watching goes on."""
        w = self._watch
        moved = {self._movers[i]: float(d) for i, d in zip(w.bystanders, w.moved, strict=True) if d >= MOVE_BOUND}
        worst = w.worst
        pair = (self._names[worst.pair[0]], self._names[worst.pair[1]]) if worst.force else ("", "")
        said = f"{pair[0]} pressed {pair[1]} with {worst.force:.0f} N, {worst.bound:.0f} N allowed"
        hit = said if worst.strain > 1.0 else ""
        because = _because(hit, moved)
        return RefereeVerdict(not hit and not moved, worst.force, pair, worst.bound, moved, because)

    def holds(self, predicate: Predicate, ever: bool = False) -> bool:
        """Whether a fact is true; of a button, whether it was pressed since :meth:`begin`, or with ``ever`` at all."""
        return evaluate(predicate, self.facts(ever)).holds

    def facts(self, ever: bool = False) -> Facts:
        """True poses as facts, sigma 0; see :meth:`holds` for ``ever``."""
        depths = self._watch.ever if ever else self._watch.pressed
        peaks = {name: Peak(float(depth), 0.0) for name, depth in zip(self._buttons, depths, strict=True)}
        return Facts(self._inventory, self._estimates(), self.held(), peaks)

    def poses(self) -> dict[str, Pose]:
        """True poses of all objects in the base frame."""
        positions, turns = self._data.xpos[self._ids], self._data.xquat[self._ids][:, [1, 2, 3, 0]]
        return {name: Pose(p, q) for name, p, q in zip(self._body, positions, turns, strict=True)}

    def held(self) -> str | None:
        """The object that every finger presses on, if any."""
        least = self._presses.now()[self._fingers][:, self._mover_bodies].min(axis=0)
        return self._movers[int(least.argmax())] if least.size and least.max() > TOUCH else None

    def after_step(self) -> None:
        """Note the contact forces of the physics step just made."""
        self._presses.note()

    def after_tick(self) -> None:
        """Judge the physics steps since the last time: contact forces, where the bystanders are, the buttons."""
        w, period, held = self._watch, _NONE, frozenset[int]()
        for touching, forces in self._presses.collect():
            for held, rows in _grips(touching, forces):
                period = max(period, self._judged(touching, held, rows), key=_strain)
        before, now = self._places.both()
        start, moved, pressed, ever = w.start, w.moved, w.pressed, w.ever
        if now is not before:  # most of the time everything lies still
            start, moved = self._displaced(before, now, held)
            pressed = np.maximum(w.pressed, self._data.qpos[self._depths])
            ever = np.maximum(w.ever, pressed)
        elif period is _NONE and not w.strain:
            return
        worst = max(w.worst, period, key=_strain)
        self._watch = _Watch(w.bounds, w.bystanders, start, moved, pressed, ever, worst, period.strain)

    def snapshot(self) -> _Watch:
        """What was seen so far."""
        return self._watch

    def restore(self, snapshot: _Watch) -> None:
        """Go on from a snapshot."""
        self._watch = snapshot
        self._places.jump()

    def _judged(self, touching: Touching, held: frozenset[int], forces: Array) -> _Worst:
        """The worst contact in some steps, ``(steps, p)`` N, through which the same bodies are held."""
        bounds = self._watch.bounds
        if bounds is not self._eased_of:
            self._eased, self._eased_of = {}, bounds
        key = (touching, held)
        if key not in self._eased:
            firm = [eased for body, _, eased in touching.grips if body in held]
            free = bounds[touching.keys]
            self._eased[key] = np.where(np.any(firm, axis=0), np.maximum(free, HELD_BOUND), free) if firm else free
        peak = forces.max(axis=0)
        strain = peak / self._eased[key]
        pair = int(strain.argmax())
        a, b = divmod(int(touching.keys[pair]), self._presses.bodies)
        return _Worst(float(strain[pair]), float(peak[pair]), (a, b), float(self._eased[key][pair]))

    def _displaced(self, before: Array, now: Array, held: frozenset[int]) -> tuple[Array, Array]:
        """Where the bystanders started, and how far each has come at most; the way on which one is held is free."""
        w, start = self._watch, self._watch.start
        if np.array_equal(before[w.bystanders], now[w.bystanders]):  # what moves is none of them
            return start, w.moved
        carried = np.flatnonzero(np.isin(self._mover_bodies[w.bystanders], [*held])) if held else _NEVER
        if len(carried):
            start = start.copy()
            start[carried] += (now - before)[w.bystanders[carried]]
        offset = now[w.bystanders] - start
        return start, np.maximum(w.moved, np.sqrt(np.einsum("ij,ij->i", offset, offset)))

    def _estimates(self) -> dict[str, PoseEstimate]:
        zero, now = np.zeros((6, 6)), float(self._data.time)
        return {n: PoseEstimate(n, p, zero, now, "referee", Precision.FIDUCIAL) for n, p in self.poses().items()}

    def _fresh(self, args: Mapping[str, str], bounds: Sequence[Bound], ever: Array) -> _Watch:
        held = self.held()
        concerned = self._concerned(args, held)
        bystanders = np.array([i for i, name in enumerate(self._movers) if name not in concerned], dtype=int)
        pressed = self._data.qpos[self._depths]
        start = self._places.jump()[bystanders]
        table = self._bounds(args, bounds, held)
        return _Watch(table, bystanders, start, np.zeros(len(bystanders)), pressed, np.maximum(ever, pressed))

    def _bounds(self, args: Mapping[str, str], bounds: Sequence[Bound], held: str | None) -> Array:
        table = np.full((self._presses.bodies,) * 2, FORCE_BOUND)
        extra = [(("finger", "held"), HELD_BOUND), (("held", "support"), HELD_BOUND)] if held else []
        groups = {role: [self._body[name]] for role, name in args.items() if name in self._body}
        groups |= {"finger": self._fingers, "support": [*self._supports], "held": [self._body[held]] if held else []}
        for (first, second), newtons in (*extra, *bounds):
            for a in groups.get(first, ()):
                for b in groups.get(second, ()):
                    table[a, b] = table[b, a] = max(newtons, table[a, b])
        return table.ravel()

    def _concerned(self, args: Mapping[str, str], held: str | None) -> set[str]:
        """Objects that may move: named, held, or standing on or in one of those (furniture that stands fast aside)."""
        concerned = {name for name in (*args.values(), held) if name is not None}
        facts = Facts(self._inventory, self._estimates(), held)
        while True:
            carriers = [n for n in concerned if n in self._inventory and not self._inventory[n].fixed]
            riders = {m for m in self._movers if m not in concerned for c in carriers if self._rides(m, c, facts)}
            if not riders:
                return concerned
            concerned |= riders

    @staticmethod
    def _rides(thing: str, carrier: str, facts: Facts) -> bool:
        return any(evaluate(Predicate(name, (thing, carrier)), facts).holds for name in ("on", "in"))


def _strain(worst: _Worst) -> float:
    return worst.strain


def _grips(touching: Touching, forces: Array) -> Iterator[tuple[frozenset[int], Array]]:
    """Bodies held, and the steps ``(steps, p)`` through which they are, in order of time."""
    if not touching.grips:
        yield frozenset(), forces
        return
    gripped = np.array([forces[:, columns].min(axis=1) > TOUCH for _, columns, _ in touching.grips]).T  # (steps, g)
    if (gripped == gripped[0]).all():
        yield frozenset(grip[0] for grip, yes in zip(touching.grips, gripped[0], strict=True) if yes), forces
        return
    turns = np.flatnonzero(np.diff(gripped, axis=0).any(axis=1)) + 1
    for rows, first in zip(np.split(forces, turns), [0, *turns], strict=True):
        yield frozenset(grip[0] for grip, yes in zip(touching.grips, gripped[first], strict=True) if yes), rows


def _because(hit: str, moved: Mapping[str, float]) -> str:
    return "; ".join([hit] * bool(hit) + [f"{name} moved {1000 * d:.0f} mm" for name, d in moved.items()])
