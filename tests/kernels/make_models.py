# SPDX-License-Identifier: Apache-2.0
"""Writes tests/kernels/models/*.onnx: ``python tests/kernels/make_models.py`` (needs onnx, from the [train] extra).

The files are committed, so that the tests run on the base alone.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = Path(__file__).parent / "models"
#: An opset and an IR version that every ONNX Runtime of the supported range knows, and that none does.
OPSET, IR, FUTURE = 17, 9, 999


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(name, nodes, inputs, outputs, constants=(), opset=OPSET, ir=IR):
    tensors = [numpy_helper.from_array(array, key) for key, array in constants]
    graph = helper.make_graph(nodes, name, inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir)
    model.metadata_props.add(key="made_for", value="tests")
    (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())


def linear(name="linear", batch="n", **versions):
    """``y = x W + b`` with W = 0, 1, … 11 and b = 1, 1, 1, 1."""
    weights = [("W", np.arange(12, dtype=np.float32).reshape(3, 4)), ("b", np.ones(4, np.float32))]
    node = helper.make_node("Gemm", ["x", "W", "b"], ["y"])
    save(name, [node], [value("x", [batch, 3])], [value("y", [batch, 4])], weights, **versions)


def policy():
    """Two cameras' mean brightness plus the state: several inputs, several dtypes, several outputs."""
    nodes = [
        helper.make_node("Cast", ["front"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["wrist"], ["w"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["f"], ["front_mean"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("ReduceMean", ["w"], ["wrist_mean"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Concat", ["fm", "wm"], ["brightness"], axis=1),
        helper.make_node("Identity", ["state"], ["action"]),
    ]
    axis = ("one", np.array([1], np.int64))
    nodes[4:4] = [helper.make_node("Unsqueeze", [f"{c}_mean", "one"], [f"{c[0]}m"]) for c in ("front", "wrist")]
    cameras = [value(name, ["n", 4, 6, 3], TensorProto.UINT8) for name in ("front", "wrist")]
    inputs = [*cameras, value("state", ["n", 5])]
    save("policy", nodes, inputs, [value("brightness", ["n", 2]), value("action", ["n", 5])], [axis])


def nonzero():
    """An output whose size the inputs' shapes do not tell, beside one whose size they do."""
    nodes = [helper.make_node("NonZero", ["x"], ["where"]), helper.make_node("Identity", ["x"], ["same"])]
    where = value("where", [1, "found"], TensorProto.INT64)
    save("nonzero", nodes, [value("x", ["n"])], [where, value("same", ["n"])])


def words():
    """Takes text, which is no tensor of numbers."""
    text = [value(name, ["n"], TensorProto.STRING) for name in ("text", "same")]
    save("words", [helper.make_node("Identity", ["text"], ["same"])], text[:1], text[1:])


def breaks():
    """A reshape that no batch but 1 survives."""
    node = helper.make_node("Reshape", ["x", "shape"], ["y"])
    save("breaks", [node], [value("x", ["n", 3])], [value("y", ["n", 3])], [("shape", np.array([1, 3], np.int64))])


def external():
    """Weights in a second file, which is not there."""
    model = onnx.load(FOLDER / "linear.onnx")
    onnx.external_data_helper.convert_model_to_external_data(model, location="external.bin", size_threshold=0)
    onnx.save(model, FOLDER / "external.onnx")
    (FOLDER / "external.bin").unlink()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    linear()
    linear("single", batch=1)
    linear("newer_opset", opset=FUTURE)
    linear("newer_ir", ir=FUTURE)
    policy()
    nonzero()
    words()
    breaks()
    external()
    print(onnx.__version__, *sorted(path.name for path in FOLDER.iterdir()))
