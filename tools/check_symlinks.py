#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the links which place the top-level folders inside the package are committed, relative and whole."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINKED = ("bridge", "kernels", "policies", "sim")
LINK_MODE = "120000"


def committed_links() -> set[str]:
    """Paths that git stores as symbolic links."""
    listing = subprocess.run(["git", "ls-files", "--stage"], cwd=ROOT, capture_output=True, text=True, check=True)
    rows = (line.split("\t", 1) for line in listing.stdout.splitlines())
    return {path for mode, path in rows if mode.startswith(LINK_MODE)}


def problem(name: str, root: Path = ROOT) -> str | None:
    """What is wrong with the link of one folder on disk, or None."""
    link = root / "robo_orch" / name
    want = f"../{name}"
    if not link.is_symlink():
        return f"{link.relative_to(root)}: expected a link to {want}, got {'a copy' if link.exists() else 'nothing'}"
    if str(link.readlink()) != want:
        return f"{link.relative_to(root)}: expected a link to {want}, got one to {link.readlink()}"
    return None if link.is_dir() else f"{link.relative_to(root)}: leads nowhere, {name}/ is missing"


def main() -> int:
    """Print each problem; 0 if there is none."""
    problems = [text for name in LINKED if (text := problem(name))]
    missing = {f"robo_orch/{name}" for name in LINKED} - committed_links()
    problems += [f"{path}: git does not store it as a link" for path in sorted(missing)]
    for text in problems:
        print(text, file=sys.stderr)
    if problems:
        print("remedy: git config core.symlinks true && git checkout -- robo_orch", file=sys.stderr)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
