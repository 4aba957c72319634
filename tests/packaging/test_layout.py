# SPDX-License-Identifier: Apache-2.0
"""The source tree is what the build, ROS and the reader expect."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import robo_orch


def test_links_into_the_package_are_committed_and_whole(root: Path):
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    done = subprocess.run([sys.executable, root / "tools/check_symlinks.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_package_xml_has_the_version_of_the_package(root: Path):
    package = ElementTree.parse(root / "package.xml").getroot()
    assert package.findtext("version") == robo_orch.__version__


def test_package_xml_is_valid_for_colcon(root: Path):
    """An invalid one makes colcon silently treat the package as plain Python."""
    catkin_package = pytest.importorskip("catkin_pkg.package")
    package = catkin_package.parse_package(str(root / "package.xml"))
    assert (package.name, package.package_format, package.get_build_type()) == ("robo_orch", 3, "ament_python")


def test_launch_folder_does_not_shadow_the_launch_package(root: Path):
    assert not list((root / "launch").rglob("__init__.py"))
