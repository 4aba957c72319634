# SPDX-License-Identifier: Apache-2.0
"""Why none of several possibilities worked, as one failure."""

from __future__ import annotations

from robo_orch.motion.failure import MotionFailure
from robo_orch.objects import Inventory
from robo_orch.types import Code

#: How many different reasons are told (chosen).
TOLD = 3


class Failures:
    """Collects the failures of possibilities that were tried."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._reasons: dict[str, None] = {}
        self._blamed: list[tuple[str, ...]] = []

    def add(self, failure: MotionFailure) -> None:
        """One more that did not work."""
        self._reasons[failure.reason] = None
        if failure.touching and all(self._inventory[name].movable for name in failure.touching):
            self._blamed.append(failure.touching)

    def all(self, code: Code, what: str) -> MotionFailure:
        """All of them together: the first reasons, and the fewest movable objects without which one might work."""
        reasons = "; ".join(list(self._reasons)[:TOLD]) or "it has no such place"
        return MotionFailure(code, f"{what}: {reasons}", min(self._blamed, key=len, default=()))
