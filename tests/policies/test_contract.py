# SPDX-License-Identifier: Apache-2.0
"""Card, robot, cameras and model fit together, or it is said in what they do not."""

from __future__ import annotations

import pytest

from robo_orch.errors import CardError
from robo_orch.kernels.tensors import spec_of
from robo_orch.policies.contract import action_problem, camera_problems, check, model_problems, robot_problems
from tests.policies.learned import PANDA, SEEING, STILL, card, state_input


def tensors(*told):
    return {name: spec_of(name, f"tensor({kind})", dims) for name, kind, dims in told}


STATE, ACTION = ("state", "float", ["n", 5]), ("action", "float", ["n", 7])
ALL = [
    ("words", "float", ["n", 384]),
    ("wrist", "uint8", ["n", 3, 4, 6]),
    ("state", "float", ["n", 9]),
    ("prefix", "float", ["n", 4, 7]),
    ("kept", "int64", ["n"]),
]
SAID = tensors(("actions", "float", [1, 4, 7]), ("sure", "float", ["n", 1]), ("complete", "float", ["n"]))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"action": STILL["action"] | {"dim": 8}}, "action: expected 7 components for panda, got 8"),
        ({"action": STILL["action"] | {"rotation": "xyzw"}}, "expected 8 components"),
        ({"action": STILL["action"] | {"kind": "joint_delta"}}, "expected 8 components"),
        ({"robots": ["ur5"]}, "one of ur5 was expected, got panda"),
        ({"rate_hz": 7}, "divides 50 Hz was expected, got 7"),
        ({"start": {"posture": [0.0] * 6, "within": [0, 0, 0], "turn": 0}}, "7 joints were expected for panda, got 6"),
        (state_input(normalize={"mean": [0.0] * 4, "std": [1.0] * 4}), "statistics of width 5 was expected, got 4"),
        (state_input(low=[0.0] * 6, high=[1.0] * 6), "range of width 5 was expected, got 6"),
    ],
)
def test_what_does_not_fit_the_robot_is_named(tmp_path, changes, named):
    (problem,) = robot_problems(card(tmp_path, **changes), PANDA)
    assert named in problem


def test_what_fits_has_no_problems(tmp_path):
    for body in (STILL, SEEING):
        assert robot_problems(card(tmp_path, body), PANDA) == []
    assert model_problems(card(tmp_path), tensors(STATE), tensors(ACTION), PANDA) == []
    assert model_problems(card(tmp_path, SEEING), tensors(*ALL), SAID, PANDA) == []


def test_statistics_of_pictures_have_one_number_a_channel(tmp_path):
    picture = SEEING["observation"]["wrist"] | {"dtype": "float32", "normalize": {"mean": [0.5], "std": [0.2]}}
    made = card(tmp_path, SEEING, observation=SEEING["observation"] | {"wrist": picture})
    assert robot_problems(made, PANDA) == ["wrist: statistics of width 3 was expected, got 1"]


def test_a_camera_that_is_not_there_is_never_replaced_by_another(tmp_path):
    made = card(tmp_path, SEEING)
    assert camera_problems(made, ["front", "wrist"]) == []
    (problem,) = camera_problems(made, ["front", "wrist_cam"])
    assert problem.endswith("got front, wrist_cam; did you mean wrist_cam?")
    assert camera_problems(made, [])[0].endswith("got none")


@pytest.mark.parametrize(
    ("inputs", "named"),
    [
        ([("obs", "float", ["n", 5])], "an input of the model named 'state' was expected, got obs"),
        ([STATE, ("goal", "float", ["n", 3])], "an input in the card named 'goal'"),
        ([("state", "float", ["n", 6])], "float32 [1, 5] was expected, as the card says, got float32 [?, 6]"),
        ([("state", "double", ["n", 5])], "got float64 [?, 5]"),
        ([("state", "float", [2, 5])], "got float32 [2, 5]"),
        ([("state", "float", [5])], "got float32 [5]"),
    ],
)
def test_inputs_of_the_model_are_matched_by_name_type_and_shape(tmp_path, inputs, named):
    assert any(named in p for p in model_problems(card(tmp_path), tensors(*inputs), tensors(ACTION), PANDA))


@pytest.mark.parametrize("i", range(len(ALL)))
def test_every_kind_of_input_is_checked(tmp_path, i):
    name, kind, dims = ALL[i]
    changed = [*ALL[:i], (name, kind, [*dims, 2]), *ALL[i + 1 :]]
    (problem,) = model_problems(card(tmp_path, SEEING), tensors(*changed), SAID, PANDA)
    assert problem.startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("changes", "outputs", "named"),
    [
        ({}, [("act", "float", ["n", 7])], "an output of the model named 'action' was expected, got act; did you mean"),
        ({}, [("action", "float", ["n", 8])], "actions [1, 1, 7] were expected, as chunk and action say, got [?, 8]"),
        ({"chunk": {"length": 4}}, [ACTION], "[1, 4, 7] were expected"),
        ({"outputs": {"confidence": "action"}}, [ACTION], "one number was expected"),
        ({"finish": {"by": "completion"}}, [ACTION], "outputs.completion was expected"),
    ],
)
def test_outputs_of_the_model_are_what_the_card_says(tmp_path, changes, outputs, named):
    assert any(named in p for p in model_problems(card(tmp_path, **changes), tensors(STATE), tensors(*outputs), PANDA))


def test_a_model_takes_no_words_as_they_are(tmp_path):
    words = SEEING["observation"] | {"words": {"kind": "text", "encoder": "none"}}
    made = card(tmp_path, SEEING, observation=words)
    assert any("an encoder was expected" in p for p in model_problems(made, tensors(*ALL), SAID, PANDA))


def test_one_action_may_leave_the_axis_of_time_out_and_several_may_not(tmp_path):
    one, four = card(tmp_path), card(tmp_path, SEEING)
    assert action_problem(one, (1, 7)) == action_problem(one, (None, 1, 7)) == action_problem(four, (1, 4, 7)) == ""
    for wrong in ((7,), (2, 7), (1, 2, 7), (1, 7, 1), ()):
        assert action_problem(one, wrong)
    assert action_problem(four, (1, 28))


def test_all_problems_are_told_in_three_lines(tmp_path):
    check(card(tmp_path), [])
    with pytest.raises(CardError) as error:
        check(card(tmp_path), ["one", "another"])
    assert "one; another" in error.value.got and "mine/still-v1" in error.value.expected
    assert error.value.outcome().code == "CONTRACT"
