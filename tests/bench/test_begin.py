# SPDX-License-Identifier: Apache-2.0
"""Where the arm stands when an episode begins."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from robo_orch.bench.begin import (
    HIGH,
    LOW,
    TILT,
    TRIES,
    Posture,
    Where,
    anywhere,
    put,
    recorded,
    shipped,
    starting,
)
from robo_orch.bridge.start import Starts
from robo_orch.errors import OptionError, SceneError
from robo_orch.motion.kinematics import Kinematics
from robo_orch.policies.card import StartSet
from robo_orch.policies.registry import Registry
from robo_orch.robots import load_robot

PANDA = load_robot("panda")
TAMP = Registry.load()["tamp/handle-v1"]
START = StartSet(posture=tuple(PANDA.home), within=(0.03,) * 3, turn=0.1, gripper=(0.02, 0.04))
HOMELY = TAMP.model_copy(update={"start": START})
ENDS = (Posture("press", tuple(PANDA.home + 0.1), 0.0), Posture("open_drawer", tuple(PANDA.home - 0.3), 0.04))


def drawn(draw, n=20, seed=0):
    rng = np.random.default_rng(seed)
    return [draw(rng) for _ in range(n)]


def test_in_is_drawn_from_what_the_card_declares_and_else_is_home():
    starts = Starts(START, PANDA)
    assert all(starts.contains(q, width) for q, width in drawn(starting(Where.IN, HOMELY, "open_drawer", PANDA)))
    (q, width), *_ = drawn(starting(Where.IN, TAMP, "open_drawer", PANDA))
    assert (q == PANDA.home).all() and width == PANDA.gripper.max_width


def test_random_is_anywhere_in_reach_with_the_hand_near_downwards_and_never_twice_the_same():
    kinematics = Kinematics(PANDA)
    found = drawn(anywhere(PANDA), 40)
    tools = [kinematics.forward(q) for q, _ in found]
    positions = np.array([tool.position for tool in tools])
    assert (positions > np.array(LOW) - 0.01).all() and (positions < np.array(HIGH) + 0.01).all()
    assert (np.ptp(positions, axis=0) > 0.6 * (np.array(HIGH) - LOW)).all()
    assert all(np.arccos(-tool.matrix[2, 2]) < TILT + 0.02 for tool in tools)
    assert len({round(float(p[0]), 6) for p in positions}) == 40


def test_terminal_is_near_where_another_skill_has_ended_and_continuous():
    found = drawn(starting(Where.TERMINAL, TAMP, "open_drawer", PANDA, ENDS), 50)
    away = np.array([q - ENDS[0].q for q, _ in found])
    assert 0.02 < away.std() < 0.04
    assert all(0.0 <= width < 0.03 for _, width in found) and len({width for _, width in found}) > 10


def test_without_ends_of_other_skills_terminal_starts_are_refused():
    with pytest.raises(OptionError, match="bench bank"):
        starting(Where.TERMINAL, TAMP, "press", PANDA, ENDS[:1])


def test_a_start_that_touches_something_is_drawn_again_a_bounded_number_of_times():
    touching = iter([True, True, False])
    simulation = SimpleNamespace(
        robot=SimpleNamespace(put=lambda q, width, seed: None),
        world=SimpleNamespace(arm_touches=lambda: next(touching)),
    )
    widths = iter(range(TRIES))
    assert put(simulation, lambda rng: (PANDA.home, next(widths)), np.random.default_rng(0))[1] == 2
    simulation.world.arm_touches = lambda: True
    with pytest.raises(SceneError, match="touches nothing"):
        put(simulation, lambda rng: (PANDA.home, 0.0), np.random.default_rng(0))


def test_a_file_of_ends_is_read_as_written_and_a_broken_one_refused(tmp_path):
    body = {"postures": [{"skill": "press", "card": "a/b-v1", "q": [0.1] * 7, "width": 0.02}]}
    (tmp_path / "good.json").write_text(json.dumps(body))
    (tmp_path / "bad.json").write_text('{"postures": [{}]}')
    assert recorded(tmp_path / "good.json") == (Posture("press", (0.1,) * 7, 0.02),)
    for name in ("bad.json", "none.json"):
        with pytest.raises(OptionError, match="end postures"):
            recorded(tmp_path / name)


def test_the_ends_that_ship_are_of_several_skills_and_within_the_limits():
    ends = recorded(shipped())
    assert len(ends) >= 30 and len({end.skill for end in ends}) >= 5
    q = np.array([end.q for end in ends])
    assert (q >= PANDA.limits.lower - 1e-3).all() and (q <= PANDA.limits.upper + 1e-3).all()
