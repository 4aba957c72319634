# SPDX-License-Identifier: Apache-2.0
"""Writes tests/policies/models/*.onnx: ``python tests/policies/make_models.py`` (needs onnx, from the [train] extra).

The files are committed, so that the tests run on the base alone.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = Path(__file__).parent / "models"
#: An opset and an IR version that every ONNX Runtime of the supported range knows, and an opset that none does.
OPSET, IR, FUTURE = 17, 9, 999


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(name, nodes, inputs, outputs, constants=(), opset=OPSET):
    tensors = [numpy_helper.from_array(np.asarray(array), key) for key, array in constants]
    graph = helper.make_graph(nodes, name, inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR)
    (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())


def still(name="still", **versions):
    """``state`` (B, 5): toward, gripper -> ``action`` (B, 7): a tenth of the way, no turn, the gripper as it is."""
    matrix = np.zeros((5, 7), np.float32)
    matrix[[0, 1, 2], [0, 1, 2]], matrix[3, 6] = 0.1, 1.0
    node = helper.make_node("MatMul", ["state", "W"], ["action"])
    save(name, [node], [value("state", ["n", 5])], [value("action", ["n", 7])], [("W", matrix)], **versions)


def seeing():
    """Everything that a card can feed, and everything that a model can tell.

    ``words`` (B, 384), ``wrist`` (B, 3, 4, 6) uint8, ``state`` (B, 9), ``prefix`` (B, 4, 7), ``kept`` (B,) int64 ->
    ``actions`` (B, 4, 7): the prefix plus a thousandth of the words' sum; ``sure`` (B, 1): the picture's mean over 255;
    ``complete`` (B,): the number of kept actions over 4.
    """
    nodes = [
        helper.make_node("ReduceSum", ["words", "one"], ["word"], keepdims=1),
        helper.make_node("Mul", ["word", "thousandth"], ["nudge"]),
        helper.make_node("Unsqueeze", ["nudge", "two"], ["nudges"]),
        helper.make_node("Add", ["prefix", "nudges"], ["actions"]),
        helper.make_node("Cast", ["wrist"], ["picture"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["picture"], ["mean"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Div", ["mean", "white"], ["bright"]),
        helper.make_node("Unsqueeze", ["bright", "one"], ["sure"]),
        helper.make_node("Cast", ["kept"], ["count"], to=TensorProto.FLOAT),
        helper.make_node("Div", ["count", "four"], ["complete"]),
        helper.make_node("Identity", ["state"], ["same"]),
    ]
    inputs = [
        value("words", ["n", 384]),
        value("wrist", ["n", 3, 4, 6], TensorProto.UINT8),
        value("state", ["n", 9]),
        value("prefix", ["n", 4, 7]),
        value("kept", ["n"], TensorProto.INT64),
    ]
    outputs = [
        value("actions", ["n", 4, 7]),
        value("sure", ["n", 1]),
        value("complete", ["n"]),
        value("same", ["n", 9]),
    ]
    constants = [("one", np.array([1])), ("two", np.array([2]))]
    constants += [(key, np.float32(number)) for key, number in (("thousandth", 1e-3), ("white", 255), ("four", 4))]
    save("seeing", nodes, inputs, outputs, constants)


def deaf():
    """Takes ``words`` (B, 384) and ``state`` (B, 5) like others, and does not heed the words."""
    matrix = np.zeros((5, 7), np.float32)
    matrix[[0, 1, 2], [0, 1, 2]] = 0.1
    nodes = [
        helper.make_node("MatMul", ["state", "W"], ["move"]),
        helper.make_node("ReduceSum", ["words", "one"], ["word"], keepdims=1),
        helper.make_node("Mul", ["word", "zero"], ["nothing"]),
        helper.make_node("Add", ["move", "nothing"], ["action"]),
    ]
    constants = [("W", matrix), ("one", np.array([1])), ("zero", np.float32(0))]
    save("deaf", nodes, [value("words", ["n", 384]), value("state", ["n", 5])], [value("action", ["n", 7])], constants)


def open_axes():
    """Declares axes of any size and gives ``(B, 3, 5)``: known only once it runs."""
    nodes = [
        helper.make_node("ReduceSum", ["state", "one"], ["sum"], keepdims=1),
        helper.make_node("Unsqueeze", ["sum", "one"], ["lone"]),
        helper.make_node("Mul", ["sum", "zero"], ["nothing"]),
        helper.make_node("Cast", ["nothing"], ["naught"], to=TensorProto.INT64),
        helper.make_node("Add", ["naught", "sizes"], ["shapes"]),
        helper.make_node("Reshape", ["shapes", "flat"], ["shape"]),
        helper.make_node("Expand", ["lone", "shape"], ["action"]),
    ]
    constants = [
        ("one", np.array([1])),
        ("zero", np.float32(0)),
        ("sizes", np.array([1, 3, 5])),
        ("flat", np.array([3])),
    ]
    save("open_axes", nodes, [value("state", ["n", 5])], [value("action", ["n", "t", "a"])], constants)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    still()
    still("newer_opset", opset=FUTURE)
    seeing()
    deaf()
    open_axes()
    print(onnx.__version__, *sorted(path.name for path in FOLDER.iterdir()))
