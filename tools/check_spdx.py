#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that every source file names its licence at the top; package data is covered by LICENSE."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("*.py", "*.sh", "*.toml", "*.cfg", "package.xml", "Makefile", ".ci/run")
SPDX = "SPDX-License-Identifier: Apache-2.0"
TOP = 5  # lines


def lacking() -> list[str]:
    """Source files, as git lists them, without the line."""
    listing = subprocess.run(["git", "ls-files", "--", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listing.stdout.splitlines() if not has_spdx(ROOT / name)]


def has_spdx(path: Path) -> bool:
    """Whether one of the first lines names the licence; an empty file needs none."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return not text or any(SPDX in line for line in text.splitlines()[:TOP])


if __name__ == "__main__":
    names = lacking()
    for name in names:
        print(f"{name}: no line '{SPDX}' at the top", file=sys.stderr)
    sys.exit(bool(names))
