# SPDX-License-Identifier: Apache-2.0
"""What commands say: one JSON object on stdout, complaints on stderr, and the exit code that goes with them."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from robo_orch.cli import BAD_INPUT, INTERNAL, INTERRUPTED

if TYPE_CHECKING:
    from robo_orch.errors import UserError


def print_json(value: Mapping[str, Any]) -> None:
    """The one JSON object on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()


def say(line: str) -> None:
    """One line on stderr, for a person."""
    sys.stderr.write(" ".join(line.split()) + "\n")
    sys.stderr.flush()


def refuse(error: UserError, as_json: bool, blank: Mapping[str, Any] | None = None) -> int:
    """Bad input: three lines on stderr. With ``as_json`` the command's keys as far as known, and the failure."""
    for head, text in (("expected: ", error.expected), ("got:      ", error.got), ("remedy:   ", error.remedy)):
        sys.stderr.write(head + " ".join(text.split()) + "\n")
    if as_json:
        outcome = error.outcome()
        print_failure(blank, outcome.stage, outcome.code, outcome.message)
    return BAD_INPUT


def usage(error: Exception, as_json: bool) -> int:
    """A command line that does not parse."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "robo-orch"
    got = " ".join(getattr(error, "format_message", lambda: str(error))().split())
    if got:  # the error of a bare command group has no message: its help is shown already
        sys.stderr.write(f"expected: what {command} takes\ngot:      {got}\nremedy:   see {command} --help\n")
    if as_json:
        print_failure(None, "plan", "CONTRACT", got or f"{command} needs a command")
    return BAD_INPUT


def stopped(as_json: bool) -> int:
    """Ctrl-C before there was anything to record."""
    say("stopped")
    if as_json:
        print_failure(None, "internal", "INTERRUPTED", "interrupted by Ctrl-C")
    return INTERRUPTED


def failed(error: Exception, as_json: bool) -> int:
    """Any other error: bad input that nobody has answered for yet, or a fault of ours."""
    from robo_orch.errors import UserError

    if isinstance(error, UserError):
        return refuse(error, as_json)
    place = traceback.extract_tb(error.__traceback__)[-1]
    message = f"{type(error).__name__}: {error} ({place.name}, line {place.lineno})"
    say(f"internal error: {message}")
    if as_json:
        print_failure(None, "internal", "INTERNAL", message)
    return INTERNAL


def print_failure(blank: Mapping[str, Any] | None, stage: str, code: str, message: str) -> None:
    """A result that is nothing but a failure."""
    failure = {"stage": str(stage), "code": str(code), "message": " ".join(message.split())}
    print_json({**(blank or {}), "failure": failure})
