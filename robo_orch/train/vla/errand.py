# SPDX-License-Identifier: Apache-2.0
"""What the policy is asked to do: an object, a target, and the words for it."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.skills import skill

#: Ways of asking, by skill; the skill's own template comes besides, half of the time.
WAYS = {
    "pick_place": (
        "place the {object} on the {target}",
        "move the {object} onto the {target}",
        "set the {object} down on the {target}",
        "the {object} should be on the {target}",
        "pick up the {object} and put it on the {target}",
        "bring the {object} to the {target}",
    ),
    "stack": (
        "put the {object} on the {target}",
        "place the {object} on top of the {target}",
        "pile the {object} on the {target}",
        "set the {object} on the {target}",
        "pick up the {object} and stack it on the {target}",
    ),
    "place_in": (
        "place the {object} in the {target}",
        "drop the {object} into the {target}",
        "put the {object} into the {target}",
        "the {object} belongs in the {target}",
        "pick up the {object} and put it in the {target}",
    ),
}
#: How often the skill's own words are used, and another word for a kind (chosen).
PLAIN, SYNONYM = 0.5, 0.05
#: Targets in this scene beside objects that others can be stacked on.
PLACES = ("plate", "tray", "left_side", "middle", "right_side", "bin")
#: Kinds with a top that carries another object (chosen: at least 40 mm wide).
CARRIERS = ("cube", "cylinder", "can", "carton", "sponge", "box")


@dataclass(frozen=True, slots=True)
class Errand:
    """``skill`` with its roles filled: names of objects in the scene."""

    skill: str
    object: str
    target: str

    def words(self, inventory: Inventory, rng: np.random.Generator) -> str:
        """One way of asking for it: the skill's own, or another that is always the same for these two.

        So all ways occur, and yet there are few enough texts to embed them all.
        """
        ways = WAYS[self.skill]
        looks = "".join(f"{inventory[n].colour} {inventory[n].kind}" for n in (self.object, self.target))
        other = ways[zlib.crc32(looks.encode()) % len(ways)]
        way = skill(self.skill).template if rng.random() < PLAIN else other
        called = {role: _called(inventory[name], rng) for role, name in self.args.items()}
        return way.format(**called)

    @property
    def args(self) -> dict[str, str]:
        """Objects by role."""
        return {"object": self.object, "target": self.target}


def errands(inventory: Inventory) -> list[Errand]:
    """All that can be asked for in a scene: of objects that no other one looks like."""
    free = [o for o in inventory.values() if not o.fixed and o.joint is None]
    looks = Counter((o.kind, o.colour) for o in free)
    single = [o for o in free if looks[o.kind, o.colour] == 1]
    found = []
    for thing in (o for o in single if o.movable):
        found += [Errand(_skill(place), thing.name, place) for place in PLACES if place in inventory]
        found += [Errand("stack", thing.name, o.name) for o in single if o.kind in CARRIERS and o is not thing]
    return found


def drawn(choices: Sequence[Errand], rng: np.random.Generator) -> Errand:
    """One of several: first the skill and place are drawn, so that the many stacks do not crowd out the rest."""
    if not choices:
        raise ValueError("nothing to draw from")
    places = sorted({e.target if e.skill != "stack" else "" for e in choices})
    place = places[int(rng.integers(len(places)))]
    there = [e for e in choices if (e.target if e.skill != "stack" else "") == place]
    return there[int(rng.integers(len(there)))]


def _skill(place: str) -> str:
    return "place_in" if place == "bin" else "pick_place"


def _called(spec: ObjectSpec, rng: np.random.Generator) -> str:
    kind = spec.kind.replace("_", " ")
    if spec.words and rng.random() < SYNONYM:
        kind = str(rng.choice(spec.words))
    return f"{spec.colour} {kind}" if spec.colour else kind
