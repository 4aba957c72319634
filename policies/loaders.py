# SPDX-License-Identifier: Apache-2.0
"""From a card to a living policy: ``onnx:model.onnx`` beside the card, or ``python:package.module:Class``."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import cast

from robo_orch.errors import CardError, UserError, unknown
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.context import PolicyContext as PolicyContext
from robo_orch.policies.contract import camera_problems, check, robot_problems
from robo_orch.robots import RobotSpec
from robo_orch.types import Policy

#: What may stand before the colon of a card's loader.
LOADERS = ("onnx", "python")


def preflight(card: PolicyCard, robot: RobotSpec, cameras: Iterable[str] | None = None) -> None:
    """Check all that can be checked before anything is loaded.

    Args:
        cameras: names of the robot's cameras, ``None`` where they are not known yet.

    Raises:
        CardError: an unknown loader, missing files, or a card that does not fit robot and cameras; all that is wrong.
    """
    kind = card.loader.partition(":")[0]
    if kind not in LOADERS:
        raise unknown(CardError, f"a loader for {card.id}", kind, LOADERS)
    check(card, [*robot_problems(card, robot), *(camera_problems(card, cameras) if cameras is not None else [])])
    if kind == "onnx":
        from robo_orch.policies.network import model_path

        model_path(card)
    if card.golden and (kind != "onnx" or not (card.folder / card.golden).is_file()):
        got = "none there" if kind == "onnx" else f"a {kind}: loader, whose model is not seen"
        remedy = "fetch it or export it again, or leave golden out"
        raise CardError(f"a golden vector {card.golden} beside the card and model of {card.id}", got, remedy)


def load_policy(context: PolicyContext) -> Policy:
    """Make the policy that a card describes, once :func:`preflight` finds nothing wrong.

    Raises:
        CardError: unknown loader, missing module or class, a class that is no policy, a card that does not fit.
        ModelError: a model that cannot be loaded.
    """
    preflight(context.card, context.robot)
    policy = _made(context)
    for method in ("reset", "act", "close"):
        if not callable(getattr(policy, method, None)):
            got = f"{context.card.loader} without {method}()"
            raise CardError("a policy with reset, act and close", got, "implement robo_orch.types.Policy")
    return policy


def _made(context: PolicyContext) -> Policy:
    try:
        return _factory(context.card)(context)
    except UserError:
        raise
    except Exception as error:  # a policy is foreign code, and whatever it raises is its own
        got = f"{type(error).__name__}: {error}"
        remedy = f"mend {context.card.loader}, or what it needs"
        raise CardError(f"{context.card.id} to load", got, remedy) from error


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
        weights = (card.folder / reference, card.folder / f"{reference}.data")
        return [path for path in weights if path.is_file()]
    source = inspect.getsourcefile(sys.modules[_factory(card).__module__])
    return sorted(Path(source).parent.glob("*.py")) if source else []


def _module(card: PolicyCard, name: str) -> ModuleType:
    """The module of that name: one that is installed, or a file beside the card.

    Raises:
        CardError: there is a file beside the card, and something else of that name.
    """
    beside = card.folder / f"{name}.py"
    if card.folder == Path() or not beside.is_file():
        return importlib.import_module(name)
    if str(card.folder) not in sys.path:
        sys.path.append(str(card.folder))  # last, so that it hides nothing
    module = importlib.import_module(name)
    if Path(module.__file__ or "").resolve() != beside.resolve():
        got = f"another module {name}, {module.__file__ or 'built in'}"
        raise CardError(f"{beside.name} beside the card of {card.id}", got, "give the file a name of its own")
    return module


def _factory(card: PolicyCard) -> Callable[[PolicyContext], Policy]:
    kind, _, reference = card.loader.partition(":")
    if kind not in LOADERS:
        raise unknown(CardError, f"a loader for {card.id}", kind, LOADERS)
    if kind == "onnx":
        from robo_orch.policies.network import NetworkPolicy

        return NetworkPolicy
    module_name, _, attribute = reference.partition(":")
    try:
        factory = getattr(_module(card, module_name), attribute)
    except CardError:
        raise
    except Exception as error:  # what an import runs may raise anything
        remedy = "install the package that holds it or correct the card's loader"
        raise CardError(f"what {card.id} loads", f"{card.loader!r}: {error}", remedy) from error
    if not inspect.isclass(factory):
        raise CardError(f"a class that {card.id} loads", f"{card.loader!r}, which is none", "correct the card's loader")
    return cast("Callable[[PolicyContext], Policy]", factory)
