# SPDX-License-Identifier: Apache-2.0
"""A policy card, as JSON and for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text as Words

from robo_orch.policies.card import PolicyCard, measured
from robo_orch.policies.loaders import version
from robo_orch.policies.observation import Features, Image, Input, Prefix, Statistics, Text

#: What is shown under one of the other headings.
_ELSEWHERE = {"schema", "id", "family", "description", "observation", "outputs", "start", "parameters", "robots"}


def told(card: PolicyCard) -> dict[str, Any]:
    """All that the card says, with the version of its weights or code, where it lies, and what was measured."""
    said = card.model_dump(mode="json", by_alias=True)
    more = {"version": version(card), "folder": str(card.folder), "measured": measured(card)}
    return said | more | {"preconditions": [_fact(f) for f in card.preconditions]}


def show(card: PolicyCard) -> None:
    """The same on stdout, for a person."""
    console = Console(highlight=False)
    console.print(f"{card.id}  {card.family}, version {version(card)}", markup=False, style="bold")
    console.print(" ".join(card.description.split()), markup=False)
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for key, text in _rows(card):
        table.add_row(key, Words(text))
    console.print(table)


def _rows(card: PolicyCard) -> Iterator[tuple[str, str]]:
    said = card.model_dump(mode="json", by_alias=True)
    yield "card in", str(card.folder)
    for key, value in said.items():
        if key == "preconditions":
            yield key, "; ".join(_fact(fact) for fact in card.preconditions) or "those of its skills"
        elif key not in _ELSEWHERE:
            yield key, _plain(value)
    for name, spec in card.observation.items():
        yield f"input {name}", _input(spec)
    if card.observation:
        yield "outputs", _plain({k: v for k, v in said["outputs"].items() if v})
    yield "robots", ", ".join(card.robots) or "any that its actions fit"
    yield "start set", _plain(said["start"]) if card.start else "none declared: from anywhere"
    for name, value in card.parameters.items():
        yield f"parameter {name}", str(value)
    figures = measured(card)
    for name, value in figures.items():
        yield f"measured {name}", _plain(value)
    if not figures:
        yield "measured", "nothing yet (measured.json beside the card)"


def _input(spec: Input) -> str:
    match spec:
        case Features():
            ranges = f", {len(spec.low)} ranges" if spec.low else ", no ranges"
            return f"{', '.join(spec.keys)}; {_normalize(spec.normalize)}{ranges}"
        case Image():
            size = f"{spec.size[0]} x {spec.size[1]} {spec.dtype} {spec.layout}"
            return f"camera {spec.camera}, {size}; {_normalize(spec.normalize)}"
        case Text():
            return "the instruction" + (f", embedded by {spec.encoder}" if spec.encoder != "none" else "")
        case Prefix():
            return f"committed actions, their number in {spec.length}"


def _normalize(how: str | Statistics) -> str:
    words = {"fused": "normalised in the model", "none": "raw numbers"}
    return f"{len(how.mean)} statistics" if isinstance(how, Statistics) else words[how]


def _fact(fact: Any) -> str:
    return f"{'not ' if fact.negated else ''}{fact.name}({', '.join(fact.roles)})"


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_plain(v)}" for key, v in value.items())
    if isinstance(value, list | tuple):
        return f"[{', '.join(_plain(v) for v in value)}]" if value else "none"
    return {None: "none", True: "yes", False: "no", "": "none"}.get(value, str(value)) if _named(value) else str(value)


def _named(value: Any) -> bool:
    return value is None or isinstance(value, bool | str)
