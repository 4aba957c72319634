#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the models that ``robo-orch bench inference`` runs, kernels/data/*.onnx (needs onnx, from the [train] extra).

Their weights are random: nothing but their cost is of interest. They are committed, so that the bench needs no torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = Path(__file__).resolve().parent.parent / "kernels" / "data"
#: Old enough for every ONNX Runtime that setup.py allows.
OPSET, IR = 17, 9
#: A controller: proprioception, poses and contacts in, joint targets and gripper for two steps out.
WIDTHS = (48, 256, 256, 14)
#: Channels and strides of a small image policy's trunk on a 96 x 96 picture, about 1 ms on one core (chosen).
CHANNELS, STRIDES, SIZE = (3, 24, 32, 32), (2, 1, 2), 96


class Network:
    """A graph under construction: nodes in order, weights by name."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def node(self, kind: str, inputs: Sequence[str], output: str, **attributes: object) -> str:
        """Append a node; returns the name of its output."""
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def constant(self, name: str, values: np.ndarray) -> str:
        """Add an array to the weights; returns its name."""
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def layer(self, name: str, shape: Sequence[int], out: int) -> list[str]:
        """Weights of variance 1 / fan-in and a zero bias; returns their names."""
        values = self.rng.normal(size=shape) * np.sqrt(out / np.prod(shape))
        bias = self.constant(f"{name}.bias", np.zeros(out, np.float32))
        return [self.constant(f"{name}.weight", values.astype(np.float32)), bias]

    def save(self, name: str, value: onnx.ValueInfoProto, out: int) -> None:
        """Write the graph from one input to ``action`` of width ``out``."""
        result = helper.make_tensor_value_info("action", TensorProto.FLOAT, ["batch", out])
        graph = helper.make_graph(self.nodes, name, [value], [result], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
        onnx.checker.check_model(model)
        (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())


def mlp() -> None:
    """The controller."""
    net, x = Network(0), "state"
    for i, (width, out) in enumerate(pairwise(WIDTHS)):
        last = i == len(WIDTHS) - 2
        x = net.node("Gemm", [x, *net.layer(f"fc{i}", (width, out), out)], "action" if last else f"fc{i}")
        x = x if last else net.node("Tanh", [x], f"tanh{i}")
    net.save("mlp", helper.make_tensor_value_info("state", TensorProto.FLOAT, ["batch", WIDTHS[0]]), WIDTHS[-1])


def conv() -> None:
    """The image trunk, its normalisation inside the graph: uint8 pictures in."""
    net = Network(1)
    x = net.node("Cast", ["image"], "float", to=TensorProto.FLOAT)
    x = net.node("Mul", [x, net.constant("scale", np.array(1 / 255, np.float32))], "scaled")
    x = net.node("Transpose", [x], "nchw", perm=[0, 3, 1, 2])
    for i, ((width, out), stride) in enumerate(zip(pairwise(CHANNELS), STRIDES, strict=True)):
        weights = net.layer(f"conv{i}", (out, width, 3, 3), out)
        x = net.node("Conv", [x, *weights], f"conv{i}", pads=[1, 1, 1, 1], strides=[stride, stride])
        x = net.node("Relu", [x], f"relu{i}")
    x = net.node("Flatten", [net.node("GlobalAveragePool", [x], "pooled")], "features")
    net.node("Gemm", [x, *net.layer("head", (CHANNELS[-1], WIDTHS[-1]), WIDTHS[-1])], "action")
    net.save("conv", helper.make_tensor_value_info("image", TensorProto.UINT8, ["batch", SIZE, SIZE, 3]), WIDTHS[-1])


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    mlp()
    conv()
    for path in sorted(FOLDER.glob("*.onnx")):
        print(path.relative_to(FOLDER.parent.parent), path.stat().st_size)
