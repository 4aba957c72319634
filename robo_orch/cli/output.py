# SPDX-License-Identifier: Apache-2.0
"""What commands say: one JSON object on stdout, complaints on stderr, and the exit code that goes with them."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from robo_orch.cli import BAD_INPUT, INTERNAL, INTERRUPTED

if TYPE_CHECKING:
    from robo_orch.errors import UserError


def print_json(value: Mapping[str, Any]) -> None:
    """The one JSON object on stdout. A reader that has gone away does not change what happened."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        mute()


def mute() -> None:
    """Let stdout go nowhere: it cannot be written, and Python flushes it once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
        print_failure(blank or {}, outcome.stage, outcome.code, outcome.message)
    return BAD_INPUT


def print_failure(blank: Mapping[str, Any], stage: str, code: str, message: str) -> None:
    """A result that is nothing but a failure."""
    failure = {"stage": str(stage), "code": str(code), "message": " ".join(message.split())}
    print_json({**blank, "failure": failure})


def blank(command: str) -> dict[str, Any]:
    """The keys that a command's JSON has whatever happens."""
    if command in ("run", "demo"):
        from robo_orch.runs import result
        from robo_orch.runs.config import RunConfig

        return result.blank(RunConfig(""))
    return {"match": False, "state_hash": None, "expected_hash": None} if command == "replay" else {}


class Complaints:
    """What is said where a command ended without having said it itself; each method returns the exit code.

    Args:
        as_json: whether there is to be an object on stdout too.
        command: the name of the command, as far as it was given.
    """

    def __init__(self, as_json: bool, command: str) -> None:
        self._as_json, self._command = as_json, command

    def usage(self, error: Exception) -> int:
        """A command line that does not parse; a bare command group shows what there is."""
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "robo-orch"
        message = getattr(error, "format_message", lambda: str(error))()
        if type(error).__name__ == "NoArgsIsHelpError":
            sys.stderr.write(message + "\n")
            return self._tell("plan", "CONTRACT", f"{command} needs a command", BAD_INPUT)
        got = " ".join(message.split())
        sys.stderr.write(f"expected: what {command} takes\ngot:      {got}\nremedy:   see {command} --help\n")
        return self._tell("plan", "CONTRACT", got, BAD_INPUT)

    def stopped(self) -> int:
        """Ctrl-C before there was anything to record."""
        say("stopped")
        return self._tell("internal", "INTERRUPTED", "interrupted by Ctrl-C", INTERRUPTED)

    def failed(self, error: Exception) -> int:
        """Any other error: bad input that nobody has answered for yet, or a fault of ours."""
        from robo_orch.errors import UserError

        if isinstance(error, UserError):
            return refuse(error, self._as_json, blank(self._command))
        place = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {error} ({place.name}, line {place.lineno})"
        say(f"internal error: {message}")
        return self._tell("internal", "INTERNAL", message, INTERNAL)

    def _tell(self, stage: str, code: str, message: str, exit_code: int) -> int:
        if self._as_json:
            print_failure(blank(self._command), stage, code, message)
        return exit_code
