# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.sim.build import build
from robo_orch.sim.perturb import HIDDEN_SECONDS
from robo_orch.sim.scenes import load_scene
from robo_orch.types import Pose

RED = ("cube", "red")
AREA = load_scene("kitchen").area


def simulated(seed=0, require=(RED,), **perturb):
    return build("kitchen", "mujoco", seed, require, perturb)


def ticks(simulation, seconds):
    for _ in range(round(seconds / simulation.robot.period)):
        simulation.robot.tick()


def model(simulation):
    return simulation.world._model


def true(simulation, name):
    return simulation.world.referee.poses()[name]


@pytest.fixture(scope="module")
def plain():
    return simulated()


@pytest.mark.parametrize("name", ["camera_shift", "lighting", "texture", "friction", "payload", "handle_stiffness"])
def test_a_perturbed_world_differs_in_what_is_said_and_lies_the_same(plain, name):
    value = {"camera_shift": 0.1, "lighting": 0.5, "texture": 0.7}.get(name, 0.5 if name == "payload" else 2.0)
    other = simulated(**{name: value})
    a, b = model(plain), model(other)
    same = {
        "camera_shift": np.allclose(a.cam_pos, b.cam_pos),
        "lighting": np.allclose(a.light_diffuse, b.light_diffuse),
        "texture": np.allclose(a.geom_rgba, b.geom_rgba),
        "friction": np.allclose(a.geom_friction, b.geom_friction),
        "payload": np.allclose(a.body_mass, b.body_mass),
        "handle_stiffness": np.allclose(a.dof_frictionloss, b.dof_frictionloss),
    }
    assert [n for n, is_same in same.items() if not is_same] == [name]
    np.testing.assert_array_equal(plain.layout.poses["red_cube"].position, other.layout.poses["red_cube"].position)


def test_amounts_are_as_asked(plain):
    cube, drawer = model(plain).body("red_cube"), model(plain).joint("drawer")
    heavy, stiff = simulated(payload=0.4), simulated(handle_stiffness=5)
    assert model(heavy).body("red_cube").mass == pytest.approx(cube.mass + 0.4)
    assert model(stiff).joint("drawer").frictionloss == pytest.approx(5 * drawer.frictionloss)
    assert model(stiff).joint("drawer").damping == pytest.approx(5 * drawer.damping)
    shifted = model(simulated(camera_shift=0.1))
    off = np.linalg.norm(shifted.cam_pos - model(plain).cam_pos, axis=1)
    mounted = [bool(plain.layout.cameras[model(plain).camera(i).name].mount) for i in range(len(off))]
    np.testing.assert_allclose(off, np.where(mounted, 0.0, 0.1), atol=1e-9)


def test_an_object_of_the_goal_is_moved_at_its_time_and_stays_within_the_area():
    simulation = simulated(object_moved=0.4)
    before = true(simulation, "red_cube").position
    ticks(simulation, 0.38)
    assert np.linalg.norm(true(simulation, "red_cube").position - before) < 1e-3
    ticks(simulation, 0.5)
    after = true(simulation, "red_cube").position
    assert 0.05 < np.linalg.norm(after - before) < 0.16
    assert AREA.holds(after[None]).all()


def test_a_hidden_object_is_remembered_until_the_cover_is_gone():
    simulation = simulated(object_hidden=0.5)
    seen = []
    for seconds in (0.4, 0.6, HIDDEN_SECONDS):
        ticks(simulation, seconds)
        seen.append(simulation.robot.observe().objects["red_cube"].visible)
    assert seen == [True, False, True]


def test_an_open_drawer_is_shut_with_what_is_in_it():
    simulation = simulated(drawer_closed_again=1.0)
    world, drawer = simulation.world, simulation.layout.inventory["drawer"]
    world.move_part("drawer", 0.2)
    inside = true(simulation, "drawer") @ Pose.of(drawer.surfaces[0].centre + np.array([0, 0, 0.03]))
    world.place("red_cube", inside)
    ticks(simulation, 0.9)
    offset = true(simulation, "drawer").inverse() @ true(simulation, "red_cube")
    ticks(simulation, 0.5)
    joint = drawer.joint
    assert joint.value(true(simulation, joint.parent), true(simulation, "drawer")) == pytest.approx(0.0, abs=2e-3)
    now = true(simulation, "drawer").inverse() @ true(simulation, "red_cube")
    assert np.linalg.norm(now.position - offset.position) < 5e-3


def test_the_same_settings_make_the_same_run():
    hashes = set()
    for _ in range(2):
        simulation = simulated(object_moved=0.2, friction=0.7, drawer_closed_again=0.3, bystanders=2)
        ticks(simulation, 0.6)
        hashes.add(simulation.world.state_hash)
    assert len(hashes) == 1


def test_a_world_laid_out_again_is_perturbed_again():
    simulation = simulated(bystanders=2, payload=0.3, object_hidden=0.2)
    simulation.world.reset(5)
    layout = simulation.world.layout
    assert layout.seed == 5 and layout.bystanders == 2
    assert model(simulation).body("red_cube").mass == pytest.approx(layout.inventory["red_cube"].mass + 0.3)
