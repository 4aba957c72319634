# SPDX-License-Identifier: Apache-2.0
"""The nearest thing that would have been understood, for people whose goal was not."""

from __future__ import annotations

import re
from collections.abc import Callable

from rapidfuzz import fuzz, process

from robo_orch.objects import Inventory, ObjectSpec, Trait
from robo_orch.planners.english import phrase
from robo_orch.planners.reference import exactly
from robo_orch.planners.vocabulary import Vocabulary

#: What can be asked for; {x}, {y}: things, {b}: something hollow, {r}: a region, {d}: something that opens,
#: {p}: a button, {t}: a knob.
PHRASES = (
    "put the {x} on the {y}",
    "put the {x} in the {b}",
    "put the {x} on the {r}",
    "push the {x} to the {r}",
    "stack the {x} on the {y}",
    "take the {x} off the {y}",
    "leave the {x} off the {y}",
    "make sure the {x} is not on the {y}",
    "the {x} is on the {y}",
    "put everything on the {y}",
    "open the {d}",
    "close the {d}",
    "press the {p}",
    "turn the {t}",
    "clear the {y}",
)
_MADE_FOR: dict[str, Callable[[ObjectSpec], bool]] = {
    "x": lambda spec: spec.movable,
    "y": lambda spec: spec.fixed and bool(spec.geoms) and bool(spec.surfaces),
    "b": lambda spec: spec.interior is not None,
    "d": lambda spec: spec.opens,
    "p": lambda spec: Trait.PRESSES in spec.traits,
    "t": lambda spec: Trait.TURNS in spec.traits,
    "r": lambda spec: Trait.REGION in spec.traits,
}


def nearest(
    text: str,
    vocabulary: Vocabulary,
    inventory: Inventory | None = None,
    works: Callable[[str], bool] = lambda sentence: True,
) -> str:
    """A remedy that quotes the sentence nearest to ``text`` of those that work, said about objects that exist."""
    examples = _of_vocabulary(vocabulary) if inventory is None else _of_inventory(inventory)
    sentences = [p.format(**examples) for p in PHRASES if all(key in examples for key in re.findall(r"{(\w)}", p))]
    ranked = process.extract(text[:200].casefold(), sentences, scorer=fuzz.ratio, limit=None)
    found = next((sentence for sentence, *_ in ranked if works(sentence)), "")
    return f'say it like "{found}"' if found else "say what shall be where, with names of objects in the scene"


def _of_inventory(inventory: Inventory) -> dict[str, str]:
    found = {}
    for key, fits in _MADE_FOR.items():
        if name := next((name for name, spec in inventory.items() if fits(spec)), ""):
            found[key] = exactly(name, inventory)
    return found


def _of_vocabulary(vocabulary: Vocabulary) -> dict[str, str]:
    kinds = sorted({k for noun in vocabulary.nouns.values() for k in noun.kinds} - vocabulary.given)
    said = [phrase(f"{min(vocabulary.shades.get(kind, ()), default='')} {kind}") for kind in kinds] or ["cube"]
    return {"x": said[0], "y": said[-1] if len(said) > 1 else "table"}
