# SPDX-License-Identifier: Apache-2.0
"""Skills can be trained: the world as gymnasium wants it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the train extra is not installed")

from gymnasium.utils.env_checker import check_env

from robo_orch.errors import OptionError
from robo_orch.robots import load_robot
from robo_orch.robots.actions import width_of
from robo_orch.sim import gl
from robo_orch.sim.gym import KitchenEnv, Task, action_bounds
from robo_orch.skills import skill
from robo_orch.types import ActionKind, ActionSpace, DeltaReference, GripperEncoding

ROBOT = load_robot("panda")


def task(name, *args, require=()):
    kind = skill(name)
    subgoal = kind.subgoal(*args)
    bounds = [(c.between, c.newtons) for c in kind.contacts]
    return Task(subgoal.predicate, subgoal.args, bounds, kind.hold_seconds, require)


OPEN = task("open_drawer", "drawer")


@pytest.fixture(scope="module")
def env():
    return KitchenEnv(OPEN, alone=True, seeds=range(1))


def arrays(observation):
    return np.concatenate([np.ravel(value) for value in observation.values()])


@pytest.mark.filterwarnings("ignore:.*infinity.*", "ignore:.*spec.*", "ignore:.*symmetric.*")
def test_gymnasiums_own_checker_is_content(env):
    check_env(env, skip_render_check=True)


def test_the_same_seed_repeats_an_episode_and_another_differs(env):
    def episode(seed):
        observation, _ = env.reset(seed=seed)
        rng, seen = np.random.default_rng(seed), [arrays(observation)]
        for _ in range(6):
            action = rng.uniform(env.action_space.low, env.action_space.high)
            seen.append(arrays(env.step(action)[0]))
        return np.array(seen)

    np.testing.assert_array_equal(episode(3), episode(3))
    assert not np.array_equal(episode(3), episode(4))


def test_an_episode_goes_on_from_a_snapshot_bit_equal(env):
    """C71"""
    env.reset(seed=1)
    actions = np.random.default_rng(0).uniform(env.action_space.low, env.action_space.high, (12, 7))
    for action in actions[:5]:
        env.step(action)
    snapshot, ends = env.snapshot(), []
    for _ in range(2):
        env.reset(options={"snapshot": snapshot})
        ends.append([arrays(env.step(action)[0]) for action in actions[5:]])
        ends[-1].append(env.simulation.world.state_hash)
    np.testing.assert_array_equal(ends[0][:-1], ends[1][:-1])
    assert ends[0][-1] == ends[1][-1]


def test_doing_the_task_safely_ends_in_success(env):
    """The drawer opened by somebody else is open all the same; success waits until it has been for its time."""
    env.reset(seed=0)
    still = np.zeros(7)
    assert not env.step(still)[2]
    env.simulation.world.move_part("drawer", 0.2)
    seconds, done = 0.0, False
    while not done:
        _, reward, done, late, info = env.step(still)
        seconds += 0.1
        assert not late
    assert info["success"] and reward == 1.0 and "unsafe" not in info
    assert seconds == pytest.approx(OPEN.hold_seconds + 0.1, abs=0.11)


def test_what_is_unsafe_ends_the_episode_and_says_why(env):
    _, info = env.reset(seed=0)
    down = np.array([0.0, 0.0, -0.03, 0.0, 0.0, 0.0, 0.0])
    for _ in range(60):
        _, reward, done, late, info = env.step(down)
        if done or late:
            break
    assert done and not info["success"] and reward == -1.0
    assert "N allowed" in info["unsafe"] and info["strain"] > 1.0


def test_time_runs_out():
    env = KitchenEnv(OPEN, alone=True, seeds=[0], time_limit=0.3)
    env.reset(seed=0)
    ends = [env.step(np.zeros(7))[3] for _ in range(3)]
    assert ends == [False, False, True]


def test_the_reward_is_told_what_happened():
    told = []
    env = KitchenEnv(OPEN, alone=True, seeds=[0], reward=lambda m: told.append(m) or 0.5)
    env.reset(seed=0)
    _, reward, *_ = env.step(np.full(7, 0.01))
    (moment,) = told
    assert reward == 0.5
    assert moment.after.stamp - moment.before.stamp == pytest.approx(0.1)
    assert not moment.holds and moment.verdict.safe and 0 <= moment.strain < 1


def test_starts_are_drawn_from_what_is_given_and_begin_there():
    def start(rng):
        return ROBOT.home + rng.uniform(-0.2, 0.2, 7), 0.02

    env = KitchenEnv(OPEN, alone=True, seeds=[0], start=start)
    first, second = (env.reset(seed=s)[0] for s in (1, 2))
    assert 0.01 < np.abs(first["q"] - second["q"]).max() < 0.4
    assert np.abs(first["q"] - ROBOT.home).max() < 0.22 and first["gripper"][0] == pytest.approx(0.02, abs=2e-3)
    there, _ = env.reset(options={"start": (ROBOT.home + 0.1, 0.05)})
    np.testing.assert_allclose(there["q"], ROBOT.home + 0.1, atol=5e-3)


def test_only_what_the_task_names_stands_about_when_it_is_alone():
    cube = task("pick_place", "red_cube", "plate", require=[("cube", "red"), ("plate", "")])
    envs = [KitchenEnv(cube, seeds=[0], alone=alone) for alone in (True, False)]
    for env in envs:
        observation, _ = env.reset(seed=0)
        assert observation["objects"].shape == (2, 17)
        assert (observation["objects"][:, 14] == 1.0).all()
    movable = [[o for o in env.simulation.layout.inventory.values() if not o.fixed and not o.joint] for env in envs]
    assert {o.name for o in movable[0]} == {"red_cube", "plate"} < {o.name for o in movable[1]}


@pytest.mark.parametrize("kind", list(ActionKind))
def test_every_action_space_offers_actions_that_the_robot_can_be_given(kind):
    for rotation in ("none", "rotvec", "xyzw") if kind.startswith("ee") else ("none",):
        reference = DeltaReference.MEASURED if kind.endswith("delta") else DeltaReference.NONE
        for gripper in GripperEncoding:
            bare = ActionSpace(kind, 0, rotation=rotation, reference=reference, gripper=gripper)
            space = ActionSpace(kind, width_of(bare, ROBOT), "base", rotation, reference, gripper)
            low, high = action_bounds(space, ROBOT, 0.1)
            assert low.shape == high.shape == (space.dim,)
            assert (low < high).all()


@pytest.mark.gl
@pytest.mark.skipif(gl.gl_backend().backend is None, reason=gl.gl_backend().message)
def test_cameras_that_are_asked_for_are_observed():
    env = KitchenEnv(OPEN, alone=True, seeds=[0], cameras={"wrist": (64, 48)}, render_mode="rgb_array")
    observation, _ = env.reset(seed=0)
    assert observation["image_wrist"].shape == (48, 64, 3) and observation in env.observation_space
    assert env.render().shape == (480, 640, 3)
    env.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rate_hz": 30.0}, "divides 50 Hz"),
        ({"space": ActionSpace(ActionKind.JOINT_POSITION, 3)}, "expected 8 components"),
    ],
)
def test_a_rate_or_space_that_the_robot_has_not_is_refused(options, words):
    with pytest.raises(OptionError, match=words):
        KitchenEnv(OPEN, **options)


def test_the_kitchen_can_be_perturbed_by_the_seed_of_the_layout():
    env = KitchenEnv(OPEN, alone=True, seeds=[0, 1], perturb=lambda seed: {"handle_stiffness": 1.0 + 9.0 * seed})

    def friction(seed):
        env.reset(seed=0, options={"layout": seed})
        model = env.simulation.world.snapshot().data.model
        return model.dof_frictionloss[model.joint("drawer").dofadr.item()]

    assert friction(1) == pytest.approx(10.0 * friction(0))


def test_a_wrong_perturbation_is_told():
    with pytest.raises(OptionError, match="handle_stiffness"):
        KitchenEnv(OPEN, perturb={"handle_stifness": 2.0})
