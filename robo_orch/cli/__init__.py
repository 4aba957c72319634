# SPDX-License-Identifier: Apache-2.0
"""The command line, ``robo-orch``. Its contract (options, JSON keys, exit codes) is what scripts rely on.

Nothing that takes long is imported before a command needs it, so that ``--help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

BAD_INPUT, INTERNAL, INTERRUPTED = 2, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Errors end as lines on stderr, never as a traceback."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Python flushes stdout once more when it ends, which must not find the closed pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _dispatch(arguments: list[str]) -> int:
    import typer
    from typer.exceptions import TyperException

    from robo_orch.cli import output
    from robo_orch.cli.app import app

    as_json = "--json" in arguments
    try:
        code = typer.main.get_command(app)(arguments, prog_name="robo-orch", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except TyperException as error:
        return output.usage(error, as_json)
    except typer.Exit as ended:
        return ended.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return output.stopped(as_json)
    except BrokenPipeError:
        raise
    except Exception as error:
        return output.failed(error, as_json)
