# SPDX-License-Identifier: Apache-2.0
"""Whether a card, the robot, its cameras and the model fit together: checked before anything moves.

Every problem says what was expected, what came, and which name is closest; nothing is matched by position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from robo_orch.errors import CardError, closest
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.observation import Features, Image, Input, Layout, Prefix, Statistics, Text
from robo_orch.robots.actions import problem_of
from robo_orch.robots.features import vector_width
from robo_orch.robots.spec import RobotSpec

#: Width of the embedding that each text encoder gives.
TEXT_WIDTH = {"minilm-int8": 384}


class Tensor(Protocol):
    """An input or output of a model: element type and sizes, ``None`` where any will do."""

    @property
    def dtype(self) -> Any:
        """Element type."""
        ...

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Sizes of the axes."""
        ...


def check(card: PolicyCard, problems: Iterable[str]) -> None:
    """Refuse a card that has problems.

    Raises:
        CardError: with code ``CONTRACT``, all problems in it.
    """
    found = list(problems)
    if found:
        remedy = "mend the card, or what it names; docs/policies.md explains every key"
        raise CardError(f"{card.id} to fit its robot, scene and model", "; ".join(found), remedy)


def robot_problems(card: PolicyCard, robot: RobotSpec) -> list[str]:
    """Why this robot cannot do what the card commands, start where it wants to, or feed it the numbers it takes."""
    found = [f"action: {problem}"] if (problem := problem_of(card.action.space, robot)) else []
    if card.robots and robot.name not in card.robots:
        found.append(f"robots: one of {', '.join(card.robots)} was expected, got {robot.name}")
    n = len(robot.joints)
    if card.start and len(card.start.posture) != n:
        found.append(f"start.posture: {n} joints were expected for {robot.name}, got {len(card.start.posture)}")
    periods = robot.control_hz / card.rate_hz
    if abs(periods - round(periods)) > 1e-6 or round(periods) < 1:
        found.append(f"rate_hz: a rate that divides {robot.control_hz:g} Hz was expected, got {card.rate_hz:g}")
    for name, spec in card.observation.items():
        found += [f"{name}: {problem}" for problem in _width_problems(spec, robot)]
    return found


def camera_problems(card: PolicyCard, cameras: Iterable[str]) -> list[str]:
    """Which of the cameras that the card looks through the robot does not have."""
    known = list(cameras)
    return [_missing("a camera", name, known) for name in card.cameras if name not in known]


def model_problems(
    card: PolicyCard, inputs: Mapping[str, Tensor], outputs: Mapping[str, Tensor], robot: RobotSpec
) -> list[str]:
    """What a model takes or gives otherwise than its card says."""
    wanted = input_shapes(card, robot)
    found = [_missing("an input of the model", name, list(inputs)) for name in wanted if name not in inputs]
    found += [_missing("an input in the card", name, list(wanted)) for name in inputs if name not in wanted]
    for name, (dtype, shape) in wanted.items():
        if name in inputs:
            found += [f"{name}: {problem}" for problem in _tensor_problems(dtype, shape, inputs[name])]
    words = [n for n, spec in card.observation.items() if isinstance(spec, Text) and spec.encoder == "none"]
    found += [f"{name}: an encoder was expected, since a model takes numbers, got none" for name in words]
    return found + _output_problems(card, outputs)


def input_shapes(card: PolicyCard, robot: RobotSpec) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Element type and shape, the batch's axis left out, of each input that the card's model is fed."""
    wanted: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, spec in card.observation.items():
        match spec:
            case Features():
                wanted[name] = "float32", (vector_width(spec.keys, len(robot.joints)),)
            case Image():
                width, height = spec.size
                wanted[name] = spec.dtype, (3, height, width) if spec.layout is Layout.CHW else (height, width, 3)
            case Text():
                wanted[name] = "float32", (TEXT_WIDTH.get(spec.encoder, 0),)
            case Prefix():
                wanted[name] = "float32", (card.chunk.length, card.action.dim)
                wanted[spec.length] = "int64", ()
    return wanted


def action_problem(card: PolicyCard, shape: Iterable[int | None]) -> str:
    """Why actions of this shape, batch first, are not what the card says, in words; empty if they are."""
    got, length, dim = tuple(shape), card.chunk.length, card.action.dim
    fits = [(length, dim), *([(dim,)] if length == 1 else [])]
    if _batch(got) and any(_same(got[1:], wanted) for wanted in fits):
        return ""
    return f"actions [1, {length}, {dim}] were expected, as chunk and action say, got {_text(got)}"


def _width_problems(spec: Input, robot: RobotSpec) -> list[str]:
    """Statistics and ranges of another length than what they are about."""
    match spec:
        case Features():
            width, lengths = vector_width(spec.keys, len(robot.joints)), {"a range": len(spec.low)}
        case Image():
            width, lengths = 3, {}
        case _:
            return []
    if isinstance(spec.normalize, Statistics):
        lengths["statistics"] = len(spec.normalize.mean)
    return [f"{what} of width {width} was expected, got {n}" for what, n in lengths.items() if n not in (0, width)]


def _output_problems(card: PolicyCard, outputs: Mapping[str, Tensor]) -> list[str]:
    told = card.outputs
    names = [name for name in (told.action, told.confidence, told.completion) if name]
    found = [_missing("an output of the model", name, list(outputs)) for name in names if name not in outputs]
    if card.finish and card.finish.by == "completion" and not told.completion:
        found.append("finish: outputs.completion was expected, got none")
    if told.action in outputs and (problem := action_problem(card, outputs[told.action].shape)):
        found.append(f"{told.action}: {problem}")
    for name in (told.confidence, told.completion):
        if name in outputs and any(n not in (1, None) for n in outputs[name].shape):
            found.append(f"{name}: one number was expected, got {_text(outputs[name].shape)}")
    return found


def _tensor_problems(dtype: str, shape: tuple[int, ...], tensor: Tensor) -> list[str]:
    if str(tensor.dtype) == dtype and _batch(tensor.shape) and _same(tensor.shape[1:], shape):
        return []
    wanted = f"{dtype} [{', '.join(map(str, (1, *shape)))}]"
    return [f"{wanted} was expected, as the card says, got {tensor.dtype} {_text(tensor.shape)} in the model"]


def _batch(shape: tuple[int | None, ...]) -> bool:
    """Whether the first axis can be one long."""
    return bool(shape) and shape[0] in (1, None)


def _same(got: tuple[int | None, ...], wanted: tuple[int, ...]) -> bool:
    return len(got) == len(wanted) and all(a is None or a == b for a, b in zip(got, wanted, strict=True))


def _text(shape: Iterable[int | None]) -> str:
    return f"[{', '.join('?' if n is None else str(n) for n in shape)}]"


def _missing(what: str, name: str, known: list[str]) -> str:
    near = closest(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{what} named {name!r} was expected, got {', '.join(known) or 'none'}{hint}"
