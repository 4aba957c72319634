# SPDX-License-Identifier: Apache-2.0
"""Poses obey the axioms of rigid transforms; one vocabulary of codes, and it is documented."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robo_orch.types import ActionKind, ActionSpace, Code, Pose, Predicate

coordinate = st.floats(-2.0, 2.0)
axis = st.floats(-1.0, 1.0)


@st.composite
def poses(draw) -> Pose:
    quaternion = np.array([draw(axis) for _ in range(4)])
    if np.linalg.norm(quaternion) < 0.1:
        quaternion = np.array([0.0, 0.0, 0.0, 1.0])
    return Pose.of([draw(coordinate) for _ in range(3)], quaternion)


def same(a: Pose, b: Pose) -> bool:
    distance, _ = a.distance(b)
    return distance < 1e-9 and np.allclose(a.matrix, b.matrix, atol=1e-9)


@given(poses(), poses(), poses())
def test_composition_is_associative(a, b, c):
    assert same((a @ b) @ c, a @ (b @ c))


@given(poses())
def test_the_inverse_undoes(a):
    assert same(a @ a.inverse(), Pose.of()) and same(a.inverse() @ a, Pose.of())


@given(poses(), poses())
def test_composing_is_applying_in_turn(a, b):
    points = np.array([[0.1, -0.2, 0.3], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose((a @ b).apply(points), a.apply(b.apply(points)), atol=1e-9)


@given(poses(), poses())
def test_arithmetic_agrees_with_scipy(a, b):
    np.testing.assert_allclose(a.matrix, a.rotation.as_matrix(), atol=1e-12)
    np.testing.assert_allclose((a @ b).matrix, (a.rotation * b.rotation).as_matrix(), atol=1e-12)
    angle = (a.rotation.inv() * b.rotation).magnitude()
    assert a.distance(b)[1] == pytest.approx(angle, abs=1e-6)


@given(poses())
def test_quaternion_orders_convert_both_ways(a):
    assert same(Pose.from_wxyz(a.position, a.wxyz), a)
    assert same(Pose.from_rotation(a.position, Rotation.from_quat(a.quaternion)), a)


@pytest.mark.parametrize("position", [(np.nan, 0, 0), (np.inf, 0, 0)])
def test_a_pose_that_is_not_finite_is_refused(position):
    with pytest.raises(ValueError, match="finite"):
        Pose.of(position)
    with pytest.raises(ValueError, match="non-zero"):
        Pose.of((0, 0, 0), (0, 0, 0, 0))


def test_a_negated_predicate_reads_and_negates_back():
    fact = Predicate("on", ("red_cube", "plate"))
    assert str(fact.negate()) == "not on(red_cube, plate)" and fact.negate().negate() == fact


def test_action_spaces_compare_by_meaning():
    assert ActionSpace(ActionKind.EE_DELTA, 7) != ActionSpace(ActionKind.EE_POSE, 7)


def test_every_code_is_tabulated_in_the_architecture():
    text = (Path(__file__).parents[1] / "ARCHITECTURE.md").read_text()
    assert [code for code in Code if f"`{code}`" not in text] == []
