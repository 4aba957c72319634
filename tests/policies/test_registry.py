# SPDX-License-Identifier: Apache-2.0
"""Cards are found in the package, in installed packages, and where a user says."""

from __future__ import annotations

import os
import sys

import pytest

from robo_orch.errors import CardError
from robo_orch.policies.registry import VARIABLE, Registry
from tests.policies.learned import STILL, write


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on the path in which packages can be installed: ``site(name, entry, module)``."""
    folder = tmp_path / "site"

    def install(name, entry, module=""):
        told = folder / f"{name}-1.0.dist-info"
        told.mkdir(parents=True)
        (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (told / "entry_points.txt").write_text(f"[robo_orch.policies]\n{entry}\n")
        (folder / f"{name}_cards.py").write_text(module)
        return folder

    monkeypatch.syspath_prepend(str(folder))
    yield install
    for name in [n for n in sys.modules if n.endswith("_cards")]:
        del sys.modules[name]


def ids(*folders):
    return [card.id for card in Registry.load(folders)]


def test_an_installed_package_brings_a_folder_or_a_list_of_cards(tmp_path, site):
    one, two = write(tmp_path / "one", STILL), write(tmp_path / "two", STILL, id="mine/other-v1")
    site("alpha", "a = alpha_cards:FOLDER", f"FOLDER = {str(one.parent)!r}")
    site("beta", "b = beta_cards:cards", f"from pathlib import Path\ndef cards():\n    return [Path({str(two)!r})]")
    assert {"mine/still-v1", "mine/other-v1"} <= set(ids())


@pytest.mark.parametrize(
    ("module", "named"),
    [
        ("import no_such_library", "no_such_library"),
        ("FOLDER = 7", "TypeError"),
        ("FOLDER = '/no/such/folder'", "no such folder"),
        ("", "AttributeError"),
    ],
)
def test_a_broken_package_is_named(site, module, named):
    site("gamma", "g = gamma_cards:FOLDER", module)
    with pytest.raises(CardError) as error:
        Registry.load()
    assert "the package gamma" in str(error.value) and named in str(error.value)


def test_folders_come_from_the_environment_and_from_the_option(tmp_path, monkeypatch):
    write(tmp_path / "one" / "deep" / "er", STILL)
    two, three = (write(tmp_path / n, STILL, id=f"mine/{n}-v1") for n in ("two", "three"))
    monkeypatch.setenv(VARIABLE, os.pathsep.join([str(tmp_path / "one"), "", str(tmp_path / "two")]))
    assert ids(three)[-3:] == ["mine/still-v1", "mine/two-v1", "mine/three-v1"]
    assert ids(two.parent) == ids()


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_without_cards_is_refused_with_who_named_it(tmp_path, monkeypatch, there):
    folder = tmp_path / "empty"
    if there:
        folder.mkdir()
    with pytest.raises(CardError, match="for --policies"):
        Registry.load([folder])
    monkeypatch.setenv(VARIABLE, str(folder))
    with pytest.raises(CardError, match=f"the environment variable {VARIABLE}"):
        Registry.load()


def test_two_cards_of_one_id_are_refused_and_both_places_named(tmp_path):
    one, two = write(tmp_path / "one", STILL), write(tmp_path / "two", STILL)
    with pytest.raises(CardError) as error:
        Registry.load([one.parent, two.parent])
    assert str(one) in error.value.got and str(two) in error.value.got


def test_an_unknown_id_is_told_with_the_closest(tmp_path):
    write(tmp_path, STILL)
    with pytest.raises(CardError, match="did you mean mine/still-v1"):
        Registry.load([tmp_path], only=["mine/stil-v1"])
