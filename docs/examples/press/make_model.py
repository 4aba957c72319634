# SPDX-License-Identifier: Apache-2.0
"""Writes press.onnx and golden.npz: ``python make_model.py``, with onnx and numpy, and without robo_orch.

The model is a hand-made controller. It stands for whatever your training framework exports.
"""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).parent
#: Share of the way that is gone in one action, and the longest step, m.
GAIN, STEP = 0.5, 0.03
#: How far above the button the tool stays, for each metre that it is beside it.
RISE = 4.0


def nodes() -> list[onnx.NodeProto]:
    """From ``toward`` (B, 3) to ``move`` (B, 7): aside first, then down; no turn; the gripper closed."""
    return [
        helper.make_node("Abs", ["toward"], ["distances"]),
        helper.make_node("MatMul", ["distances", "rise"], ["above"]),
        helper.make_node("Add", ["toward", "above"], ["way"]),
        helper.make_node("Mul", ["way", "gain"], ["wish"]),
        helper.make_node("Clip", ["wish", "back", "forth"], ["step"]),
        helper.make_node("MatMul", ["step", "widen"], ["move"]),
    ]


def main() -> None:
    """Write both files."""
    rise = np.array([[0, 0, RISE], [0, 0, RISE], [0, 0, 0]], np.float32)
    constants = {"rise": rise, "gain": np.float32(GAIN), "back": np.float32(-STEP), "forth": np.float32(STEP)}
    constants["widen"] = np.eye(3, 7, dtype=np.float32)
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    takes = helper.make_tensor_value_info("toward", TensorProto.FLOAT, ["batch", 3])
    gives = helper.make_tensor_value_info("move", TensorProto.FLOAT, ["batch", 7])
    graph = helper.make_graph(nodes(), "press", [takes], [gives], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (HERE / "press.onnx").write_bytes(model.SerializeToString())

    seen = np.array([[0.08, -0.24, -0.35]], np.float32)
    said = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"toward": seen})[0]
    np.savez_compressed(HERE / "golden.npz", **{"input/toward": seen, "output/move": said})


if __name__ == "__main__":
    main()
