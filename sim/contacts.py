# SPDX-License-Identifier: Apache-2.0
"""How hard bodies press each other: noted in every physics step, summed up once in a control period.

Reading MuJoCo's contact arrays is all that is done in a step; everything else waits until the period is over, and
is done for all steps at once that had the same geoms in contact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from robo_orch.types import Array

#: A pad touches an object if it presses with more than this, N (chosen).
TOUCH = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Touching:
    """Which bodies touch in a run of physics steps.

    Attributes:
        keys: ``(p,)`` pairs of bodies: smaller body * number of bodies + larger body.
        spread: ``(c, p)`` 1 where a contact belongs to a pair.
        grips: for each body that every finger touches: its id, the columns of those pairs, and ``(p,)`` whether a pair
            is one of those or the body's own with a support.
    """

    keys: NDArray[np.intp]
    spread: Array
    grips: tuple[tuple[int, NDArray[np.intp], NDArray[np.bool_]], ...]


class Presses:
    """The normal forces between bodies of one model.

    Args:
        fingers: the bodies that hold something when all of them press on it.
        holdable: bodies that can be held; ``supports`` furniture, on which what is held may be pressed.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        fingers: Sequence[int],
        holdable: Sequence[int],
        supports: Sequence[int],
    ) -> None:
        self._data, self.bodies = data, model.nbody
        self._fingers, self._holdable, self._supports = fingers, set(holdable), set(supports)
        body = np.asarray(model.geom_bodyid)
        self._pair_of = np.minimum(body[:, None], body) * model.nbody + np.maximum(body[:, None], body)
        self._known: dict[bytes, Touching] = {}
        self._geoms = b""
        self._rows: list[tuple[Array, Array]] = []
        self._done: list[tuple[bytes, list[tuple[Array, Array]]]] = []

    def note(self) -> None:
        """Note the contacts of the physics step just made."""
        if not self._data.ncon:
            return
        contact = self._data.contact
        geom, address = contact.geom, contact.efc_address
        geoms = geom.tobytes()
        if geoms != self._geoms:
            self._turn_over()
            self._geoms = geoms
            if geoms not in self._known:
                self._known[geoms] = self._touching(geom)
        # With elliptic cones a contact's first row is its normal force; contacts without a row exert none.
        self._rows.append((address.copy(), self._data.efc_force[address]))

    def collect(self) -> Iterator[tuple[Touching, Array]]:
        """What was noted since the last time: who touches, and forces ``(steps, p)``, N, in order of time."""
        self._turn_over()
        done, self._done = self._done, []
        for geoms, rows in done:
            touching = self._known[geoms]
            force = np.array([force for _, force in rows])
            if rows[0][0].min() < 0:
                force[np.array([address for address, _ in rows]) < 0] = 0.0
            yield touching, force @ touching.spread
        if len(self._known) > 512:  # what touched long ago
            self._known, self._geoms = {}, b""

    def now(self) -> Array:
        """Normal forces between all bodies at this moment, N, ``(bodies, bodies)``, symmetric."""
        contact, n = self._data.contact, self.bodies
        active = contact.efc_address >= 0
        pairs = self._pair_of[contact.geom[active, 0], contact.geom[active, 1]]
        forces = self._data.efc_force[contact.efc_address[active]]
        table: Array = np.bincount(pairs, weights=forces, minlength=n**2).reshape(n, n).astype(float)
        return table + table.T

    def _turn_over(self) -> None:
        if self._rows:
            self._done.append((self._geoms, self._rows))
            self._rows = []

    def _touching(self, geom: NDArray[np.int32]) -> Touching:
        keys, which = np.unique(self._pair_of[geom[:, 0], geom[:, 1]], return_inverse=True)
        spread = np.zeros((len(geom), len(keys)))
        spread[np.arange(len(geom)), which.ravel()] = 1.0
        column = {int(key): i for i, key in enumerate(keys)}
        pairs = [set(divmod(int(key), self.bodies)) for key in keys]
        grips = []
        for body in sorted(self._holdable & set().union(*pairs)):
            fingers = [min(f, body) * self.bodies + max(f, body) for f in self._fingers]
            if all(pair in column for pair in fingers):
                firm = self._supports | set(self._fingers)
                eased = np.array([body in pair and bool((pair - {body}) & firm) for pair in pairs])
                grips.append((body, np.array([column[pair] for pair in fingers]), eased))
        return Touching(keys, spread, tuple(grips))
