# SPDX-License-Identifier: Apache-2.0
"""What is slow or optional is imported when it is used, not before."""

import subprocess
import sys

import pytest

HEAVY = ("lancedb", "mujoco", "ompl", "onnxruntime", "plotly", "pybullet", "rclpy", "sklearn", "toppra", "torch")
PRINT_HEAVY = f"print([name for name in {HEAVY} if name in sys.modules])"
HELP = f"""
import sys
from robo_orch.cli import main
sys.argv = ["robo-orch", *sys.argv[1:], "--help"]
try:
    main()
except SystemExit as exit:
    assert not exit.code, exit.code
{PRINT_HEAVY}
"""


def last_line(code: str, *arguments: str) -> str:
    """The last line that a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("module", ["robo_orch", "robo_orch.types", "robo_orch.predicates", "robo_orch.policies"])
def test_importing_a_module_of_values_imports_nothing_heavy(module):
    assert last_line(f"import sys, {module}; {PRINT_HEAVY}") == "[]"


@pytest.mark.parametrize("command", ["", "run", "demo", "doctor", "replay"])
def test_help_imports_nothing_heavy(command):
    assert last_line(HELP, *command.split()) == "[]"
