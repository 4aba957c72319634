# SPDX-License-Identifier: Apache-2.0
"""The nearest thing that would have been understood, for people whose goal was not."""

from __future__ import annotations

from rapidfuzz import fuzz, process

from robo_orch.objects import Inventory
from robo_orch.planners.english import phrase
from robo_orch.planners.vocabulary import Vocabulary

#: What can be asked for; {x}, {y}: things, {d}: something that opens, {b}: something hollow.
PHRASES = (
    "put the {x} on the {y}",
    "put the {x} in the {b}",
    "stack the {x} on the {y}",
    "take the {x} off the {y}",
    "leave the {x} off the {y}",
    "make sure the {x} is not on the {y}",
    "the {x} is on the {y}",
    "put everything on the {y}",
    "open the {d}",
    "close the {d}",
    "clear the {y}",
)


def nearest(text: str, vocabulary: Vocabulary, inventory: Inventory | None = None) -> str:
    """A remedy that quotes the sentence nearest to ``text``, said about objects that exist."""
    x, y, b, d = _examples(vocabulary, inventory)
    sentences = [p.format(x=x, y=y, b=b, d=d) for p in PHRASES if all(_filled(p, {"b": b, "d": d}))]
    found = process.extractOne(text[:200].casefold(), sentences, scorer=fuzz.ratio)
    return f'say it like "{found[0] if found else sentences[0]}"'


def _filled(pattern: str, examples: dict[str, str]) -> list[bool]:
    return [bool(word) for key, word in examples.items() if f"{{{key}}}" in pattern]


def _examples(vocabulary: Vocabulary, inventory: Inventory | None) -> tuple[str, str, str, str]:
    if inventory is None:
        kinds = sorted({k for noun in vocabulary.nouns.values() for k in noun.kinds} - vocabulary.given)
        said = [phrase(f"{min(vocabulary.shades.get(kind, ()), default='')} {kind}") for kind in kinds] or ["cube"]
        return said[0], said[-1] if len(said) > 1 else "table", "", ""
    specs = list(inventory.values())
    x = next((s for s in specs if s.movable), specs[0] if specs else None)
    y = next((s for s in specs if s.surfaces and not s.movable), x)
    b = next((s for s in specs if s.interior is not None), None)
    d = next((s for s in specs if s.joint is not None), None)
    said = [phrase(s.name) if s else "" for s in (x, y, b, d)]
    return said[0], said[1], said[2], said[3]
