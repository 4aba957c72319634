# SPDX-License-Identifier: Apache-2.0
"""colcon builds the package both ways and finds its tests."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("colcon_core") is None, reason="colcon is not installed: `make test` installs it"
)


@pytest.fixture(scope="module", params=[(), ("--symlink-install",)], ids=["copied", "symlinked"])
def workspace(request, source_tree, run, tmp_path_factory) -> Path:
    """A workspace with the package built in it."""
    top = tmp_path_factory.mktemp("workspace")
    shutil.copytree(source_tree, top / "src/robo_orch", symlinks=True)
    colcon(run, top, "build", *request.param)
    return top


def colcon(run, top: Path, verb: str, *options: str) -> str:
    """Run colcon in a workspace with the environment of the tests."""
    return run(sys.executable, "-m", "colcon", verb, *options, cwd=top, COLCON_LOG_PATH=str(top / "log"))


def prefix(top: Path) -> Path:
    """Where the package was installed."""
    return top / "install/robo_orch"


def test_command_stands_where_ros2_run_looks(workspace, run):
    command = prefix(workspace) / "lib/robo_orch/robo-orch"
    script = f". {workspace}/install/local_setup.sh && {command} --help"
    assert "demo" in run("bash", "-c", script, cwd=workspace, COLUMNS="100")


def test_package_is_in_the_ament_index(workspace):
    share = prefix(workspace) / "share"
    assert (share / "ament_index/resource_index/packages/robo_orch").is_file()
    assert (share / "robo_orch/package.xml").is_file()


def test_built_package_holds_every_file(workspace, run, package_files):
    code = "import robo_orch; print(robo_orch.__file__)"
    script = f". {workspace}/install/local_setup.sh && {sys.executable} -c '{code}'"
    package = Path(run("bash", "-c", script, cwd=workspace).strip()).parent
    assert package.is_relative_to(workspace)
    assert [name for name in package_files if not (package.parent / name).is_file()] == []


def test_colcon_test_runs_the_tests(source_tree, run, tmp_path):
    package = tmp_path / "src/robo_orch"
    shutil.copytree(source_tree, package, symlinks=True)
    (package / "tests").mkdir()
    (package / "tests/test_one.py").write_text("def test_one():\n    pass\n")
    colcon(run, tmp_path, "build")
    colcon(run, tmp_path, "test")
    assert "1 test, 0 errors" in colcon(run, tmp_path, "test-result", "--all")


def test_colcon_ros_is_what_builds_it(source_tree, run):
    """Were package.xml unusable, colcon would take setup.py alone, and no ROS hooks would be made."""
    assert "(ros.ament_python)" in colcon(run, source_tree.parent, "list")
