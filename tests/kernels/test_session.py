# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

from robo_orch.errors import ModelError
from robo_orch.kernels.runtime import CPU
from robo_orch.kernels.session import KEPT, Session

MODELS = Path(__file__).parent / "models"
WEIGHTS = np.arange(12, dtype=np.float32).reshape(3, 4)


def load(name):
    return Session.load(MODELS / f"{name}.onnx", providers=[CPU])


def policy_inputs(n=1, seed=0):
    rng = np.random.default_rng(seed)
    images = {name: rng.integers(0, 256, (n, 4, 6, 3), np.uint8) for name in ("front", "wrist")}
    return images | {"state": rng.normal(size=(n, 5)).astype(np.float32)}


def assert_says(error, *words):
    text = str(error.value)
    assert all(word in text for word in words), text
    assert "onnxruntime_src" not in text and len(text.splitlines()) == 3


class TestLoad:
    def test_it_tells_what_the_model_takes_and_gives(self):
        session = load("policy")
        assert list(session.inputs) == ["front", "wrist", "state"]
        assert session.inputs["front"].shape == (None, 4, 6, 3)
        assert session.inputs["front"].dtype == np.uint8
        assert session.outputs["action"].shape == (None, 5)
        assert session.metadata == {"made_for": "tests"}

    def test_path_text_and_bytes_are_the_same(self):
        path = MODELS / "linear.onnx"
        x = {"x": np.ones((1, 3), np.float32)}
        first, *others = [
            Session.load(source, providers=[CPU]).run(x)["y"] for source in (path, str(path), path.read_bytes())
        ]
        assert all(np.array_equal(first, other) for other in others)

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("newer_opset", ("opset up to", "999")),
            ("newer_ir", ("IR version up to", "999")),
            ("words", ("numbers",)),
            ("external", ("weights", "external.bin", "copy the weights file beside it")),
        ],
    )
    def test_what_the_runtime_cannot_run_is_refused_in_one_message(self, name, words):
        with pytest.raises(ModelError) as error:
            load(name)
        assert_says(error, *words)

    @pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
    def test_a_truncated_file_is_said_to_be_one(self, tmp_path, share):
        whole = (MODELS / "policy.onnx").read_bytes()
        path = tmp_path / "cut.onnx"
        path.write_bytes(whole[: int(share * len(whole))])
        for source in (path, path.read_bytes()):
            with pytest.raises(ModelError) as error:
                Session.load(source)
            assert_says(error, "ends early")

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"", "empty"),
            (b"hello", "something else"),
            (b"PK\x03\x04 torch", "something else"),
            (b"version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"),
        ],
    )
    def test_a_file_that_is_no_model_is_said_to_be_none(self, content, words):
        with pytest.raises(ModelError) as error:
            Session.load(content)
        assert_says(error, words)

    def test_a_missing_file_and_a_folder_are_told_apart(self, tmp_path):
        with pytest.raises(ModelError, match="does not exist"):
            Session.load(tmp_path / "none.onnx")
        with pytest.raises(ModelError, match="a folder"):
            Session.load(tmp_path)


class TestRun:
    @pytest.mark.parametrize("n", [1, 2, 7])
    def test_it_gives_what_the_bare_runtime_gives(self, n):
        inputs = policy_inputs(n)
        bare = ort.InferenceSession(str(MODELS / "policy.onnx"), providers=[CPU])
        expected = dict(zip(("brightness", "action"), bare.run(None, inputs), strict=True))
        ours = load("policy").run(inputs)
        assert list(ours) == list(expected)
        assert all(np.array_equal(ours[name], expected[name]) for name in expected)

    def test_results_outlive_the_next_run(self):
        session = load("linear")
        first = session.run({"x": np.zeros((1, 3), np.float32)})["y"]
        session.run({"x": np.ones((1, 3), np.float32)})
        assert first.tolist() == [[1, 1, 1, 1]]

    def test_without_copy_the_buffer_is_used_again(self):
        session = load("linear")
        first = session.run({"x": np.zeros((1, 3), np.float32)}, copy=False)["y"]
        second = session.run({"x": np.ones((1, 3), np.float32)}, copy=False)["y"]
        assert np.shares_memory(first, second)
        assert not np.shares_memory(first, session.run({"x": np.zeros((1, 3), np.float32)})["y"])

    def test_inputs_are_read_in_any_layout_and_left_alone(self):
        wide = np.arange(12, dtype=np.float32).reshape(2, 6)
        x, before = wide[:, ::2], wide.copy()
        y = load("linear").run({"x": x})["y"]
        assert np.allclose(y, x @ WEIGHTS + 1)
        assert np.array_equal(wide, before)

    def test_many_shapes_in_turn_stay_right(self):
        session = load("linear")
        for n in [*range(1, KEPT + 4), 1, 2]:
            x = np.full((n, 3), n, np.float32)
            assert np.allclose(session.run({"x": x})["y"], x @ WEIGHTS + 1)
        assert len(session._bindings) <= KEPT

    def test_an_output_of_unforeseen_size_is_given_whole(self):
        session = load("nonzero")
        for values in ([1, 0, 2], [0, 0, 5], [1, 1, 1], [0, 0, 0]):
            x = np.array(values, np.float32)
            result = session.run({"x": x})
            assert result["where"].tolist() == [np.flatnonzero(x).tolist()]
            assert np.array_equal(result["same"], x)

    def test_threads_that_share_a_session_get_their_own_results(self):
        session, wrong = load("linear"), []

        def work(value):
            x = np.full((1, 3), value, np.float32)
            for _ in range(200):
                if not np.allclose(session.run({"x": x})["y"], x @ WEIGHTS + 1):
                    wrong.append(value)

        threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong

    def test_a_model_that_fails_as_it_runs_is_told_in_one_message(self):
        with pytest.raises(ModelError) as error:
            load("breaks").run({"x": np.ones((2, 3), np.float32)})
        assert_says(error, "breaks.onnx", "Reshape")


class TestRefusals:
    def refused(self, change, *words):
        """A session that has seen good inputs refuses bad ones all the same, and one that has not, too."""
        for warm in (False, True):
            session = load("policy")
            if warm:
                session.run(policy_inputs())
            inputs = policy_inputs()
            change(inputs)
            with pytest.raises(ModelError) as error:
                session.run(inputs)
            assert_says(error, *words)

    def test_a_renamed_camera_is_refused_with_the_closest_name(self):
        self.refused(lambda i: i.update(frnt=i.pop("front")), "'frnt'", "did you mean front?")

    def test_a_missing_input_is_refused(self):
        self.refused(lambda i: i.pop("wrist"), "wrist", "by its name")

    def test_an_input_too_many_is_refused(self):
        self.refused(lambda i: i.update(depth=i["front"]), "'depth'", "leave it out")

    def test_another_width_is_refused(self):
        self.refused(lambda i: i.update(state=np.zeros((1, 6), np.float32)), "state", "[1, 6]")

    def test_a_missing_batch_axis_is_refused(self):
        self.refused(lambda i: i.update(state=np.zeros(5, np.float32)), "state", "[5]")

    def test_an_empty_batch_is_refused(self):
        self.refused(lambda i: i.update(state=np.zeros((0, 5), np.float32)), "[0, 5]")

    def test_inputs_with_unequal_batches_are_refused(self):
        self.refused(lambda i: i.update(state=np.zeros((2, 5), np.float32)), "'n'", "1 in front and 2 in state")

    def test_another_dtype_is_refused_not_converted(self):
        self.refused(lambda i: i.update(state=i["state"].astype(np.float64)), "float64", "numpy.float32")

    def test_a_list_is_refused(self):
        self.refused(lambda i: i.update(state=i["state"].tolist()), "list")

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_numbers_that_are_not_finite_are_refused_with_their_place(self, value):
        def change(inputs):
            inputs["state"][0, 3] = value

        self.refused(change, "'state'", "1 of 5", "[0, 3]")

    def test_huge_finite_numbers_are_no_reason_to_refuse(self):
        inputs = policy_inputs()
        inputs["state"][:] = np.finfo(np.float32).max
        assert np.array_equal(load("policy").run(inputs)["action"], inputs["state"])


class TestRunBatch:
    def test_a_free_batch_takes_one_pass_and_is_split_again(self, monkeypatch):
        session = load("policy")
        items = [policy_inputs(n, seed=n) for n in (1, 2, 1)]
        expected = [session.run(item) for item in items]
        passes = []
        run = session.run
        monkeypatch.setattr(session, "run", lambda inputs: passes.append(1) or run(inputs))
        results = session.run_batch(items)
        assert len(passes) == 1
        for result, other in zip(results, expected, strict=True):
            assert all(np.allclose(result[name], other[name]) for name in other)

    def test_a_fixed_batch_runs_one_after_the_other(self):
        session = load("single")
        assert not session.dynamic_batch
        items = [{"x": np.full((1, 3), value, np.float32)} for value in range(3)]
        for item, result in zip(items, session.run_batch(items), strict=True):
            assert np.allclose(result["y"], item["x"] @ WEIGHTS + 1)

    def test_a_bad_item_is_refused_as_in_run(self):
        with pytest.raises(ModelError, match="'frnt'"):
            load("policy").run_batch([policy_inputs(), {"frnt": policy_inputs()["front"]}])

    def test_nothing_gives_nothing(self):
        assert load("policy").run_batch([]) == []


class TestWarmUp:
    @pytest.mark.parametrize("name", ["policy", "single", "nonzero"])
    def test_any_model_warms_up_on_zeros(self, name):
        load(name).warm_up(batch=2)

    def test_it_leaves_the_buffers_for_the_batch_that_will_come(self):
        session = load("linear")
        session.warm_up(batch=3)
        (binding,) = session._bindings.values()
        session.run({"x": np.ones((3, 3), np.float32)})
        assert list(session._bindings.values()) == [binding]


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu")
class TestOnGpu:
    @pytest.mark.parametrize("n", [1, 2, 7])
    def test_pictures_and_numbers_give_what_they_give_on_the_cpu(self, n):
        session = Session.load(MODELS / "policy.onnx", require_gpu=True)
        inputs = policy_inputs(n)
        for _ in range(3):
            ours, theirs = session.run(inputs), load("policy").run(inputs)
            assert all(np.allclose(ours[name], theirs[name], atol=1e-2) for name in theirs)

    def test_an_output_of_unforeseen_size_comes_back_whole(self):
        session = Session.load(MODELS / "nonzero.onnx", require_gpu=True)
        for values in ([1, 0, 2], [0, 0, 5]):
            assert session.run({"x": np.array(values, np.float32)})["where"].tolist() == [
                np.flatnonzero(values).tolist()
            ]
