# SPDX-License-Identifier: Apache-2.0
"""Imports point one way: the contracts of pyproject.toml hold."""

import subprocess
import sysconfig
from pathlib import Path

import pytest

pytest.importorskip("importlinter")


def test_import_contracts_hold(root: Path):
    command = Path(sysconfig.get_path("scripts")) / "lint-imports"
    done = subprocess.run([command, "--no-cache", "--no-logo"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
