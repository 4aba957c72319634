# SPDX-License-Identifier: Apache-2.0
"""The bridge to declared starts, on a real simulated arm with what it perceives; the referee watches it too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robo_orch.bridge.methods import make_bridge
from robo_orch.bridge.names import DECLARED_START, NONE
from robo_orch.bridge.start import Starts
from robo_orch.errors import OptionError
from robo_orch.execution.executor import Executor
from robo_orch.motion.kinematics import Kinematics
from robo_orch.policies.card import StartSet
from robo_orch.policies.registry import Registry
from robo_orch.robots import load_robot
from robo_orch.sim.build import build
from robo_orch.skills import skill
from robo_orch.types import Code, JointTarget, Pose, Stage

PANDA = load_robot("panda")
#: Above the drawer's handle, as a learned card for it declares.
POSTURE = (0.7795, 0.1124, 0.0056, -2.2142, -0.0009, 2.3266, -1.0469)
START = StartSet(posture=POSTURE, within=(0.04, 0.04, 0.04), turn=0.15, gripper=(0.04, 0.08))
CARD = Registry.load()["tamp/handle-v1"].model_copy(update={"start": START})
PLAIN = CARD.model_copy(update={"start": None})
STEP = skill("open_drawer").subgoal("drawer")


@pytest.fixture(scope="module")
def fresh():
    simulation = build("kitchen", "mujoco", 3, require=[("cube", "red")])
    return simulation, simulation.robot.snapshot()


class Place:
    """One robot, its bridge, and what the bridge's motions were for."""

    def __init__(self, simulation):
        self.robot, self.world, self.inventory = simulation.robot, simulation.world, simulation.layout.inventory
        self.labels = []
        self.executor = Executor(self.robot, PANDA, lambda event, **data: self.labels.append(data.get("label")))
        self.bridge = make_bridge(DECLARED_START, self.executor, self.robot, PANDA, self.inventory)
        self.look()

    def look(self):
        for _ in range(15):
            self.robot.tick()
        self.world.referee.begin({})

    def grasp_handle(self, width=0.0):
        """The arm stands with its fingers around the drawer's handle, as a learned skill may end."""
        grasp = self.inventory["drawer"].grasps[0]
        tool = self.world.referee.poses()["drawer"] @ grasp.pose
        q = Kinematics(PANDA).inverse(tool, np.array(POSTURE), np.random.default_rng(0))
        self.robot.put(q, grasp.width + 0.02, 0)
        list(self.executor.hold(0.2))
        last = self.world.setpoint
        for _ in range(40):
            self.robot.command(JointTarget(last.q, np.zeros_like(last.q), width, "test"))
            self.robot.tick()
        self.world.referee.begin({"object": "drawer"}, [(("finger", "object"), 80.0)])

    def bring(self, card=CARD, limit=30.0):
        return self.bridge.bring(card, STEP, 0, limit)

    @property
    def state(self):
        return self.robot.observe().state

    def inside(self):
        return Starts(START, PANDA).contains(self.state.q, self.state.gripper)


@pytest.fixture
def place(fresh):
    simulation, beginning = fresh
    simulation.robot.restore(beginning)
    return Place(simulation)


def test_the_arm_is_brought_into_the_set_without_touching_anything(place):
    handoff = place.bring()
    assert handoff.ok and handoff.method == DECLARED_START and handoff.outcome.seconds > 0.5
    assert place.inside() and np.abs(place.state.qd).max() < 0.01
    assert place.world.referee.end().peak_force == 0.0


def test_an_arm_that_is_there_already_is_left_alone(place):
    place.bring()
    before = place.robot.now
    again = place.bring()
    assert again.ok and again.method == NONE and not again.told and place.robot.now == before


def test_a_card_that_declares_nothing_needs_no_bridge(place):
    assert not place.bring(PLAIN).told


def test_a_gripper_outside_its_range_is_all_that_moves(place):
    place.bring()
    narrow = CARD.model_copy(update={"start": START.model_copy(update={"gripper": (0.0, 0.02)})})
    before = place.state.q
    handoff = place.bring(narrow)
    assert handoff.ok and place.state.gripper <= 0.023
    assert np.abs(place.state.q - before).max() < 0.01


@pytest.mark.parametrize("card", [CARD, PLAIN], ids=["start", "no start"])
def test_a_hand_around_a_handle_lets_go_and_draws_back_before_it_moves_on(place, card):
    place.grasp_handle()
    assert place.state.grasping and place.state.holding is None
    handoff = place.bring(card)
    assert handoff.ok, handoff.outcome
    assert place.labels[:2] == ["letting go", "drawing back"]
    assert place.inside() or card is PLAIN
    verdict = place.world.referee.end()
    assert verdict.safe, verdict.because
    assert place.world.referee.poses()["drawer"].distance(place.world.layout.poses["drawer"])[0] < 0.01


def test_where_no_posture_of_the_set_is_free_the_policy_does_not_start(place):
    above = Starts(START, PANDA)._arm.tool(np.array(POSTURE))
    inside = Pose(place.world.referee.poses()["cabinet"].position, above.quaternion)
    q = Kinematics(PANDA).inverse(inside, np.array(POSTURE), np.random.default_rng(0))
    card = CARD.model_copy(update={"start": START.model_copy(update={"posture": tuple(q)})})
    before = place.state.q
    handoff = place.bring(card)
    assert not handoff.ok and (handoff.outcome.code, handoff.outcome.stage) == (Code.NO_BRIDGE, Stage.BRIDGE)
    assert "GOAL_IN_COLLISION" in handoff.outcome.message and "cabinet" in handoff.outcome.message
    assert np.abs(place.state.q - before).max() < 0.01


def test_time_that_is_used_up_is_a_failed_hand_over(place):
    handoff = place.bring(limit=0.1)
    assert not handoff.ok and handoff.outcome.stage is Stage.BRIDGE


def test_an_unknown_bridge_is_refused_with_the_closest_name(place):
    with pytest.raises(OptionError, match="declared-start"):
        make_bridge("declared-strat", place.executor, place.robot, PANDA, place.inventory)


class Holding:
    """A robot with a red cube in its hand, as far as it says; its perception has the cube there."""

    def __init__(self, place, at):
        self.place, self.at = place, at

    def __getattr__(self, name):
        return getattr(self.place.robot, name)

    def observe(self):
        seen = self.place.robot.observe()
        state = replace(seen.state, holding="red_cube", grasping=True)
        cube = replace(seen.objects["red_cube"], pose=state.tool @ Pose.of(self.at))
        return replace(seen, state=state, objects={**seen.objects, "red_cube": cube})


def carrying(place, at, card=CARD):
    robot = Holding(place, at)
    executor = Executor(robot, PANDA, lambda event, **data: place.labels.append(data.get("label")))
    return make_bridge(DECLARED_START, executor, robot, PANDA, place.inventory).bring(card, STEP, 0, 30.0)


def test_what_is_held_is_taken_along_and_never_let_go(place):
    width = place.world.setpoint.width
    handoff = carrying(place, (0.0, 0.0, 0.0))
    assert handoff.ok and handoff.method == DECLARED_START
    assert "letting go" not in place.labels and place.world.setpoint.width == width


def test_where_there_is_no_way_with_what_is_held_the_arm_stays_where_it_is_and_says_so(place):
    before = place.state.q
    above = Starts(START, PANDA)._arm.tool(np.array(POSTURE))
    handoff = carrying(place, above.inverse().apply(place.world.referee.poses()["cabinet"].position))
    assert handoff.ok and handoff.method == NONE
    assert "holding red_cube" in handoff.outcome.message and handoff.told
    assert np.abs(place.state.q - before).max() < 0.01
