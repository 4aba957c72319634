#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What only a machine with a GPU can say, in under 5 minutes: docs/inference.md tells how to install for one.
# VENV=dir picks the environment, OUT=dir the folder for the bench's record.
set -euo pipefail
cd "$(dirname "$0")/.."

BIN=${VENV:-.venv}/bin
OUT=${OUT:-results/inference-gpu-$(date +%Y%m%d-%H%M%S)}

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader

echo "- a session on the GPU, or why there is none"
"$BIN/python" - <<'PYTHON'
from robo_orch.errors import ModelError
from robo_orch.kernels.session import Session

try:
    print(Session.load("kernels/data/mlp.onnx", require_gpu=True).provider)
except ModelError as error:
    raise SystemExit(str(error)) from None
PYTHON

echo "- pytest -m gpu"
timeout 180 "$BIN/python" -m pytest -m gpu --numprocesses 0 tests/kernels

echo "- bench inference"
timeout 90 "$BIN/robo-orch" bench inference --require-gpu --preset quick --out "$OUT" --json
