# SPDX-License-Identifier: Apache-2.0
"""Environment, expert and reward of the learned skills, in the real world of MuJoCo."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from robo_orch.bridge.start import Starts
from robo_orch.policies.registry import SHIPPED
from robo_orch.robots import load_robot
from robo_orch.robots.arm import Arm
from robo_orch.train.env import SkillEnv
from robo_orch.train.expert import Expert
from robo_orch.train.recipe import load_recipe

OPENERS = ("open_drawer_narrow_tool", "open_drawer_narrow_joint")
NAMES = (*OPENERS, "close_drawer", "open_door", "close_door", "press", "turn")


def env_of(name: str) -> SkillEnv:
    recipe = load_recipe(SHIPPED / "rl" / name / "recipe.yaml").model_copy(update={"layouts": 1, "perturb": {}})
    return SkillEnv(recipe, recipe.train_seeds())


def episode(env: SkillEnv, seed: int, act) -> tuple[dict, float, list[np.ndarray]]:
    seen, total = [env.reset(seed=seed)[0]], 0.0
    while True:
        after, reward, ended, late, info = env.step(act(env))
        seen.append(after)
        total += reward
        if ended or late:
            return info, total, seen


@pytest.mark.parametrize("name", NAMES)
def test_the_expert_can_do_it_where_nothing_is_hard(name):
    env = env_of(name)
    expert = Expert(env)
    won = [episode(env, seed, lambda _: expert.action())[0]["success"] for seed in range(3)]
    assert sum(won) >= 2


def test_doing_it_pays_more_than_doing_nothing():
    env = env_of("press")
    expert = Expert(env)
    _, done, _ = episode(env, 0, lambda _: expert.action())
    _, idle, _ = episode(env, 0, lambda e: e.recipe.inverse(np.zeros(4)))
    assert done > idle + 2.0


def test_the_same_seed_repeats_an_episode():
    env = env_of("press")
    expert = Expert(env)
    _, first, seen = episode(env, 3, lambda _: expert.action())
    _, again, same = episode(env, 3, lambda _: expert.action())
    assert first == again and np.array_equal(np.array(seen), np.array(same))


def test_a_part_stands_open_where_it_is_to_be_shut():
    env = env_of("close_drawer")
    env.reset(seed=0)
    facts = env.kitchen.simulation.world.referee.facts()
    assert not env.kitchen.simulation.world.referee.holds(env.kitchen.task.predicate)
    low, high = env.recipe.begin
    drawer = env.kitchen.simulation.layout.inventory["drawer"].joint
    share = drawer.value(facts.objects["cabinet"].pose, facts.objects["drawer"].pose) / drawer.limits[1]
    assert low - 0.02 <= share <= high + 0.02


def test_starts_lie_in_the_declared_set_and_differ():
    recipe, robot = load_recipe(SHIPPED / "rl" / "press" / "recipe.yaml"), load_robot("panda")
    draw, arm, rng = Starts(recipe.home, robot), Arm(robot), np.random.default_rng(0)
    centre = arm.tool(np.array(recipe.home.posture))
    drawn = [draw(rng) for _ in range(20)]
    for q, width in drawn:
        tool = arm.tool(q)
        assert (np.abs(tool.position - centre.position) <= np.array(recipe.home.within) + 0.006).all()
        assert (centre.rotation.inv() * tool.rotation).magnitude() <= recipe.home.turn + 0.02
        assert recipe.home.gripper[0] <= width <= recipe.home.gripper[1]
    assert len({round(float(q[0]), 6) for q, _ in drawn}) == 20
