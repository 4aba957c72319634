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
        ("robot: panda", "robot: [", "mend that file"),
    ],
)
def test_a_broken_scene_is_told_with_the_place(tmp_path, old, new, word):
    path = tmp_path / "mine.yaml"
    assert old in KITCHEN
    path.write_text(KITCHEN.replace(old, new))
    with pytest.raises(SceneError, match=word):
        load_scene(path)


def test_a_scene_can_be_given_by_its_path_and_keeps_its_digest(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(KITCHEN)
    assert load_scene(path).digest() == load_scene("kitchen").digest()


def test_the_digest_changes_with_what_decides_what_happens(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(KITCHEN.replace("position: [0.494, 0.575, 0.07]", "position: [0.494, 0.576, 0.07]"))
    assert load_scene(path).digest() != load_scene("kitchen").digest()
