# SPDX-License-Identifier: Apache-2.0
"""pip puts the whole package and its command in place."""

import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import robo_orch


@pytest.fixture(scope="module")
def installed(wheel, run, tmp_path_factory) -> Path:
    """An environment with the wheel alone; its requirements come from the environment of the tests."""
    env = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(env, with_pip=False, symlinks=True)
    pip = f"{sys.executable} -m pip --python {env}/bin/python install --no-deps --no-index --quiet".split()
    run(*pip, wheel, cwd=env)
    return env


def test_wheel_holds_every_file_of_the_package(wheel, package_files):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert package_files - names == set()


def test_wheel_holds_nothing_else(wheel, package_files):
    names = zipfile.ZipFile(wheel).namelist()
    stray = [n for n in names if n not in package_files and not n.startswith(f"robo_orch-{robo_orch.__version__}.")]
    assert stray == []


def test_sdist_holds_every_file_of_the_package(source_tree, run, package_files, tmp_path):
    run(sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", tmp_path, cwd=source_tree)
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as sdist:
        names = {member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()}
    assert package_files | {"setup.py", "setup.cfg", "package.xml", "LICENSE", "resource/robo_orch"} <= names


def test_pip_puts_the_command_on_the_path(installed, run):
    libraries = sysconfig.get_path("purelib")
    text = run(installed / "bin/robo-orch", "--help", cwd=installed, PYTHONPATH=libraries, COLUMNS="100")
    assert "demo" in text


def test_installed_package_is_the_one_imported(installed, run):
    code = "import robo_orch; print(robo_orch.__file__)"
    where = run(installed / "bin/python", "-c", code, cwd=installed, PYTHONPATH=sysconfig.get_path("purelib"))
    assert Path(where).is_relative_to(installed)


def test_pip_puts_the_ament_marker_in_place(installed):
    share = installed / "share"
    assert (share / "ament_index/resource_index/packages/robo_orch").is_file()
    assert (share / "robo_orch/package.xml").is_file()
