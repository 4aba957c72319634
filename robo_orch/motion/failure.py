# SPDX-License-Identifier: Apache-2.0
"""Why a motion could not be planned."""

from __future__ import annotations

from robo_orch.types import Code


class MotionFailure(Exception):
    """No motion, and why: a policy turns it into ``Failed(code, reason)``.

    Args:
        code: ``UNREACHABLE``, ``START_IN_COLLISION``, ``GOAL_IN_COLLISION``, ``NO_PATH``, ``LIMIT_EXCEEDED`` or
            ``NOT_PERCEIVED``.
        reason: a sentence that names the joint, link or object concerned.
        touching: names of the objects that are in the way, sorted; empty where it is not objects.
    """

    def __init__(self, code: Code, reason: str, touching: tuple[str, ...] = ()) -> None:
        self.code, self.reason, self.touching = code, reason, touching
        super().__init__(f"{code}: {reason}")
