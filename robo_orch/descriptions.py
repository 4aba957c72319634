# SPDX-License-Identifier: Apache-2.0
"""Descriptions in YAML: read, parsed and checked, with every mistake told by its place.

Scenes, objects, robots, cards and tasks are all read here, so that what is no text, no YAML, not finite, or has keys
that nobody knows, is refused alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from robo_orch.errors import UserError

T = TypeVar("T")


class Strict(BaseModel):
    """A part of a description: no unknown keys, no NaN, no infinity, never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def read(path: Path | Traversable, expected: str, kind: type[UserError], remedy: str = "name another file") -> str:
    """A file's text.

    Raises:
        UserError: of ``kind``: it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise kind(expected, f"{path}: {error.strerror or error}", remedy) from error
    except UnicodeDecodeError as error:
        raise kind(expected, f"{path}, which is no text in UTF-8", remedy) from error


def parsed(
    text: str,
    model: type[T] | TypeAdapter[T],
    expected: str,
    kind: type[UserError],
    name: str,
    given: Mapping[str, Any] | None = None,
) -> T:
    """YAML text as a model.

    Args:
        expected: what the text should be, for the error.
        name: of the file, for the error and its remedy.
        given: keys that the text leaves out.

    Raises:
        UserError: of ``kind``, naming the place of each mistake.
    """
    adapter = model if isinstance(model, TypeAdapter) else TypeAdapter(model)
    try:
        content = yaml.load(text, Loader=_Loader)
        if not isinstance(content, dict):
            raise ValueError(f"keys with values were expected, got {str(content)[:40]!r}")
        return adapter.validate_python({**(given or {}), **content})
    except (yaml.YAMLError, ValueError) as error:
        raise kind(expected, f"{name}: {problems(error)}", f"mend {name}") from error
    except RecursionError as error:
        raise kind(expected, f"{name}, which is nested too deeply", f"mend {name}") from error


def problems(error: Exception) -> str:
    """What is wrong, each mistake with its place."""
    if isinstance(error, ValidationError):
        return "; ".join(": ".join(filter(None, [".".join(map(str, e["loc"])), e["msg"]])) for e in error.errors())
    return " ".join(str(error).split())


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # C is ten times as fast
    """Safe, and strict: of two equal keys YAML would keep the last without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping whose keys are all different."""
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for i, key in enumerate(keys):
            if key in keys[:i] and key != "<<":
                raise yaml.MarkedYAMLError(problem=f"{key!r} is there twice", problem_mark=node.value[i][0].start_mark)
        return super().construct_mapping(node, deep)
