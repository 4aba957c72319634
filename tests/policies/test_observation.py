# SPDX-License-Identifier: Apache-2.0
"""What a card says of a model's inputs: nothing is left to be guessed."""

from __future__ import annotations

import pytest

from robo_orch.errors import CardError
from tests.policies.learned import SEEING, STILL, card, state_input

STATISTICS = {"mean": [0.0] * 5, "std": [1.0] * 5}


def with_input(name, **changes):
    return {"observation": SEEING["observation"] | {name: SEEING["observation"][name] | changes}}


@pytest.mark.parametrize(
    ("body", "changes", "named"),
    [
        (STILL, state_input(normalize=None), "state.features.normalize"),
        (STILL, state_input(normalize="identity"), "fused"),
        (STILL, state_input(normalize={"mean": [0.0], "std": [0.0]}), "greater than 0"),
        (STILL, state_input(normalize={"mean": [0.0, 1.0], "std": [1.0]}), "as many stds as means"),
        (STILL, state_input(keys=["object.position", "wrench"]), "'wrench'"),
        (STILL, state_input(keys=["object.colour"]), "<role>.position"),
        (STILL, state_input(keys=[]), "keys"),
        (STILL, state_input(keys=["handle.toward"]), "role 'handle'"),
        (STILL, state_input(low=[0.0] * 5), "low and high of the same length"),
        (STILL, state_input(low=[1.0], high=[0.0]), "low at most its high"),
        (STILL, state_input(kind="touch"), "'touch'"),
        (STILL, state_input(unit="mm"), "unit"),
        (STILL, {"language": True}, "an input of kind text"),
        (SEEING, with_input("wrist", normalize=STATISTICS), "float32"),
        (SEEING, with_input("wrist", size=[0, 4]), "size"),
        (SEEING, with_input("wrist", layout="cwh"), "layout"),
        (SEEING, with_input("words", encoder="word2vec"), "minilm-int8"),
        (SEEING, with_input("prefix", length="state"), "an input of its own"),
        (SEEING, {"finish": {"by": "hope"}}, "finish.by"),
        (SEEING, {"chunk": {"length": 2, "execute": 3}}, "at most the 2 actions"),
        (SEEING, {"start": {"posture": [0.0], "within": [0, 0, -1], "turn": 0}}, "within"),
        (SEEING, {"start": {"posture": [0.0], "within": [0, 0, 0], "turn": 0, "gripper": [0.08, 0.0]}}, "lower end"),
    ],
)
def test_what_is_left_open_or_contradictory_is_refused_by_its_place(tmp_path, body, changes, named):
    with pytest.raises(CardError) as error:
        card(tmp_path, body, **changes)
    assert named in str(error.value)


def test_one_camera_gives_pictures_of_one_size(tmp_path):
    second = SEEING["observation"]["wrist"] | {"size": [8, 8]}
    with pytest.raises(CardError, match="camera wrist: one size"):
        card(tmp_path, SEEING, observation=SEEING["observation"] | {"closer": second})


def test_a_card_tells_through_which_cameras_it_looks_and_at_what_size(tmp_path):
    assert card(tmp_path, SEEING).cameras == {"wrist": (6, 4)}
    assert card(tmp_path).cameras == {}
