# SPDX-License-Identifier: Apache-2.0
"""Training a network on one thread for a given time of computing; what is cut off goes on where it was."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

with contextlib.suppress(ImportError):
    # Torch's optimizers load it where it is installed. Its LLVM crashes when it comes after the GL driver's own.
    import triton._C.libtriton  # noqa: F401

#: Decay of the average of weights, which is what is shipped; steps in which the rate rises; its least share (chosen).
EMA, WARM, LOWEST = 0.998, 100, 0.01
#: Gradients are cut to this norm (chosen).
NORM = 2.0

Told = Callable[[str], None]
N = TypeVar("N", bound=nn.Module)


class Course(ABC, Generic[N]):
    """One run; its folder holds ``checkpoint.pt`` and ``curve.jsonl``.

    Args:
        seconds: of computing, so that a shared machine only makes it later; ``rate`` of AdamW at its highest, cosine by
            that time; ``decay`` of weights.
        weights: of the losses by name; ``every``: seconds between notes, which are saves, too.

    Attributes:
        average: of the network's weights over steps: what is shipped.
        step, spent: steps and seconds of computing so far.
    """

    def __init__(
        self,
        network: N,
        folder: Path,
        seconds: float,
        rate: float,
        decay: float,
        weights: Mapping[str, float],
        every: float,
    ) -> None:
        self.network, self.average = network, copy.deepcopy(network).eval()
        self.optimizer = torch.optim.AdamW(network.parameters(), rate, weight_decay=decay)
        self.folder, self._seconds, self._rate = folder, seconds, rate
        self._weights, self._every = weights, every
        self.step, self.spent = 0, 0.0
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "checkpoint.pt").is_file():
            self._restore()

    @abstractmethod
    def _losses(self) -> dict[str, Tensor]:
        """Each part of the loss of one more batch, unweighted."""

    @abstractmethod
    def _measured(self) -> dict[str, Any]:
        """How good :attr:`average` is now, for the curve."""

    @abstractmethod
    def _line(self, row: dict[str, Any]) -> str:
        """What is told of a row of the curve, after how far the run is."""

    def curve(self) -> list[dict[str, Any]]:
        """What was noted so far."""
        path = self.folder / "curve.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []

    def run(self, told: Told = lambda line: None, steps: int | None = None) -> None:
        """Train until the time is used up, or for some steps."""
        last, saved, parts = time.process_time(), self.spent, []
        until = math.inf if steps is None else self.step + steps
        while self.spent < self._seconds and self.step < until:
            parts.append(self._learn())
            now = time.process_time()
            self.spent, last = self.spent + now - last, now
            if self.spent - saved > self._every:
                told(self._note(parts))
                saved, parts = self.spent, []
                self._save()
                last = time.process_time()
        if parts:
            told(self._note(parts))
        self._save()

    def _learn(self) -> dict[str, float]:
        share, warm = min(self.spent / self._seconds, 1.0), min(1.0, (self.step + 1) / WARM)
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate * warm * max(0.5 * (1.0 + math.cos(math.pi * share)), LOWEST)
        parts = self._losses()
        total = torch.stack([self._weights[name] * value for name, value in parts.items()]).sum()
        self.optimizer.zero_grad(set_to_none=True)
        total.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), NORM)
        self.optimizer.step()
        self.step += 1
        self._follow()
        return {name: float(value.detach()) for name, value in parts.items()}

    def _follow(self) -> None:
        decay = min(EMA, (1 + self.step) / (20 + self.step))
        with torch.no_grad():
            for mine, theirs in zip(self.average.parameters(), self.network.parameters(), strict=True):
                mine.lerp_(theirs, 1.0 - decay)

    def _note(self, parts: list[dict[str, float]]) -> str:
        mean = {name: round(float(np.mean([one[name] for one in parts])), 4) for name in parts[0]}
        row = {"step": self.step, "seconds": round(self.spent), **mean, **self._measured()}
        with (self.folder / "curve.jsonl").open("a") as file:
            file.write(json.dumps(row) + "\n")
        return f"step {self.step}, {self.spent:.0f} of {self._seconds:.0f} s: {self._line(row)}"

    def _save(self) -> None:
        state: dict[str, Any] = {"network": self.network.state_dict(), "average": self.average.state_dict()}
        state |= {"optimizer": self.optimizer.state_dict(), "step": self.step, "spent": self.spent}
        torch.save(state, self.folder / "checkpoint.part")
        (self.folder / "checkpoint.part").rename(self.folder / "checkpoint.pt")

    def _restore(self) -> None:
        state = torch.load(self.folder / "checkpoint.pt", weights_only=True)
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.spent = state["step"], state["spent"]
