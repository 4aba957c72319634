# SPDX-License-Identifier: Apache-2.0
"""From a card to a living policy: ``python:package.module:Class`` for now."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from robo_orch.errors import CardError
from robo_orch.objects import Inventory
from robo_orch.policies.card import PolicyCard
from robo_orch.robots import RobotSpec
from robo_orch.types import Policy


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
    """Twelve hex digits over the card and the code of its policy (every module beside the one it loads).

    Changes when the policy's behaviour may have changed.
    """
    source = inspect.getsourcefile(sys.modules[_factory(card).__module__])
    digest = hashlib.sha256(card.model_dump_json().encode())
    for path in sorted(Path(source).parent.glob("*.py") if source else ()):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _factory(card: PolicyCard) -> Callable[[PolicyContext], Policy]:
    kind, _, reference = card.loader.partition(":")
    if kind != "python":
        raise CardError("a loader among python", f"{card.loader!r} in {card.id}", "use python:package.module:Class")
    module_name, _, attribute = reference.partition(":")
    try:
        factory = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        remedy = "install the package that holds it or correct the card's loader"
        raise CardError(f"what {card.id} loads", f"{card.loader!r}: {error}", remedy) from error
    if not inspect.isclass(factory):
        raise CardError(f"a class that {card.id} loads", f"{card.loader!r}, which is none", "correct the card's loader")
    return cast("Callable[[PolicyContext], Policy]", factory)
