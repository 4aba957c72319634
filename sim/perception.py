# SPDX-License-Identifier: Apache-2.0
"""Simulated pose estimation: true poses in, estimates with honest errors out.

This is the only way in which object poses leave the simulator for anyone but the referee. An estimate's error has a
part that stays while the object lies still (calibration, model fit) and a part that is new in every frame; the
covariance covers both. What no camera sees is remembered (:mod:`robo_orch.sim.memory`).
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from robo_orch.objects import Inventory, ObjectSpec
from robo_orch.sim.memory import Memory
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
#: Share of an object's points that one camera must see for a pose (chosen). Parts of furniture are told by what stands
#: out of it, a handle or a cap: most of a shut drawer is in its cabinet.
SEEN, PART_SEEN = 0.25, 0.05


#: All numbers that decide how well objects are perceived, as a scene's hash has them.
ACCURACY = (SIGMA, FURNITURE_SIGMA, BIAS_SHARE, RATE, LATENCY, MOVED, SEEN, PART_SEEN)


def everything() -> Mapping[str, float]:
    """The sight of someone to whom nothing is hidden: what is not named is seen whole."""
    return {}


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """What the sensors of a simulated world see, read only if a frame is due.

    Attributes:
        time: s, on the robot's clock.
        read: true poses by name.
        share: by name, the share [0, 1] of an object that the camera which sees most of it sees.
        hand: where the tool point is, ``(3,)``, base frame.
    """

    time: float
    read: Callable[[], Mapping[str, Pose]]
    share: Callable[[], Mapping[str, float]] = everything
    hand: Array | None = None


@dataclass(slots=True)
class _State:
    rng: np.random.Generator
    bias: Array  # (n, 6)
    biased_at: Array  # (n, 7) position and quaternion when the bias was drawn, NaN before
    memory: Memory
    frame: int = 0  # index of the next frame to capture
    pending: deque[tuple[float, Mapping[str, PoseEstimate]]] = field(default_factory=deque)


class SimPerception:
    """Pose estimates at :data:`RATE`, late by the latency; the same seed and motion give the same errors.

    Args:
        inventory: what can be seen, and how precisely.
        seed: of all errors.
        scale: factor on every sigma, stated in the covariance.
        dropout: probability that a frame yields no pose of an object although it is seen.
        frozen: stretch of time (from, until), s, in which no new frame comes.
        latency: s from a frame's capture until its estimates are there.
    """

    def __init__(
        self,
        inventory: Inventory,
        seed: int,
        scale: float = 1.0,
        dropout: float = 0.0,
        frozen: tuple[float, float] | None = None,
        latency: float = LATENCY,
    ) -> None:
        self._inventory = inventory
        self._dropout, self._frozen, self._latency = dropout, frozen or (np.inf, np.inf), latency
        self._names = [name for name, obj in inventory.items() if obj.precision is not Precision.NONE]
        objects = [inventory[name] for name in self._names]
        self._sigma = scale * np.array([np.repeat(_sigma(obj), 3) for obj in objects]).reshape(-1, 6)  # (n, 6)
        self._covariance = [np.diag(np.maximum(row, 1e-9) ** 2) for row in self._sigma]
        self._least = {o.name: PART_SEEN if o.joint is not None else SEEN for o in objects if not o.fixed}
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Forget everything and draw all errors anew."""
        n = len(self._names)
        rng = np.random.default_rng([seed, 0x5EE])
        self._state = _State(rng, np.zeros((n, 6)), np.full((n, 7), np.nan), Memory(self._inventory))

    def observe(self, raw: Scan) -> tuple[Mapping[str, PoseEstimate], Mapping[str, float]]:
        """The newest estimates that have arrived by ``raw.time``, and the share of objects seen in the last frame.

        Call at control rate; frames that fall due are captured on the way. An object that the newest frame does not
        show keeps the estimate it had, with ``visible`` false; what was never seen is not there.
        """
        state = self._state
        if raw.time >= state.frame / RATE - 1e-9:
            state.frame = int(raw.time * RATE + 1e-6) + 1
            if not self._frozen[0] <= raw.time < self._frozen[1]:
                state.pending.append((raw.time + self._latency, self._capture(raw)))
        while state.pending and state.pending[0][0] <= raw.time + 1e-9:
            state.memory.update(state.pending.popleft()[1], raw.hand)
        latest = state.memory.estimates
        return latest, {"poses": sum(e.visible for e in latest.values()) / max(1, len(self._names))}

    def remember(self, estimate: PoseEstimate) -> None:
        """Take somebody else's word for where an object is, until a later frame shows it: the hand that let it go."""
        self._state.memory.put(estimate)

    def snapshot(self) -> _State:
        """All that decides the coming estimates."""
        s = self._state
        rng, memory = copy.deepcopy(s.rng), s.memory.copy()
        return _State(rng, s.bias.copy(), s.biased_at.copy(), memory, s.frame, s.pending.copy())

    def restore(self, snapshot: _State) -> None:
        """Go on from a snapshot."""
        self._state = snapshot
        self._state = self.snapshot()

    def _capture(self, raw: Scan) -> dict[str, PoseEstimate]:
        poses, share = raw.read(), raw.share()
        # Drawn for all, seen or not: what hides one object must not change the errors of another.
        missed = self._state.rng.random(len(self._names)) < self._dropout
        found = (poses.get(name, _NOWHERE) for name in self._names)
        parts = [part for pose in found for part in (pose.position, pose.quaternion)]
        now = np.concatenate(parts).reshape(-1, 7) if parts else np.empty((0, 7))
        errors = self._errors(now)
        positions, turns = now[:, :3] + errors[:, :3], _turned(errors[:, 3:], now[:, 3:])
        seen = {}
        for i, name in enumerate(self._names):
            if name in poses and not missed[i] and share.get(name, 1.0) >= self._least.get(name, 0.0):
                pose, precision = Pose(positions[i], turns[i]), self._inventory[name].precision
                seen[name] = PoseEstimate(name, pose, self._covariance[i], raw.time, "sim", precision)
        return seen

    def _errors(self, now: Array) -> Array:
        """This frame's errors, ``(n, 6)``, at poses ``(n, 7)``; biases are drawn anew for what has moved."""
        state, white = self._state, np.sqrt(1.0 - BIAS_SHARE)
        noise = state.rng.normal(size=(2, *self._sigma.shape))
        fresh = _moved(state.biased_at, now)
        state.biased_at[fresh] = now[fresh]
        state.bias[fresh] = (np.sqrt(BIAS_SHARE) * self._sigma * noise[0])[fresh]
        return state.bias + white * self._sigma * noise[1]


_NOWHERE = Pose(np.full(3, np.nan), np.full(4, np.nan))


def _sigma(obj: ObjectSpec) -> tuple[float, float]:
    return FURNITURE_SIGMA if obj.fixed or obj.joint is not None else SIGMA[obj.precision]


def _moved(before: Array, now: Array) -> NDArray[np.bool_]:
    """Which of ``(n, 7)`` poses are further than :data:`MOVED` from what they were; all where either is NaN."""
    offset = now[:, :3] - before[:, :3]
    cosine = np.minimum(1.0, np.abs(np.einsum("ij,ij->i", before[:, 3:], now[:, 3:])))
    near = (np.einsum("ij,ij->i", offset, offset) <= MOVED[0] ** 2) & (2.0 * np.arccos(cosine) <= MOVED[1])
    return np.logical_not(near)


def _turned(rotvecs: Array, quaternions: Array) -> Array:
    """Orientations ``(n, 4)`` xyzw after further turns by ``(n, 3)`` rotation vectors (rad) about the base's axes."""
    angle = np.sqrt((rotvecs * rotvecs).sum(axis=1, keepdims=True))
    # sin(angle / 2) / angle, with its limit at 0.
    scale = np.where(angle > 1e-9, np.sin(0.5 * angle) / np.maximum(angle, 1e-9), 0.5)
    v, w = scale * rotvecs, np.cos(0.5 * angle)
    u, c = quaternions[:, :3], quaternions[:, 3:]
    vector = w * u + c * v + v[:, _YZX] * u[:, _ZXY] - v[:, _ZXY] * u[:, _YZX]
    turned = np.concatenate([vector, w * c - (v * u).sum(axis=1, keepdims=True)], axis=1)
    return turned / np.sqrt((turned * turned).sum(axis=1, keepdims=True))


_YZX, _ZXY = [1, 2, 0], [2, 0, 1]
