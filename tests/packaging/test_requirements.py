# SPDX-License-Identifier: Apache-2.0
"""Whatever the package imports is a declared requirement."""

import ast
import os
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FROM_ROS = {"rclpy", "builtin_interfaces", "geometry_msgs", "sensor_msgs", "std_msgs", "trajectory_msgs"}


def imported(path: Path) -> Iterator[str]:
    """Top-level names that one file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def third_party(root: Path) -> dict[str, str]:
    """Imported names that are neither ours nor Python's nor ROS's, each with one file that imports it."""
    names = {}
    for folder, _, files in os.walk(root / "robo_orch", followlinks=True):
        for path in (Path(folder) / name for name in files if name.endswith(".py")):
            names |= dict.fromkeys(imported(path), str(path.relative_to(root)))
    return {n: p for n, p in names.items() if n not in sys.stdlib_module_names | FROM_ROS | {"robo_orch"}}


def test_every_import_is_declared(root: Path):
    declared = {canonicalize_name(Requirement(line).name) for line in requires("robo_orch")}
    owners = packages_distributions()
    known = {name for name, dists in owners.items() if declared & {canonicalize_name(dist) for dist in dists}}
    known |= {name.replace("-", "_") for name in declared}  # extras that are not installed here
    assert {name: path for name, path in third_party(root).items() if name not in known} == {}
