# SPDX-License-Identifier: Apache-2.0
"""The shipped classifier on the simulated robot's pictures; and what keeps one from seeing is a reason, no error."""

from __future__ import annotations

import shutil

import pytest

from robo_orch.errors import ModelError, RenderError
from robo_orch.execution.executor import Executor
from robo_orch.robots.spec import load_robot
from robo_orch.sim.build import build
from robo_orch.sim.gl import gl_backend
from robo_orch.types import Code, Pose, Predicate
from robo_orch.verification import verify
from robo_orch.verification.classifier import DESCRIPTION, SHIPPED, Classifier, Witness, described

FACT = Predicate("on", ("red_bowl", "tray"))
SPEC = load_robot("panda")
needs_gl = pytest.mark.skipif(gl_backend().backend is None, reason=gl_backend().message)


@pytest.fixture(scope="module")
def simulation():
    made = build("kitchen", "mujoco", 100_003, require=[("bowl", "red")])
    yield made
    made.world.close()


def judged(simulation, witness):
    watch = Executor(simulation.robot, SPEC).hold(0.5)
    return verify(FACT, simulation.layout.inventory, watch, sight=witness)


@pytest.mark.gl
@needs_gl
def test_a_bowl_on_the_tray_is_told_from_one_beside_it(simulation):
    tray = simulation.world.referee.poses()["tray"]
    found = {}
    for name, local in {"on": (0.0, 0.0, 0.06), "beside": (-0.2, 0.0, 0.06)}.items():
        simulation.world.place("red_bowl", Pose.of(tray.apply(local)))
        for _ in range(25):
            simulation.robot.tick()
        found[name] = judged(simulation, Witness(simulation.robot, SPEC))
        assert simulation.world.referee.holds(FACT) is (name == "on")
    assert found["on"].code is Code.OK
    assert found["on"].by == "classifier" and found["on"].verifier == described(SHIPPED).id  # case C33
    assert found["beside"].code is not Code.OK
    assert found["beside"].completion < found["on"].completion


def test_without_weights_it_is_unknown_and_says_so(simulation, tmp_path):
    verdict = judged(simulation, Witness(simulation.robot, SPEC, tmp_path))
    assert verdict.by == "predicates"
    assert verdict.code is not Code.OK
    assert "no visual classifier" in Witness(simulation.robot, SPEC, tmp_path).look(FACT, simulation.layout.inventory)


def test_without_pictures_there_is_a_reason(simulation, monkeypatch):
    def blind(sizes):
        raise RenderError("a GL backend", "no GL here", "install one")

    monkeypatch.setattr(simulation.robot, "capture", blind)
    assert "no GL here" in Witness(simulation.robot, SPEC).look(FACT, simulation.layout.inventory)


class Eyeless:
    """A robot without the cameras that the classifier knows."""

    cameras = ("ceiling",)


def test_a_robot_with_other_cameras_is_not_judged_by_pictures():
    said = Witness(Eyeless(), SPEC).look(FACT, {})
    assert "side" in said and "ceiling" in said


def test_other_weights_than_described_are_refused(tmp_path):
    for name in (DESCRIPTION, "model.onnx"):
        shutil.copy(SHIPPED / name, tmp_path)
    path = tmp_path / DESCRIPTION
    path.write_text(path.read_text().replace(described(SHIPPED).sha256, "f" * 64))
    with pytest.raises(ModelError, match="SHA-256"):
        Classifier(tmp_path)
    path.unlink()
    with pytest.raises(ModelError, match="train it"):
        Classifier(tmp_path)
