# SPDX-License-Identifier: Apache-2.0
"""From a card to a living policy: ``onnx:model.onnx`` beside the card, or ``python:package.module:Class``."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from robo_orch.errors import CardError, unknown
from robo_orch.objects import Inventory
from robo_orch.policies.card import PolicyCard
from robo_orch.robots import RobotSpec
from robo_orch.types import Policy

#: What may stand before the colon of a card's loader.
LOADERS = ("onnx", "python")


@dataclass(frozen=True, slots=True, eq=False)
class PolicyContext:
    """What a policy is given when it is made: the body it moves, what may be in the scene, its card, how fast.

    ``speed`` in (0, 1] scales the robot's velocity limits.
    """

    robot: RobotSpec
    inventory: Inventory
    card: PolicyCard
    speed: float = 1.0


def load_policy(context: PolicyContext) -> Policy:
    """Make the policy that a card describes.

    Raises:
        CardError: unknown loader, missing module or class, or a class that is no policy.
    """
    policy = _factory(context.card)(context)
    for method in ("reset", "act", "close"):
        if not callable(getattr(policy, method, None)):
            got = f"{context.card.loader} without {method}()"
            raise CardError("a policy with reset, act and close", got, "implement robo_orch.types.Policy")
    return policy


def version(card: PolicyCard) -> str:
    """Twelve hex digits over the card and its weights, or the code of its policy.

    Changes when the policy's behaviour may have changed.
    """
    digest = hashlib.sha256(card.model_dump_json().encode())
    for path in _sources(card):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _sources(card: PolicyCard) -> list[Path]:
    """The files that decide how a policy behaves: its weights, or every module beside the one it loads."""
    kind, _, reference = card.loader.partition(":")
    if kind == "onnx":
        return [path for path in (card.folder / reference,) if path.is_file()]
    source = inspect.getsourcefile(sys.modules[_factory(card).__module__])
    return sorted(Path(source).parent.glob("*.py")) if source else []


def _factory(card: PolicyCard) -> Callable[[PolicyContext], Policy]:
    kind, _, reference = card.loader.partition(":")
    if kind not in LOADERS:
        raise unknown(CardError, f"a loader for {card.id}", kind, LOADERS)
    if kind == "onnx":
        from robo_orch.policies.network import NetworkPolicy

        return NetworkPolicy
    module_name, _, attribute = reference.partition(":")
    try:
        factory = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        remedy = "install the package that holds it or correct the card's loader"
        raise CardError(f"what {card.id} loads", f"{card.loader!r}: {error}", remedy) from error
    if not inspect.isclass(factory):
        raise CardError(f"a class that {card.id} loads", f"{card.loader!r}, which is none", "correct the card's loader")
    return cast("Callable[[PolicyContext], Policy]", factory)
