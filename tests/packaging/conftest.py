# SPDX-License-Identifier: Apache-2.0
"""A clean copy of the source tree, and what is built from it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = (
    *("setup.py", "setup.cfg", "pyproject.toml", "package.xml", "README.md", "LICENSE", "NOTICE"),
    *("resource", "robo_orch", "policies", "bridge", "sim", "kernels", "launch", "config"),
)


def copy_tree(target: Path) -> Path:
    """Copy what a build reads, links kept as links, without what earlier builds left."""
    target.mkdir(parents=True)
    for source in (ROOT / name for name in SHIPPED):
        if source.is_dir():
            caches = shutil.ignore_patterns("__pycache__", ".*")
            shutil.copytree(source, target / source.name, symlinks=True, ignore=caches)
        elif source.exists():
            shutil.copy(source, target)
    return target


def clean_env(**more: str) -> dict[str, str]:
    """The environment without paths that could bring in this checkout."""
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "AMENT_PREFIX_PATH", "COLCON_PREFIX_PATH")}
    return env | more


def run_command(*command: object, cwd: Path, **more: str) -> str:
    """Run a command that must succeed; its output is in the failure."""
    done = subprocess.run([*map(str, command)], cwd=cwd, env=clean_env(**more), capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def run() -> Callable[..., str]:
    """The function above, for tests."""
    return run_command


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def source_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree to build in."""
    return copy_tree(tmp_path_factory.mktemp("source") / "robo_orch")


@pytest.fixture(scope="session")
def package_files() -> set[str]:
    """Every file of the package, as `robo_orch/…`, the linked folders included."""
    walk = os.walk(ROOT / "robo_orch", followlinks=True)
    paths = [(Path(folder) / name).relative_to(ROOT) for folder, _, names in walk for name in names]
    return {str(path) for path in paths if not any(part == "__pycache__" or part[0] == "." for part in path.parts)}


@pytest.fixture(scope="session")
def wheel(source_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with the setuptools at hand."""
    out = tmp_path_factory.mktemp("dist")
    run_command(sys.executable, *"-m pip wheel . --no-deps --no-build-isolation -q -w".split(), out, cwd=source_tree)
    (path,) = out.glob("*.whl")
    return path
