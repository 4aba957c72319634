# SPDX-License-Identifier: Apache-2.0
"""The Triton kernels compile for a GPU, which needs none: what the interpreter lets pass may be no kernel."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

COMPILE = """
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile
from robo_orch.kernels import triton_images, triton_neighbours

IMAGES = dict.fromkeys(("weight_y", "weight_x", "gain", "offset", "result"), "*fp32") | {
    "images": "*u8", "first_y": "*i32", "first_x": "*i32", "pad": "fp32",
    **dict.fromkeys(("height", "width", "out_height", "out_width"), "i32"),
}
POINTS = {"points": "*fp32", "queries": "*fp32", "numbers": "*i32"}
POINTS |= dict.fromkeys(("n", "d", "blocks", "kept"), "i32")
CASES = [
    (triton_images._kernel, IMAGES, {"TAPS_Y": 3, "TAPS_X": 2, "PLANAR": True, "BLOCK": triton_images.BLOCK}),
    (triton_neighbours._kernel, POINTS, {"L2": True, "BLOCK": triton_neighbours.BLOCK}),
]
for kernel, types, constants in CASES:
    signature = {name: types.get(name, "constexpr") for name in kernel.arg_names}
    fixed = {(kernel.arg_names.index(name),): value for name, value in constants.items()}
    made = compile(ASTSource(kernel, signature, constexprs=fixed), target=GPUTarget("cuda", 90, 32))
    print(len(made.asm["cubin"]))
"""


def test_the_kernels_compile_for_hopper_without_a_gpu(tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    environment["TRITON_CACHE_DIR"] = str(tmp_path)
    done = subprocess.run([sys.executable, "-c", COMPILE], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    sizes = [int(line) for line in done.stdout.split()]
    assert len(sizes) == 2 and min(sizes) > 1000
