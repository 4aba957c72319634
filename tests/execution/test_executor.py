# SPDX-License-Identifier: Apache-2.0
"""Whatever a policy does, the arm is brought to rest and the reason is told."""

from __future__ import annotations

import numpy as np
import pytest

from robo_orch.errors import RenderError
from robo_orch.execution.executor import Executor
from robo_orch.policies.loaders import PolicyContext, load_policy
from robo_orch.policies.observation import Image
from robo_orch.policies.registry import Registry
from robo_orch.robots import load_robot
from robo_orch.sim.build import build
from robo_orch.skills import skill
from robo_orch.types import Code, Stage

CARD = Registry.load()["tamp/pick-place-v1"]
STEP = skill("pick_place").subgoal("red_cube", "plate")


@pytest.fixture(scope="module")
def fresh():
    robot = build("kitchen", "mujoco", 0, require=[("cube", "red"), ("plate", "")]).robot
    return robot, robot.snapshot()


@pytest.fixture
def robot(fresh):
    robot, beginning = fresh
    robot.restore(beginning)
    return robot


def run(robot, rogue: str, events: list, time_limit: float = 2.0):
    spec = load_robot("panda")
    card = CARD.model_copy(update={"loader": f"python:tests.rogues:{rogue}"})
    policy = load_policy(PolicyContext(spec, {}, card))
    executor = Executor(robot, spec, lambda event, **data: events.append((event, data)))
    return executor.run(policy, card, STEP, 0, time_limit)


@pytest.mark.parametrize(
    ("rogue", "code", "stage"),
    [
        ("Rogue", Code.OK, Stage.POLICY),
        ("Crash", Code.POLICY_ERROR, Stage.POLICY),
        ("NotANumber", Code.NON_FINITE_ACTION, Stage.SAFETY),
        ("Empty", Code.EMPTY_CHUNK, Stage.POLICY),
        ("Huge", Code.LIMIT_EXCEEDED, Stage.SAFETY),
        ("Idle", Code.TIMEOUT, Stage.POLICY),
        ("Nonsense", Code.POLICY_ERROR, Stage.POLICY),
    ],
)
def test_every_ending_has_a_code_and_leaves_the_arm_at_rest(robot, rogue, code, stage):
    outcome = run(robot, rogue, [])
    assert (outcome.code, outcome.stage) == (code, stage)
    assert np.abs(robot.observe().state.qd).max() < 1e-2
    if code is not Code.OK:
        assert outcome.message


def test_a_refused_chunk_does_not_move_the_arm(robot):
    before = robot.observe().state.q.copy()
    run(robot, "Huge", [])
    assert np.abs(robot.observe().state.q - before).max() < 2e-3


def test_an_interrupt_at_speed_still_stops_the_arm(robot):  # case C48
    with pytest.raises(KeyboardInterrupt):
        run(robot, "Interrupting", [])
    assert np.abs(robot.observe().state.qd).max() < 1e-2


def test_chunks_are_announced_with_what_they_are_for(robot):
    events = []
    run(robot, "Rogue", events)
    assert events[0][0] == "chunk" and (events[0][1]["steps"], events[0][1]["clipped"]) == (5, 0)


def test_holding_still_keeps_the_last_commanded_grip(robot):
    spec = load_robot("panda")
    executor = Executor(robot, spec)
    seen = list(executor.hold(0.2))
    assert len(seen) == round(0.2 / spec.period)
    assert np.abs(seen[-1].state.q - seen[0].state.q).max() < 2e-3


def looking(robot, monkeypatch, capture):
    """A run of a policy with two cameras, on a robot that takes pictures as ``capture`` does."""
    monkeypatch.setattr(robot, "capture", capture)
    inputs = {n: Image(kind="image", camera=n, size=s, normalize="fused") for n, s in SIZES.items()}
    card = CARD.model_copy(update={"loader": "python:tests.rogues:Looker", "observation": inputs})
    policy = load_policy(PolicyContext(load_robot("panda"), {}, card))
    return policy, Executor(robot, load_robot("panda")).run(policy, card, STEP, 0, 2.0)


SIZES = {"front": (8, 6), "wrist": (4, 4)}


def test_a_policy_with_cameras_is_given_the_pictures_of_now_at_every_look(robot, monkeypatch):
    def capture(sizes):
        return {n: np.full((h, w, 3), round(50 * robot.now), np.uint8) for n, (w, h) in sizes.items()}

    policy, outcome = looking(robot, monkeypatch, capture)
    assert outcome.ok and len(policy.seen) == 3
    assert {n: image.shape for n, image in policy.seen[0].items()} == {"front": (6, 8, 3), "wrist": (4, 4, 3)}
    assert policy.seen[2]["front"][0, 0, 0] == policy.seen[1]["front"][0, 0, 0] + 5


def test_a_camera_that_fails_while_a_policy_works_ends_it_with_the_reason(robot, monkeypatch):
    def capture(sizes):
        if robot.now > 0.05:
            raise RenderError("a picture", "no signal from front", "check its cable")
        return {n: np.zeros((h, w, 3), np.uint8) for n, (w, h) in sizes.items()}

    _, outcome = looking(robot, monkeypatch, capture)
    assert (outcome.code, outcome.stage) == (Code.NOT_PERCEIVED, Stage.POLICY)
    assert "no signal from front" in outcome.message
