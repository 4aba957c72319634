# SPDX-License-Identifier: Apache-2.0
"""Whether something is known well enough to plan a touch."""

from __future__ import annotations

from robo_orch.motion.failure import MotionFailure
from robo_orch.objects import Inventory
from robo_orch.types import Code, Observation, PoseEstimate


def known(name: str, seen: Observation, inventory: Inventory) -> PoseEstimate:
    """Where something is, known to its tolerance.

    Raises:
        MotionFailure: ``NOT_PERCEIVED`` or ``IMPRECISE_POSE``.
    """
    estimate = seen.objects.get(name)
    if estimate is None:
        raise MotionFailure(Code.NOT_PERCEIVED, f"{name} has not been perceived")
    tolerance = inventory[name].tolerance
    if estimate.sigma > tolerance:
        reason = f"{name} is known to {1000 * estimate.sigma:.0f} mm, {1000 * tolerance:.0f} mm are needed"
        raise MotionFailure(Code.IMPRECISE_POSE, reason)
    return estimate
