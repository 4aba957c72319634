# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime, torch and Triton are imported by the modules that exist for them only."""

import subprocess
import sys

LIGHT = ("tensors", "model_file", "binding", "timing", "images", "neighbours")
CODE = f"""
import sys
from robo_orch.bench import inference
from robo_orch.kernels import {", ".join(LIGHT)}
inference.bench()
print([name for name in ("onnxruntime", "torch", "triton") if name in sys.modules])
"""


def test_what_needs_no_library_imports_none():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
