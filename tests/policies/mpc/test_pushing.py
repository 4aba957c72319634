# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robo_orch.policies.mpc.hand import upright
from robo_orch.skills import skill
from robo_orch.types import Code, Failed
from tests.policies.mpc.table import CARD, PANDA, PUSH, Table
from tests.policies.mpc.test_plane import estimate


@pytest.fixture(scope="module")
def table():
    return Table(3, ("box", "white"), ("cube", "red"), ("can", "blue"))


@pytest.fixture
def laid(table):
    """The box alone with a can, on the right side."""
    table.alone("white_box", "blue_can")
    table.put("white_box", 0.50, -0.38, 0.3)
    table.put("blue_can", 0.72, -0.45)
    table.wait(0.5)
    return table


def refusal(table, name: str, **changed) -> Failed:
    policy, seen = table.policy(), table.robot.observe()
    objects = {n: replace(e, **changed) if n == name else e for n, e in seen.objects.items()}
    if changed.get("pose", 1) is None:
        objects = {n: e for n, e in objects.items() if n != name}
    seen = replace(seen, objects=objects)
    policy.reset(PUSH.subgoal(name, "left_side"), seen, 0)
    step = policy.act(seen)
    assert isinstance(step, Failed)
    return step


def test_a_box_is_pushed_into_a_region_and_nothing_else_is_touched(laid):
    done = laid.push("white_box", "left_side")
    assert done, done
    assert "pushing the white box to the left side" in done.labels


def test_a_box_that_is_there_already_is_left_alone(laid):
    laid.put("white_box", 0.5, -0.02)
    laid.wait(0.5)
    done = laid.push("white_box", "left_side")
    assert done
    assert not any("pushing" in label for label in done.labels)


def test_the_same_seed_pushes_the_same_way():
    ends = []
    for _ in range(2):
        table = Table(3, ("box", "white"))
        table.push("white_box", "middle", seed=5)
        ends.append(table.world.referee.poses()["white_box"].position)
    assert np.array_equal(*ends)


@pytest.mark.parametrize(("name", "why"), [("red_cube", "flat things wider"), ("plate", "mm high")])
def test_what_is_not_flat_or_too_low_for_the_pads_is_refused_before_anything_moves(laid, name, why):
    step = refusal(laid, name)
    assert step.code is Code.PRECONDITION and why in step.reason


def test_what_was_never_perceived_is_refused(laid):
    assert refusal(laid, "white_box", pose=None).code is Code.NOT_PERCEIVED


def test_what_is_known_too_little_is_refused(laid):
    step = refusal(laid, "white_box", covariance=np.eye(6) * 0.03**2)
    assert step.code is Code.IMPRECISE_POSE
    assert "30 mm" in step.reason


def test_a_box_with_no_free_side_is_refused_before_anything_is_touched(laid):
    laid.put("white_box", 0.5, -0.38)
    names = [n for n, s in laid.inventory.items() if s.movable and n not in ("white_box", "plate")]
    for name, (x, y) in zip(names, [(0.63, -0.38), (0.37, -0.38), (0.5, -0.27), (0.5, -0.49)], strict=False):
        laid.put(name, x, y)
    if len(names) < 4:
        pytest.skip("the scene has too few things to surround a box")
    laid.wait(0.5)
    done = laid.push("white_box", "left_side")
    assert done.outcome.code in (Code.NO_PATH, Code.UNREACHABLE, Code.GOAL_IN_COLLISION)
    assert not done.unsafe


def test_to_act_before_reset_or_after_close_is_a_typed_failure(laid):
    policy = laid.policy()
    assert policy.act(laid.robot.observe()).code is Code.POLICY_ERROR
    policy.reset(skill("push").subgoal("white_box", "middle"), laid.robot.observe(), 0)
    policy.close()
    assert policy.act(laid.robot.observe()).code is Code.POLICY_ERROR


def test_the_card_speaks_the_policys_action_space():
    assert CARD.action.space.dim == 2 * len(PANDA.joints) + 1
    assert CARD.rate_hz == PANDA.control_hz


def test_what_leans_by_no_more_than_its_error_is_taken_to_stand():
    leaning = estimate("box", 0.5, 0.0, 0.7)
    tilted = replace(leaning, pose=leaning.pose @ type(leaning.pose).of((0, 0, 0), (0.03, 0, 0, 1)))
    lying = replace(leaning, pose=leaning.pose @ type(leaning.pose).of((0, 0, 0), (0.7, 0, 0, 0.7)))
    assert upright(tilted).pose.matrix[2, 2] == pytest.approx(1.0)
    assert upright(lying).pose is lying.pose
