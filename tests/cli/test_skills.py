# SPDX-License-Identifier: Apache-2.0
"""``skills list|show|check`` and ``run --policies``, as typed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from robo_orch.cli import main
from robo_orch.kernels.runtime import GPU, ort
from robo_orch.policies import inputs
from robo_orch.policies.golden import write as write_golden
from tests.policies.learned import SEEING, STILL, state_input, write

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "press"
HAS_GPU = bool(set(GPU) & set(ort.get_available_providers()))
GOAL = "stack the red cube on the blue cube"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(inputs, "embedded", lambda text: np.linspace(0, len(text), 384, dtype=np.float32))


def tell(capsys, *arguments):
    """Exit code and JSON of a command."""
    code = main([*map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def checked(capsys, folder, card="mine/still-v1"):
    code, told = tell(capsys, "skills", "check", card, "--policies", folder)
    (found,) = told["cards"]
    assert code == (0 if found["ok"] else 1)
    return found


def test_a_card_is_shown_in_full_with_what_was_measured(tmp_path, capsys):
    write(tmp_path, SEEING, start={"posture": [0.0] * 7, "within": [0.1, 0.1, 0.1], "turn": 0.2})
    (tmp_path / "measured.json").write_text(json.dumps({"mine/seeing-v1": {"success": 0.9, "n": 100}}))
    code, told = tell(capsys, "skills", "show", "mine/seeing-v1", "--policies", tmp_path)
    assert code == 0
    assert told["schema"] == 1 and told["folder"] == str(tmp_path) and len(told["version"]) == 12
    assert told["measured"] == {"success": 0.9, "n": 100}
    assert told["start"]["turn"] == 0.2
    assert main(["skills", "show", "mine/seeing-v1", "--policies", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    for words in (
        "camera wrist, 6 x 4 uint8 chw",
        "embedded by minilm-int8",
        "measured success",
        "start set",
        "rate_hz",
    ):
        assert words in shown


def test_every_shipped_card_can_be_shown(capsys):
    _, told = tell(capsys, "skills", "list")
    for card in told["cards"]:
        assert main(["skills", "show", card["id"]]) == 0
        assert card["id"] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["show", "tamp/pick-plaice-v1"], "did you mean tamp/pick-place-v1"),
        (["check", "tamp/pick-plaice-v1"], "did you mean tamp/pick-place-v1"),
        (["check"], "a CARD or --all"),
        (["check", "tamp/pick-place-v1", "--all"], "a CARD or --all"),
        (["check", "tamp/pick-place-v1", "--scene", "kichen"], "kitchen"),
        (["check", "tamp/pick-place-v1", "--policies", "nowhere"], "no such folder"),
    ],
)
def test_bad_input_is_three_lines_and_exit_2(capsys, arguments, named):
    assert main(["skills", *arguments]) == 2
    said = capsys.readouterr().err
    assert named in said and len(said.splitlines()) == 3


def test_measured_figures_that_cannot_be_read_are_an_error(tmp_path, capsys):
    write(tmp_path, STILL)
    (tmp_path / "measured.json").write_text("[1")
    assert main(["skills", "show", "mine/still-v1", "--policies", str(tmp_path)]) == 2
    assert "measured.json" in capsys.readouterr().err


def renamed_camera():
    wrist = SEEING["observation"]["wrist"] | {"camera": "wrist_cam"}
    return SEEING | {"id": "mine/still-v1", "observation": SEEING["observation"] | {"wrist": wrist}}


#: What is wrong: the card, what the message names, and whether a run finds it without a camera's names.
WRONG = {
    "missing weights": (STILL | {"loader": "onnx:gone.onnx"}, "gone.onnx", True),
    "statistics width": (
        STILL | state_input(normalize={"mean": [0.0] * 4, "std": [1.0] * 4}),
        "statistics of width 5 was expected, got 4",
        True,
    ),
    "renamed camera": (renamed_camera(), "did you mean wrist?", False),
    "unknown loader": (STILL | {"loader": "onx:still.onnx"}, "did you mean onnx", True),
    "action width": (STILL | {"action": STILL["action"] | {"dim": 8}}, "expected 7 components for panda, got 8", True),
    "action kind": (STILL | {"action": STILL["action"] | {"kind": "joint_delta"}}, "8 components for panda", True),
    "robot": (STILL | {"robots": ["ur5"]}, "one of ur5 was expected, got panda", True),
    "newer opset": (STILL | {"loader": "onnx:newer_opset.onnx"}, "opset 999", True),
    "no GPU": (STILL | {"require_gpu": True}, "a GPU, since require_gpu is set", True),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit_is_one_clear_problem(tmp_path, capsys, what):
    if what == "no GPU" and HAS_GPU:
        pytest.skip("there is a GPU")
    body, named, _ = WRONG[what]
    write(tmp_path, body)
    found = checked(capsys, tmp_path)
    (problem,) = found["problems"]
    assert named in problem and found["looks"] == 0
    assert main(["skills", "check", "mine/still-v1", "--policies", str(tmp_path)]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0].strip() for line in shown[1:]] == ["expected", "got", "remedy"]


@pytest.mark.parametrize("what", [what for what, (*_, runs) in WRONG.items() if runs])
def test_a_run_refuses_it_before_anything_moves(tmp_path, capsys, what):
    if what == "no GPU" and HAS_GPU:
        pytest.skip("there is a GPU")
    body, named, _ = WRONG[what]
    write(tmp_path / "mine", body)
    assert main(["run", GOAL, "--cards", "mine/still-v1", "--policies", "mine"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and named in err and len(err.splitlines()) == 3
    assert not list(tmp_path.glob("runs/*"))


def test_a_policy_made_elsewhere_is_checked_and_does_a_run(tmp_path, capsys):
    code, told = tell(capsys, "skills", "check", "mine/press-v1", "--policies", EXAMPLE)
    (found,) = told["cards"]
    assert code == 0 and found["ok"], found["problems"]
    assert found["looks"] >= 50 and found["clipped"] < 0.1 and found["golden"] <= 1e-4
    assert set(found["latency_ms"]) == {"p50", "p99", "pre", "infer", "post"}
    assert found["provider"].endswith("ExecutionProvider")
    options = ["--cards", "mine/press-v1", "--policies", EXAMPLE, "--seed", 1, "--no-video", "--out", tmp_path / "run"]
    code, told = tell(capsys, "run", "press the button", *options)
    assert code == 0 and told["success"]
    assert told["subgoals"][0]["card"] == "mine/press-v1"


def test_another_model_than_the_golden_vectors_is_a_problem(tmp_path, capsys):
    write(tmp_path, STILL, golden="golden.npz")
    wrong = {"action": np.full((1, 7), 0.5, np.float32)}
    write_golden(tmp_path / "golden.npz", {"state": np.zeros((1, 5), np.float32)}, wrong)
    (problem,) = checked(capsys, tmp_path)["problems"]
    assert "golden.npz" in problem
