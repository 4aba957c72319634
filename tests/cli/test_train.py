# SPDX-License-Identifier: Apache-2.0
"""``robo-orch train`` where it cannot: nothing is begun, and the message says what to do."""

import builtins
import sys

import pytest

from robo_orch.cli import main


@pytest.mark.parametrize("card", ["rl/press-v1", "vla/pick-place-v1", "verifier"])
def test_without_its_extra_the_command_names_it(card, monkeypatch, capsys, tmp_path):
    real = builtins.__import__

    def without_torch(name, *args, **options):
        if name.partition(".")[0] in ("torch", "stable_baselines3"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *args, **options)

    for module in [m for m in sys.modules if m.startswith("robo_orch.train")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(builtins, "__import__", without_torch)
    assert main(["train", card, "--steps", "1", "--work", str(tmp_path), "--out", str(tmp_path)]) == 2
    assert "pip install 'robo_orch[train]'" in capsys.readouterr().err
