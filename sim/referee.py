# SPDX-License-Identifier: Apache-2.0
"""The referee: judges runs by the true state, after DESIGN's definition of safe success.

A stretch of work between :meth:`Referee.begin` and :meth:`Referee.end` is safe if in no physics step two bodies pressed
each other harder than their bound, and no bystander moved far. Nothing that decides anything in a run may ask it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import mujoco
import numpy as np

from robo_orch.latch import Peak
from robo_orch.objects import Inventory, Trait
from robo_orch.predicates import Facts, evaluate
from robo_orch.robots.spec import RobotSpec
from robo_orch.types import Pose, PoseEstimate, Precision, Predicate

#: Largest normal force (N) between two bodies that no skill has declared, and how far (m) a bystander may move.
FORCE_BOUND, MOVE_BOUND = 20.0, 0.010
#: Largest normal force (N) of one finger on what was already held when the work began (twice the force cap).
HELD_BOUND = 80.0
#: A pad touches an object if it presses with more than this, N (chosen).
TOUCH = 0.2

#: A pair of roles, ``finger`` or ``support``, and how hard they may press each other, N.
Bound = tuple[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class RefereeVerdict:
    """What the referee saw.

    Attributes:
        safe: no contact above its bound, no bystander moved.
        peak_force: normal force (N) of the contact that exceeded its bound most or came closest to it; 0 if none
            came near.
        peak_pair: the two bodies of that contact; ``bound`` what they were allowed, N.
        moved: largest displacement (m) of each bystander that moved :data:`MOVE_BOUND` or more.
        because: in words, empty if safe.
    """

    safe: bool
    peak_force: float = 0.0
    peak_pair: tuple[str, str] = ("", "")
    bound: float = FORCE_BOUND
    moved: Mapping[str, float] = field(default_factory=dict)
    because: str = ""


@dataclass(slots=True)
class _Watch:
    """What has been seen since ``begin`` (``ever``: at all): a copy of it is all that a snapshot needs."""

    bounds: np.ndarray
    bystanders: np.ndarray  # body ids
    start: np.ndarray  # (k, 3)
    moved: np.ndarray  # (k,)
    pressed: np.ndarray  # (b,) furthest value of each button's joint
    ever: np.ndarray  # (b,)
    excess: float = -FORCE_BOUND  # of the worst pair over its bound; nothing below is worth telling
    force: float = 0.0
    pair: int = 0


class Referee:
    """Watches one MuJoCo model in every physics step; bodies are named as objects and links are."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, inventory: Inventory, robot: RobotSpec) -> None:
        self._model, self._data, self._inventory = model, data, inventory
        self._n = model.nbody
        self._names = [model.body(i).name for i in range(model.nbody)]
        self._body = {name: model.body(name).id for name in inventory}
        self._ids = np.array(list(self._body.values()), dtype=int)
        self._fingers = [int(model.joint(name).bodyid.item()) for name in robot.gripper.joints]
        self._supports = [self._body[o.name] for o in inventory.values() if o.fixed or o.joint is not None]
        self._movers = [o.name for o in inventory.values() if not o.fixed]
        self._pair_of = _pair_table(np.asarray(model.geom_bodyid), model.nbody)
        self._buttons = [name for name, o in inventory.items() if Trait.PRESSES in o.traits]
        joints = [model.body(name).jntadr[0] for name in self._buttons]
        self._depths = np.array([model.jnt_qposadr[j] for j in joints], dtype=int)
        self._watch = self._fresh({}, (), np.zeros(len(joints)))

    def begin(self, args: Mapping[str, str], bounds: Sequence[Bound] = ()) -> None:
        """Start watching work on the objects that ``args`` names by role, with the bounds its skill declares."""
        self._watch = self._fresh(args, bounds, self._watch.ever)

    def end(self) -> RefereeVerdict:
        """What was seen since :meth:`begin`; watching goes on."""
        w = self._watch
        names = [self._names[i] for i in w.bystanders]
        moved = {n: float(d) for n, d in zip(names, w.moved, strict=True) if d >= MOVE_BOUND}
        if not w.force:
            return RefereeVerdict(not moved, moved=moved, because=_because("", moved))
        a, b = divmod(w.pair, self._n)
        pair, bound = (self._names[a], self._names[b]), float(w.bounds[w.pair])
        hit = f"{pair[0]} pressed {pair[1]} with {w.force:.0f} N, {bound:.0f} N allowed" if w.excess > 0 else ""
        return RefereeVerdict(not hit and not moved, w.force, pair, bound, moved, _because(hit, moved))

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
        pairs, forces = self._contacts()
        press = np.bincount(pairs, weights=forces, minlength=self._n**2).reshape(self._n, self._n)
        press = press + press.T
        movers = [self._body[name] for name in self._movers]
        least = press[np.ix_(self._fingers, movers)].min(axis=0)
        return self._movers[int(least.argmax())] if least.size and least.max() > TOUCH else None

    def after_step(self) -> None:
        """Look at the contact forces of the physics step just made."""
        if not self._data.ncon:
            return
        w = self._watch
        pairs, forces = self._contacts()
        if forces.sum() <= FORCE_BOUND + max(0.0, w.excess):
            return  # no bound is below the general one, so nothing here exceeds a bound by more than what was seen
        total = np.bincount(pairs, weights=forces, minlength=self._n**2)
        excess = total - w.bounds
        worst = int(excess.argmax())
        if excess[worst] > w.excess:
            w.excess, w.force, w.pair = float(excess[worst]), float(total[worst]), worst

    def after_tick(self) -> None:
        """Look at where the bystanders are, and how far down the buttons."""
        w = self._watch
        if len(self._depths):
            np.maximum(w.pressed, self._data.qpos[self._depths], out=w.pressed)
            np.maximum(w.ever, w.pressed, out=w.ever)
        if len(w.bystanders):
            np.maximum(w.moved, np.linalg.norm(self._data.xpos[w.bystanders] - w.start, axis=1), out=w.moved)

    def snapshot(self) -> _Watch:
        """A copy of what was seen so far."""
        w = self._watch
        seen = (w.moved.copy(), w.pressed.copy(), w.ever.copy())
        return _Watch(w.bounds, w.bystanders, w.start, *seen, w.excess, w.force, w.pair)

    def restore(self, snapshot: _Watch) -> None:
        """Go on from a copy."""
        self._watch = snapshot
        self._watch = self.snapshot()

    def _estimates(self) -> dict[str, PoseEstimate]:
        zero, now = np.zeros((6, 6)), float(self._data.time)
        return {n: PoseEstimate(n, p, zero, now, "referee", Precision.FIDUCIAL) for n, p in self.poses().items()}

    def _contacts(self) -> tuple[np.ndarray, np.ndarray]:
        """Keys of the body pairs ``(c,)`` and normal forces ``(c,)`` N of all active contacts."""
        contact = self._data.contact
        address = contact.efc_address
        active = address >= 0
        if not active.all():
            address, geom = address[active], contact.geom[active]
        else:
            geom = contact.geom
        # With elliptic cones a contact's first row is its normal force.
        return self._pair_of[geom[:, 0], geom[:, 1]], self._data.efc_force[address]

    def _fresh(self, args: Mapping[str, str], bounds: Sequence[Bound], ever: np.ndarray) -> _Watch:
        held = self.held()
        bystanders = [name for name in self._movers if name not in self._concerned(args, held)]
        ids = np.array([self._body[name] for name in bystanders], dtype=int)
        pressed = self._data.qpos[self._depths].copy()
        start = self._data.xpos[ids].copy()
        return _Watch(
            self._bounds(args, bounds, held), ids, start, np.zeros(len(ids)), pressed, np.maximum(ever, pressed)
        )

    def _bounds(self, args: Mapping[str, str], bounds: Sequence[Bound], held: str | None) -> np.ndarray:
        table = np.full((self._n, self._n), FORCE_BOUND)
        extra = [(("finger", "held"), HELD_BOUND), (("held", "support"), HELD_BOUND)] if held else []
        groups = {role: [self._body[name]] for role, name in args.items() if name in self._body}
        groups |= {"finger": self._fingers, "support": self._supports, "held": [self._body[held]] if held else []}
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


def _pair_table(geom_body: np.ndarray, bodies: int) -> np.ndarray:
    """Key of the body pair of two geoms, smaller body first, ``(geoms, geoms)``."""
    a, b = geom_body[:, None], geom_body[None, :]
    return np.minimum(a, b) * bodies + np.maximum(a, b)


def _because(hit: str, moved: Mapping[str, float]) -> str:
    return "; ".join([hit] * bool(hit) + [f"{name} moved {1000 * d:.0f} mm" for name, d in moved.items()])
