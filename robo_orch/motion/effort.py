# SPDX-License-Identifier: Apache-2.0
"""How much planning may cost: counted, never timed, so that every machine gives up at the same point."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from robo_orch.motion.failure import GaveUp


class Effort:
    """What has been spent, and what may be.

    Args:
        count: looks at one posture of the arm so far: collision checks and Newton steps, both about 50 us.
    """

    def __init__(self, count: Callable[[], int]) -> None:
        self._count = count
        self.begin()

    def begin(self, most: float = math.inf) -> None:
        """Begin anew: from here on ``most`` may be spent."""
        self._begun = self._count()
        self._limit = self._begun + most

    @property
    def used(self) -> int:
        """What was spent since :meth:`begin`."""
        return self._count() - self._begun

    @property
    def spent(self) -> bool:
        """Whether what may be spent now is used up."""
        return self._count() >= self._limit

    @contextmanager
    def within(self, most: float) -> Iterator[None]:
        """Within the block no more than ``most`` may be spent, and no more than a block around it allows."""
        before = self._limit
        self._limit = min(before, self._count() + most)
        try:
            yield
        finally:
            self._limit = before

    def go_on(self) -> None:
        """Go on with planning.

        Raises:
            GaveUp: what may be spent is used up.
        """
        if self.spent:
            raise GaveUp(self.used)
