#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that what Markdown files link to inside the repository exists."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def broken(page: Path) -> list[str]:
    """The relative links of one page that lead nowhere."""
    links = LINK.findall(page.read_text(encoding="utf-8"))
    return [link for link in links if not (page.parent / link).exists()]


def pages() -> list[Path]:
    """Markdown files that git knows or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.md"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listing.stdout.splitlines()]


if __name__ == "__main__":
    problems = [f"{page.relative_to(ROOT)}: no {link}" for page in pages() for link in broken(page)]
    print(*problems, sep="\n", file=sys.stderr, end="\n" if problems else "")
    sys.exit(bool(problems))
