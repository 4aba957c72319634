# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from robo_orch.motion.failure import MotionFailure
from robo_orch.policies.tamp.failures import Failures
from robo_orch.types import Code
from tests.scenes import INVENTORY


def test_the_first_reasons_are_told_once_each_and_the_fewest_movable_things_are_blamed():
    failures = Failures(INVENTORY)
    for reason, touching in [
        ("a", ("green_cube", "red_cube")),
        ("a", ()),
        ("b", ("table",)),
        ("c", ("blue_cube",)),
        ("d", ()),
    ]:
        failures.add(MotionFailure(Code.NO_PATH, reason, touching))
    failure = failures.all(Code.NO_GRASP, "it cannot be grasped")
    assert failure.code is Code.NO_GRASP
    assert failure.reason == "it cannot be grasped: a; b; c"
    assert failure.touching == ("blue_cube",)


def test_nothing_tried_says_so():
    assert Failures(INVENTORY).all(Code.NO_PLACE, "no room").reason == "no room: it has no such place"
