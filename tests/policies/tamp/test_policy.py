# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import sys

import pytest

from robo_orch.policies.loaders import PolicyContext, load_policy
from robo_orch.policies.tamp.policy import SCRIPTS
from robo_orch.skills import skill
from robo_orch.types import Code, Failed
from tests.policies.tamp.desk import CARDS, PANDA, Desk
from tests.scenes import INVENTORY


def test_every_skill_of_the_cards_has_a_script_and_no_other():
    assert set(SCRIPTS) == set(CARDS)
    assert not {"press", "turn", "push"} & set(CARDS)


@pytest.mark.parametrize("card", {card.id: card for card in CARDS.values()}.values(), ids=lambda card: card.id)
def test_a_card_speaks_the_policys_action_space(card):
    assert card.action.space.dim == 2 * len(PANDA.joints) + 1
    assert card.rate_hz == PANDA.control_hz


def test_to_act_before_reset_or_after_close_is_a_typed_failure():
    policy = load_policy(PolicyContext(PANDA, INVENTORY, CARDS["stack"], 1.0))
    desk = Desk(0)
    assert policy.act(desk.robot.observe()) == Failed(Code.POLICY_ERROR, "act was called before reset")
    policy.reset(skill("close_drawer").subgoal("drawer"), desk.robot.observe(), 0)
    policy.close()
    assert policy.act(desk.robot.observe()).code is Code.POLICY_ERROR


def test_case_c35_a_policy_that_failed_works_again_after_a_reset():
    desk = Desk(1, ("cube", "red"), ("sponge", "yellow"))
    assert desk.do("pick_place", "yellow_sponge", "plate").outcome.code is Code.IMPRECISE_POSE
    assert desk.do("pick_place", "red_cube", "plate")


def test_importing_the_policy_imports_no_task_planner():
    code = "import sys, robo_orch.policies.tamp.policy; sys.exit('unified_planning' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
