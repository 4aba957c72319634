# SPDX-License-Identifier: Apache-2.0
"""The command line, ``robo-orch``. Its contract (options, JSON keys, exit codes) is what scripts rely on.

Nothing that takes long is imported before a command needs it, so that ``--help`` answers at once.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Sequence

BAD_INPUT, INTERNAL, INTERRUPTED = 2, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Errors end as lines on stderr, never as a traceback."""
    from robo_orch.cli import output

    arguments = list(sys.argv[1:] if argv is None else argv)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - it lives as long as the process
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # who read along has seen enough
        code = 0
        output.mute()
    except OSError as error:
        sys.stderr.write(f"stdout cannot be written: {error.strerror or error}\n")
        code = INTERNAL
        output.mute()
    if argv is None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what happened has been said, and the exit code stands
    return code


def _dispatch(arguments: list[str]) -> int:
    import typer
    from typer.exceptions import TyperException

    from robo_orch.cli import output
    from robo_orch.cli.app import app

    say = output.Complaints("--json" in arguments, arguments[0] if arguments else "")
    command = typer.main.get_command(app)
    try:
        if any("\udc80" <= letter <= "\udcff" for text in arguments for letter in text):
            from robo_orch.errors import OptionError

            raise OptionError("arguments in UTF-8", "bytes that are no text", "type them anew, or set LANG=C.UTF-8")
        # Not its main(), which has exit codes of its own for Ctrl-C and for a reader that goes away.
        with command.make_context("robo-orch", list(arguments)) as context:
            code = command.invoke(context)
        return code if isinstance(code, int) else 0
    except TyperException as error:
        return say.usage(error)
    except typer.Exit as ended:
        return ended.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return say.stopped()
    except BrokenPipeError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
            raise  # stdout goes into a full file
        return say.failed(error)
