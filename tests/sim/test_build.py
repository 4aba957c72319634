# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from robo_orch.errors import OptionError, SceneError
from robo_orch.sim.build import build


def test_pose_noise_multiplies_the_stated_sigma():
    robot = build("kitchen", "mujoco", 0, perturb={"pose_noise": 4.0}).robot
    for _ in range(5):
        robot.tick()
    assert robot.observe().objects["plate"].sigma == pytest.approx(0.004)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"sim": "gazebo"}, OptionError, ("a simulator among mujoco", "'gazebo'")),
        ({"scene": "attic"}, SceneError, ("a scene among kitchen", "'attic'")),
        ({"perturb": {"pose_nois": 1.0}}, OptionError, ("did you mean pose_noise?",)),
        ({"perturb": {"pose_noise": -1.0}}, OptionError, ("from 0 to 20", "-1")),
        ({"perturb": {"pose_noise": float("nan")}}, OptionError, ("from 0 to 20", "nan")),
        ({"require": [("kangaroo", "purple")]}, SceneError, ("kangaroo", "cube")),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(arguments, error, words):
    with pytest.raises(error) as caught:
        build(**{"scene": "kitchen", "sim": "mujoco", "seed": 0} | arguments)
    for word in words:
        assert word in str(caught.value)


def test_the_worlds_wrapper_sees_every_step():
    steps = []

    class Listening:
        def __init__(self, world):
            self._world = world

        def step(self, target):
            steps.append(target)
            self._world.step(target)

        def __getattr__(self, name):
            return getattr(self._world, name)

    build("kitchen", "mujoco", 0, wrap=Listening).robot.tick()
    assert len(steps) == 1
