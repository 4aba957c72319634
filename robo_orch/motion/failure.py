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


class GaveUp(MotionFailure):
    """The effort that planning may take is used up: what was not found may still exist."""

    def __init__(self, effort: int) -> None:
        super().__init__(Code.NO_PATH, f"planning was given up after {effort} looks at where the arm could be")
