# SPDX-License-Identifier: Apache-2.0
"""One exception class per border. Each names what was expected, what came, and the remedy.

Everything here is fixable by a person and ends with exit code 2; any other exception is a broken
invariant of ours and ends with exit code 3.
"""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import process

from robo_orch.types import Code, Outcome, Stage


class UserError(Exception):
    """Something a person can put right.

    Args:
        expected: what would have been right.
        got: what came instead.
        remedy: what to do now.
        code: the code reported in JSON.
    """

    stage = Stage.PLAN
    default_code = Code.CONTRACT

    def __init__(self, expected: str, got: str, remedy: str, code: Code | None = None) -> None:
        self.expected, self.got, self.remedy = expected, got, remedy
        self.code = code or self.default_code
        super().__init__(f"expected {expected}\ngot {got}\n{remedy}")

    @property
    def lines(self) -> tuple[str, str, str]:
        """The three lines shown on stderr."""
        return f"expected: {self.expected}", f"got:      {self.got}", f"remedy:   {self.remedy}"

    def outcome(self) -> Outcome:
        """The same as an outcome, for records and JSON."""
        return Outcome(self.code, self.stage, f"expected {self.expected}; got {self.got}; {self.remedy}")


class GoalError(UserError):
    """A goal that cannot be understood, grounded or reached."""

    default_code = Code.NOT_UNDERSTOOD


class SceneError(UserError):
    """A scene, object or task description that is unknown or broken."""


class RobotError(UserError):
    """A robot description that is unknown or broken."""


class CardError(UserError):
    """A policy card, or what it loads, that breaks its contract."""

    stage = Stage.ROUTE


class ModelError(UserError):
    """A learned model that cannot be loaded, or inputs that it does not take."""

    stage = Stage.ROUTE


class RunError(UserError):
    """A run folder that cannot be written, read or replayed."""


class RecordError(RunError):
    """The record of a run that is under way cannot be written any more."""

    stage = Stage.INTERNAL


class OptionError(UserError):
    """A command-line option with a value that cannot be used."""


class RenderError(UserError):
    """No image can be had: no GL, or no such camera."""


def closest(name: str, known: Iterable[str], n: int = 3) -> list[str]:
    """The ``n`` known names nearest to ``name``, best first, for "did you mean" in errors."""
    return [match[0] for match in process.extract(name, list(known), limit=n, score_cutoff=50)]


def unknown(kind: type[UserError], what: str, name: str, known: Iterable[str], code: Code | None = None) -> UserError:
    """An error for a name that is not among the known ones: lists them and suggests the closest."""
    names = sorted(known)
    near = closest(name, names)
    remedy = f"did you mean {' or '.join(near)}?" if near else f"choose one of: {', '.join(names) or '(none)'}"
    return kind(f"{what} among {', '.join(names) or '(none)'}", repr(name), remedy, code)
