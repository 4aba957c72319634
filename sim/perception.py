# SPDX-License-Identifier: Apache-2.0
"""Simulated pose estimation: true poses in, estimates with honest errors out.

This is the only way in which object poses leave the simulator for anyone but the referee. An estimate's error has a
part that stays while the object lies still (calibration, model fit) and a part that is new in every frame; the
covariance covers both.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.types import Array, Pose, PoseEstimate, Precision

#: One standard deviation of position (m) and rotation (rad) by precision, after DESIGN section 2.
SIGMA = {Precision.FIDUCIAL: (0.001, 0.010), Precision.MODEL: (0.005, 0.030), Precision.COARSE: (0.040, 0.300)}
#: The same for furniture, whose place is calibrated once: 1 mm, and an angle that stays 1 mm over a metre.
FURNITURE_SIGMA = (0.001, 0.001)
#: Share of the variance that stays while an object lies still (chosen: systematic errors dominate real estimators).
BIAS_SHARE = 0.64
#: Frame rate, Hz, and the time from a frame's capture until its estimates are there, s.
RATE, LATENCY = 10.0, 0.05
#: An object has moved, and gets a new bias, beyond this distance (m) or angle (rad) (chosen).
MOVED = (0.005, 0.05)


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """What the sensors of a simulated world see: the time, and a way to read true poses if a frame is due."""

    time: float
    read: Callable[[], Mapping[str, Pose]]


@dataclass(slots=True)
class _State:
    rng: np.random.Generator
    frame: int = 0  # index of the next frame to capture
    bias: dict[str, tuple[Pose, Array]] = field(default_factory=dict)  # pose when drawn, error (6,)
    pending: deque[tuple[float, dict[str, PoseEstimate]]] = field(default_factory=deque)
    latest: dict[str, PoseEstimate] = field(default_factory=dict)


class SimPerception:
    """Pose estimates at :data:`RATE` with :data:`LATENCY`; the same seed and motion give the same errors.

    Args:
        inventory: what can be seen, and how precisely.
        seed: of all errors.
        scale: factor on every sigma, stated in the covariance.
    """

    def __init__(self, inventory: Inventory, seed: int, scale: float = 1.0) -> None:
        self._inventory, self._scale = inventory, scale
        self._state = _State(np.random.default_rng([seed, 0x5EE]))

    def observe(self, raw: Scan) -> tuple[Mapping[str, PoseEstimate], Mapping[str, float]]:
        """The newest estimates that have arrived by ``raw.time``, and a quality per source.

        Call at control rate; frames that fall due are captured on the way.
        """
        state = self._state
        if raw.time >= state.frame / RATE - 1e-9:
            state.frame = int(raw.time * RATE + 1e-6) + 1
            state.pending.append((raw.time + LATENCY, self._capture(raw)))
        while state.pending and state.pending[0][0] <= raw.time + 1e-9:
            state.latest = {**state.latest, **state.pending.popleft()[1]}
        return state.latest, {"poses": 1.0 if state.latest else 0.0}

    def snapshot(self) -> _State:
        """All that decides the coming estimates."""
        return copy.deepcopy(self._state)

    def restore(self, snapshot: _State) -> None:
        """Go on from a snapshot."""
        self._state = copy.deepcopy(snapshot)

    def _capture(self, raw: Scan) -> dict[str, PoseEstimate]:
        poses = raw.read()
        seen = {name: poses[name] for name, obj in self._inventory.items() if self._visible(obj, poses)}
        return {name: self._estimate(name, pose, raw.time) for name, pose in seen.items()}

    def _visible(self, obj: ObjectSpec, poses: Mapping[str, Pose]) -> bool:
        return obj.precision is not Precision.NONE and obj.name in poses

    def _estimate(self, name: str, pose: Pose, stamp: float) -> PoseEstimate:
        obj = self._inventory[name]
        sigma = np.repeat(self._sigma(obj), 3)
        white = np.sqrt(1.0 - BIAS_SHARE) * sigma * self._state.rng.normal(size=6)
        error = self._bias(name, pose, sigma) + white
        covariance = np.diag(np.maximum(sigma, 1e-9) ** 2)
        seen = Pose.of(pose.position + error[:3], _turned(error[3:], pose.quaternion))
        return PoseEstimate(name, seen, covariance, stamp, "sim", obj.precision)

    def _sigma(self, obj: ObjectSpec) -> Array:
        still = obj.fixed or obj.joint is not None
        return self._scale * np.array(FURNITURE_SIGMA if still else SIGMA[obj.precision])

    def _bias(self, name: str, pose: Pose, sigma: Array) -> Array:
        known = self._state.bias.get(name)
        if known is not None and not _moved(known[0], pose):
            return known[1]
        bias = np.sqrt(BIAS_SHARE) * sigma * self._state.rng.normal(size=6)
        self._state.bias[name] = (pose, bias)
        return bias


def _moved(before: Pose, now: Pose) -> bool:
    offset = now.position - before.position
    angle = 2.0 * np.arccos(min(1.0, abs(float(before.quaternion @ now.quaternion))))
    return bool(offset @ offset > MOVED[0] ** 2 or angle > MOVED[1])


def _turned(rotvec: Array, quaternion: Array) -> Array:
    """The orientation (xyzw) after a further turn by a rotation vector (rad) about the base frame's axes."""
    angle = float(np.sqrt(rotvec @ rotvec))
    v = rotvec * (0.5 * np.sinc(angle / (2.0 * np.pi)))
    w, u, c = np.cos(0.5 * angle), quaternion[:3], quaternion[3]
    cross = np.array([v[1] * u[2] - v[2] * u[1], v[2] * u[0] - v[0] * u[2], v[0] * u[1] - v[1] * u[0]])
    return np.append(w * u + c * v + cross, w * c - v @ u)
