#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make_venv.sh PYTHON DIR: a virtual environment, or one clear message about what is missing.
set -euo pipefail
python=$1 dir=$2

fail() {
    printf 'expected: %s\ngot:      %s\nremedy:   %s\n' "$@" >&2
    exit 2
}

command -v "$python" >/dev/null ||
    fail "Python 3.11 or newer as '$python'" "no such command" "apt install python3 python3-venv, or make … PYTHON=/path/to/python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "Python 3.11 or newer" "$("$python" --version 2>&1)" "make … PYTHON=python3.11"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "the modules venv and ensurepip" "$("$python" --version 2>&1) without them" "apt install python3-venv"
"$python" -m venv "$dir"
