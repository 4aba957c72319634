# SPDX-License-Identifier: Apache-2.0
"""Which objects a layout has: what is always there, what is required, what a seed adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from robo_orch.catalogue import kind, make_object
from robo_orch.errors import SceneError, unknown
from robo_orch.objects import ObjectSpec
from robo_orch.sim.scenes.scene import SceneSpec
from robo_orch.sim.scenes.sets import Pair

#: What a goal needs to be in the scene: (kind, colour), colour empty for any.
Requirement = tuple[str, str]

#: Share of the objects drawn for a held-out stratum that are of what is held out, beside the first (chosen).
FEATURED = 0.5


class Chooser:
    """Draws kinds and colours for one seed of a scene; the same seed gives the same ones.

    A required kind or colour comes whatever set the seed is in; what is drawn besides is never held out elsewhere.

    Args:
        standing: kinds that the scene's furniture has, which satisfy a requirement as they stand.

    Raises:
        SceneError: from :meth:`choose`, a requirement names what this scene does not have.
    """

    def __init__(self, scene: SceneSpec, seed: int, standing: set[str], rng: np.random.Generator) -> None:
        self._scene, self._seed, self._standing, self._rng = scene, seed, standing, rng
        self._offers: Mapping[str, Sequence[str]] = {e.kind: e.colours for e in (*scene.always, *scene.pool)}
        self._chosen: list[Pair] = []

    def choose(self, require: Sequence[Requirement]) -> tuple[list[Pair], int]:
        """Kinds and colours, and how many of the first of them must be there; the rest may be left out."""
        for name, colour in require:
            self._check_offered(name, colour)
        self._chosen = [(e.kind, str(self._rng.choice(e.colours)) if e.colours else "") for e in self._scene.always]
        fixed = len(self._chosen)
        self._add_required(Counter(pair for pair in require if pair[0] not in self._standing))
        needed = len(self._chosen)
        low, high = self._scene.count
        self._fill(fixed + int(self._rng.integers(low, high + 1)))
        return self._chosen, needed

    def bystanders(self, n: int, kinds: Sequence[str], chosen: Sequence[Pair]) -> list[Pair]:
        """Things that only stand about, unlike what is there if possible."""
        self._chosen = list(chosen)
        allowed = [k for k in kinds if self._unused(k, self._allowed)] or list(kinds)
        for _ in range(n):
            self._chosen.append(self._another(str(self._rng.choice(allowed)), self._allowed))
        return self._chosen[len(chosen) :]

    def _add_required(self, wanted: Counter[Requirement]) -> None:
        for pair, n in wanted.items():
            if pair[1]:
                self._chosen += [pair] * (n - self._chosen.count(pair))
        for name in sorted({name for name, _ in wanted}):
            missing = sum(n for (k, _), n in wanted.items() if k == name) - sum(k == name for k, _ in self._chosen)
            for _ in range(missing):
                self._chosen.append(self._another(name, self._allowed))

    def _fill(self, total: int) -> None:
        pool = [e.kind for e in self._scene.pool]
        featured = len(self._chosen)
        while len(self._chosen) < total:
            wish = self._featured if len(self._chosen) == featured or self._rng.random() < FEATURED else self._allowed
            may = wish if any(self._unused(k, wish) for k in pool) else self._allowed
            free = [k for k in pool if self._unused(k, may)]
            if not free:
                break
            self._chosen.append(self._another(str(self._rng.choice(free)), may))

    def _allowed(self, pair: Pair) -> bool:
        return self._scene.sets.allows(self._seed, pair)

    def _featured(self, pair: Pair) -> bool:
        return self._scene.sets.features(self._seed, pair)

    def _unused(self, name: str, may: Callable[[Pair], bool]) -> list[str]:
        pairs = [(name, c) for c in self._offers[name] or ("",)]
        return [pair[1] for pair in pairs if pair not in self._chosen and may(pair)]

    def _another(self, name: str, may: Callable[[Pair], bool]) -> Pair:
        offers = self._offers[name] or ("",)
        allowed = [c for c in offers if may((name, c))]
        return name, str(self._rng.choice(self._unused(name, may) or allowed or offers))

    def _check_offered(self, name: str, colour: str) -> None:
        if name not in self._offers and name not in self._standing:
            raise unknown(SceneError, "a kind in this scene", name, {*self._offers, *self._standing})
        if colour and colour not in self._offers.get(name, ()):
            raise unknown(SceneError, f"a colour of {name} in this scene", colour, self._offers.get(name, ()))


def make(chosen: Sequence[Pair], rng: np.random.Generator, taken: Sequence[str] = ()) -> dict[str, ObjectSpec]:
    """Objects by name, of any size their kinds come in; a second red cube is ``red_cube_2``."""
    made: dict[str, ObjectSpec] = {}
    for name, colour in chosen:
        low, high = kind(name).scales
        base = f"{colour}_{name}" if colour else name
        unique, n = base, 1
        while unique in made or unique in taken:
            n += 1
            unique = f"{base}_{n}"
        made[unique] = make_object(name, unique, colour, float(rng.uniform(low, high)))
    return made
