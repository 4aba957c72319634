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
        raise CardError(f"{card.id} to fit", "; ".join(found), f"mend the card; `robo-orch skills check {card.id}`")


def robot_problems(card: PolicyCard, robot: RobotSpec) -> list[str]:
    """Why this robot cannot do what the card commands or start where it wants to."""
    found = [problem] if (problem := problem_of(card.action.space, robot)) else []
    if card.robots and robot.name not in card.robots:
        found.append(f"a robot among {', '.join(card.robots)} was expected, got {robot.name}")
    n = len(robot.joints)
    if card.start and len(card.start.posture) != n:
        found.append(f"start.posture: {n} joints were expected for {robot.name}, got {len(card.start.posture)}")
    periods = robot.control_hz / card.rate_hz
    if abs(periods - round(periods)) > 1e-6 or round(periods) < 1:
        found.append(f"rate_hz: a rate that divides {robot.control_hz:g} Hz was expected, got {card.rate_hz:g}")
    return found


def camera_problems(card: PolicyCard, cameras: Iterable[str]) -> list[str]:
    """Which of the cameras that the card looks through the robot does not have."""
    known = list(cameras)
    return [_missing("a camera", name, known) for name in card.cameras if name not in known]


def model_problems(
    card: PolicyCard, inputs: Mapping[str, Tensor], outputs: Mapping[str, Tensor], robot: RobotSpec
) -> list[str]:
    """What a model takes or gives otherwise than its card says."""
    wanted = dict(card.observation)
    lengths = {spec.length for spec in wanted.values() if isinstance(spec, Prefix)}
    found = [
        _missing("an input of the model", name, list(inputs)) for name in (*wanted, *lengths) if name not in inputs
    ]
    found += [
        _missing("an input in the card", name, list(wanted)) for name in inputs if name not in {*wanted, *lengths}
    ]
    for name, spec in wanted.items():
        if name in inputs:
            found += [f"{name}: {problem}" for problem in _input_problems(card, spec, inputs[name], robot)]
    return found + _output_problems(card, outputs)


def _input_problems(card: PolicyCard, spec: Input, tensor: Tensor, robot: RobotSpec) -> list[str]:
    match spec:
        case Features():
            width = vector_width(spec.keys, len(robot.joints))
            return [*_shape("float32", (width,), tensor), *_widths(spec, width)]
        case Image():
            width, height = spec.size
            shape = (3, height, width) if spec.layout is Layout.CHW else (height, width, 3)
            return [*_shape(spec.dtype, shape, tensor), *_widths(spec, 3)]
        case Text():
            return _shape("float32", (TEXT_WIDTH[spec.encoder],), tensor)
        case Prefix():
            return _shape("float32", (card.chunk.length, card.action.dim), tensor)


def _widths(spec: Features | Image, width: int) -> list[str]:
    """Statistics and ranges of another length than what they are about."""
    found = []
    if isinstance(spec.normalize, Statistics) and len(spec.normalize.mean) != width:
        found.append(f"statistics of width {width} were expected, got {len(spec.normalize.mean)}")
    if isinstance(spec, Features) and spec.low and len(spec.low) != width:
        found.append(f"a range of width {width} was expected, got {len(spec.low)}")
    return found


def _output_problems(card: PolicyCard, outputs: Mapping[str, Tensor]) -> list[str]:
    told = card.outputs
    names = [name for name in (told.action, told.confidence, told.completion) if name]
    found = [_missing("an output of the model", name, list(outputs)) for name in names if name not in outputs]
    if card.finish and card.finish.by == "completion" and not told.completion:
        found.append("finish: outputs.completion was expected, got none")
    if told.action in outputs:
        shape, dim, length = outputs[told.action].shape, card.action.dim, card.chunk.length
        fits = [(dim,)] if length == 1 else []
        if not any(_same(shape[1:], s) for s in [*fits, (length, dim)]):
            found.append(f"{told.action}: [batch, {length}, {dim}] was expected, got {_text(shape)}")
    return found


def _shape(dtype: str, shape: tuple[int, ...], tensor: Tensor) -> list[str]:
    if str(tensor.dtype) == dtype and len(tensor.shape) == len(shape) + 1 and _same(tensor.shape[1:], shape):
        return []
    wanted = f"[batch, {', '.join(map(str, shape))}]"
    return [f"{dtype} {wanted} was expected, as the card says, got {tensor.dtype} {_text(tensor.shape)} in the model"]


def _same(shape: Iterable[int | None], wanted: tuple[int, ...]) -> bool:
    got = tuple(shape)
    return len(got) == len(wanted) and all(a is None or a == b for a, b in zip(got, wanted, strict=True))


def _text(shape: Iterable[int | None]) -> str:
    return f"[{', '.join('?' if n is None else str(n) for n in shape)}]"


def _missing(what: str, name: str, known: list[str]) -> str:
    near = closest(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{what} named {name!r} was expected, got {', '.join(known) or 'none'}{hint}"
