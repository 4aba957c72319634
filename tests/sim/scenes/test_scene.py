# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.errors import SceneError
from robo_orch.sim.scenes import load_scene, scene_names
from robo_orch.sim.scenes.scene import SCENES

KITCHEN = (SCENES / "kitchen.yaml").read_text()


@pytest.mark.parametrize("name", scene_names())
def test_every_shipped_scene_loads_and_has_a_front_camera(name):
    assert "front" in load_scene(name).cameras


def test_an_unknown_scene_is_told_with_those_there_are():
    with pytest.raises(SceneError) as caught:
        load_scene("kitchn")
    assert "kitchen" in caught.value.expected
    assert caught.value.remedy == "did you mean kitchen?"


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("kind: cube", "kind: cub", "did you mean cube"),
        ("[red, green", "[crimson, green", "crimson"),
        ("name: cabinet", "name: wardrobe", "no furniture wardrobe"),
        ("count:", "counts:", "counts"),
        ("kinds: [bottle, can]", "kinds: [plate]", "plate"),
        ("seeds: [0, 19999]", "seeds: [0, 20000]", "two strata"),
        ("fovy: 39", "fovy: 500", "cameras.front.fovy"),
        ("robot: panda", "robot: [", "mend"),
        ("count: [1, 8]", "count: [5, 2]", "fewest to most"),
        ("count: [1, 8]", "count: [-1, 2]", "count"),
        ("x: [0.34, 0.74]", "x: [0.74, 0.34]", "small to large"),
        ("x: [0.34, 0.74]", "x: [.nan, 0.34]", "finite"),
        ("position: [0.2, 0, 0]", "position: [.inf, 0, 0]", "finite"),
        ("yaw: 60", "yaw: .nan", "finite"),
        ("mount: panda_hand", "mount: panda_foot", "no link panda_foot"),
        ("target: [0.26, -0.01, 0.24]", "target: [1.85, -0.58, 1.12]", "away from the camera"),
        ("name: bin, ", "name: tray, ", "tray is there twice"),
        ("version: 1", "version: 1\nversion: 2", "'version' is there twice"),
    ],
)
def test_a_broken_scene_is_told_with_the_place(tmp_path, old, new, word):
    path = tmp_path / "mine.yaml"
    assert old in KITCHEN
    path.write_text(KITCHEN.replace(old, new))
    with pytest.raises(SceneError, match=word):
        load_scene(path)


def test_a_file_that_is_not_there_or_no_text_is_said_to_be_so(tmp_path):
    with pytest.raises(SceneError, match=r"no file .*nowhere\.yaml"):
        load_scene(tmp_path / "nowhere.yaml")
    (tmp_path / "mine.yaml").write_bytes(b"\x80\x00")
    with pytest.raises(SceneError, match="no text in UTF-8"):
        load_scene(tmp_path / "mine.yaml")


def test_a_scene_can_be_given_by_its_path_and_keeps_its_digest(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(KITCHEN)
    assert load_scene(path).digest() == load_scene("kitchen").digest()


def test_the_digest_changes_with_what_decides_what_happens(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(KITCHEN.replace("position: [0.494, 0.575, 0.07]", "position: [0.494, 0.576, 0.07]"))
    assert load_scene(path).digest() != load_scene("kitchen").digest()
