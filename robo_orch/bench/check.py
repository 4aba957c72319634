# SPDX-License-Identifier: Apache-2.0
"""Whether a card's policy can be used as the card says: the contract, then a trial on real observations.

What can be checked without loading is checked first. Then the policy is loaded, as a run does it, and shown layouts
that it was not made on, while the executor carries out what it says. A *problem* means that the card must not be used
as it is; a *warning* is worth a look.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robo_orch.bench.gripper import polarity
from robo_orch.bench.looks import Episode, Look, episodes
from robo_orch.errors import CardError, RenderError, UserError
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.inputs import Feeder
from robo_orch.policies.loaders import preflight
from robo_orch.policies.observation import Features, Image, Text
from robo_orch.robots import RobotSpec, load_robot
from robo_orch.robots.features import vector_width
from robo_orch.sim.gl import gl_backend
from robo_orch.sim.scenes import load_scene
from robo_orch.types import ActionChunk, Array, Code, GripperEncoding

#: Looks that a verdict needs at least, and that are taken (chosen: p99 says little with fewer).
LEAST_LOOKS, LOOKS = 50, 60
#: Largest shares of clipped action components and of inputs beyond the card's ranges (chosen: a policy is made on this
#: low-level path and within its own ranges, so that either is rare; a quarter means other units or another scene).
MOST_CLIPPED, MOST_OOD = 0.25, 0.25
#: Numbers that differ by no more than this over all looks are constant (chosen: far below any sensor's noise).
CONSTANT = 1e-6
#: Looks that are asked again with other words, and the least that an action must then change somewhere.
ASKED_AGAIN, LEAST_CHANGE = 20, 1e-6
#: Other words, where a layout has only one thing that a skill could be asked about (chosen: other skills).
OTHER_WORDS = ("open the door", "put the yellow bottle in the bin", "turn the knob", "push the blue plate to the left")
#: Keys of a latency: of whole answers, and the medians of their parts; ms.
LATENCY = ("p50", "p99", "pre", "infer", "post")
#: Endings of a policy that are the policy's fault whatever the scene is like.
_BROKEN = (
    *(Code.CONTRACT, Code.EMPTY_CHUNK, Code.WRONG_ACTION_SHAPE, Code.NON_FINITE_ACTION),
    *(Code.LIMIT_EXCEEDED, Code.POLICY_ERROR),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """What was expected, what came, and what to do."""

    expected: str
    got: str
    remedy: str

    def __str__(self) -> str:
        return f"expected {self.expected}; got {self.got}; {self.remedy}"


@dataclass(slots=True)
class Finding:
    """What was found out about one card; shares are ``None`` where nothing could be counted."""

    id: str
    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    looks: int = 0
    latency_ms: dict[str, float | None] = field(default_factory=lambda: dict.fromkeys(LATENCY))
    clipped: float | None = None
    ood: float | None = None
    golden: float | None = None
    language: float | None = None
    provider: str = ""

    @property
    def ok(self) -> bool:
        """Whether the card can be used."""
        return not self.problems

    def blame(self, expected: str, got: str, remedy: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(expected, got, remedy))

    def told(self) -> dict[str, Any]:
        """The finding as JSON."""
        keys = ("looks", "latency_ms", "clipped", "ood", "golden", "language", "provider", "warnings", "skipped")
        return {"id": self.id, "ok": self.ok, "problems": [str(p) for p in self.problems]} | {
            key: getattr(self, key) for key in keys
        }


def check(card: PolicyCard, scene: str = "kitchen", looks: int = LOOKS, seed: int = 0) -> Finding:
    """Check one card.

    Args:
        scene: on whose held-out layouts.
        looks: how many to take at least; verdicts need :data:`LEAST_LOOKS`.
        seed: of which layouts.

    Raises:
        SceneError: an unknown scene.
    """
    finding, described = Finding(card.id), load_scene(scene)
    robot = load_robot(described.robot)
    try:
        preflight(card, robot, described.cameras)
        if card.cameras and (status := gl_backend()).backend is None:
            finding.skipped.append(f"looks: the card needs pictures, and {status.message}")
        else:
            _try_out(finding, card, robot, scene, looks, seed)
        if problem := polarity(card.action.space, scene, seed):
            finding.blame(*problem)
    except RenderError as error:
        finding.skipped.append(f"looks: {error.got}")
    except UserError as error:
        finding.blame(error.expected, error.got, error.remedy)
    return finding


def _try_out(finding: Finding, card: PolicyCard, robot: RobotSpec, scene: str, looks: int, seed: int) -> None:
    """Load the policy and look at what it does."""
    done: list[Episode] = []
    inputs, changes = _Inputs(card, robot), list[float]()
    for episode in episodes(card, scene, looks, seed):
        done.append(episode)
        inputs.see(episode)
        if _heeds_words(card) and len(changes) < ASKED_AGAIN:
            changes += _asked_again(episode, ASKED_AGAIN - len(changes))
    _judge_endings(finding, done)
    _judge_actions(finding, card, done)
    inputs.judge(finding)
    _judge_words(finding, card, changes)
    finding.latency_ms = _latency(done)
    finding.golden = getattr(done[0].policy, "golden", None) if card.golden else None
    finding.provider = getattr(getattr(done[0].policy, "session", None), "provider", "")


def _judge_endings(finding: Finding, done: Sequence[Episode]) -> None:
    finding.looks = sum(len(episode.looks) for episode in done)
    outcomes = [episode.outcome for episode in done if episode.outcome is not None]
    broken = {o.code: o.message for o in outcomes if o.code in _BROKEN}
    for code, message in broken.items():
        finding.blame("actions that can be executed", f"{code}: {message}", "correct the policy or its action space")
    if finding.looks < LEAST_LOOKS and not broken:
        said = next((f"{o.code}: {o.message}" for o in outcomes if not o.ok), "nothing that the card can do")
        got = f"{finding.looks} on {len(done)} layouts ({said})"
        finding.blame(f"at least {LEAST_LOOKS} looks", got, "see robo-orch skills probe for how it does")


def _judge_actions(finding: Finding, card: PolicyCard, done: Sequence[Episode]) -> None:
    components = sum(episode.components for episode in done)
    if not components:
        return
    finding.clipped = round(sum(episode.clipped for episode in done) / components, 4)
    if finding.clipped > MOST_CLIPPED:
        got = f"{finding.clipped:.0%} of the components clipped"
        finding.blame(f"actions within the robot's limits, {MOST_CLIPPED:.0%} clipped at most", got, "check the units")
    rows = np.concatenate([look.actions for episode in done for look in episode.looks])
    fixed = np.ptp(rows, axis=0) <= CONSTANT
    if fixed.all():
        finding.blame("actions that depend on what is seen", "the same at every look", "check the exported model")
        return
    names = [f"action {i}" for i in range(rows.shape[1])]
    if card.action.gripper is not GripperEncoding.NONE:
        names[-1] = "the gripper"
    still = [f"{name} is {rows[0, i]:.4g}" for i, name in enumerate(names) if fixed[i]]
    if still:
        finding.warnings.append(f"the same at every look: {', '.join(still)}")


class _Inputs:
    """What the numbers and pictures were that the policy was fed."""

    def __init__(self, card: PolicyCard, robot: RobotSpec) -> None:
        self._card, self._joints = card, len(robot.joints)
        self._numbers: dict[str, list[Array]] = {}
        self._pictures: dict[str, set[bytes]] = {}
        self._n = 0

    def see(self, episode: Episode) -> None:
        """Take in an episode's looks."""
        feeder = Feeder(self._card, episode.simulation.layout.inventory)
        for look in episode.looks:
            self._n += 1
            for name, spec in self._card.observation.items():
                if isinstance(spec, Features):
                    told = feeder.numbers(spec, look.observation, look.subgoal.args)
                    self._numbers.setdefault(name, []).append(told.astype(float))
                elif isinstance(spec, Image):
                    picture = look.observation.images[spec.camera]
                    self._pictures.setdefault(spec.camera, set()).add(picture.tobytes())

    def judge(self, finding: Finding) -> None:
        """Say what is constant, and how much is out of distribution."""
        inside: list[NDArray[np.bool_]] = []
        for name, rows in self._numbers.items():
            spec, seen = self._card.observation[name], np.array(rows)
            if isinstance(spec, Features):
                self._judge_constant(finding, name, spec, seen)
                if spec.low:
                    inside.append(((seen >= np.array(spec.low)) & (seen <= np.array(spec.high))).ravel())
        if inside:
            finding.ood = round(1.0 - float(np.concatenate(inside).mean()), 4)
            if finding.ood > MOST_OOD:
                wanted = f"inputs within low and high, {MOST_OOD:.0%} beyond at most"
                finding.blame(
                    wanted, f"{finding.ood:.0%} beyond", "check units and ranges, or use it where it was made"
                )
        for camera, pictures in self._pictures.items():
            if self._n > 1 and len(pictures) == 1:
                finding.blame(f"pictures of camera {camera} that change", "one and the same", "check the camera")

    def _judge_constant(self, finding: Finding, name: str, spec: Features, seen: Array) -> None:
        labels = [
            f"{key}[{i}]" if width > 1 else key
            for key in spec.keys
            for width in [vector_width([key], self._joints)]
            for i in range(width)
        ]
        fixed = [label for label, same in zip(labels, np.ptp(seen, axis=0) <= CONSTANT, strict=True) if same]
        if len(fixed) == len(labels):
            finding.blame(f"an input {name} that changes", "the same numbers at every look", "check the features")
        elif fixed:
            finding.warnings.append(f"the same at every look: {', '.join(fixed)} in {name}")


def _heeds_words(card: PolicyCard) -> bool:
    return card.language or any(isinstance(spec, Text) for spec in card.observation.values())


def _asked_again(episode: Episode, most: int) -> list[float]:
    """How much the action changes when the same look is asked about with other words, look by look.

    Raises:
        CardError: the policy raises when it is asked with other words.
    """
    policy, changes = episode.policy, []

    def answer(look: Look, text: str) -> Array | None:
        try:
            policy.reset(replace(look.subgoal, text=text), look.observation, 0)
            step = policy.act(look.observation)
        except Exception as error:  # a policy is foreign code
            got = f"{type(error).__name__}: {error}"
            raise CardError(f"an answer to {text!r}", got, "take any words, and fail with a reason") from error
        return np.asarray(step.values) if isinstance(step, ActionChunk) else None

    for i, look in enumerate(episode.looks[:most]):
        words = episode.other_words or OTHER_WORDS
        before, after = answer(look, look.subgoal.text), answer(look, words[i % len(words)])
        if before is not None and after is not None:
            same = before.shape == after.shape
            changes.append(float(np.abs(before - after).max()) if same else float("inf"))
    return changes


def _judge_words(finding: Finding, card: PolicyCard, changes: Sequence[float]) -> None:
    if len(changes) < ASKED_AGAIN:
        if card.language:
            got = f"{len(changes)}"
            finding.blame(f"{ASKED_AGAIN} looks to ask again with other words", got, "set language: false")
        return
    finding.language = float(np.nan_to_num(max(changes), posinf=np.finfo(float).max))
    if finding.language <= LEAST_CHANGE:
        got = f"no change above {LEAST_CHANGE:g} in {len(changes)} looks that were asked again with other words"
        finding.blame(
            "actions that depend on the instruction", got, "set language: false and drop the text, or train it"
        )


def _latency(done: Iterable[Episode]) -> dict[str, float | None]:
    """Whole answers as they were waited for, their parts where the policy tells; the first of each episode warms up."""
    whole: list[float] = []
    parts: dict[str, list[float]] = {"pre": [], "infer": [], "post": []}
    for episode in done:
        whole += [look.seconds for look in episode.looks[1:]]
        timing = getattr(episode.policy, "timing", None)
        for name, values in parts.items():
            values += [] if timing is None else getattr(timing, name).seconds[1:].tolist()
    told = {name: _ms(values, 50) for name, values in parts.items()}
    return {"p50": _ms(whole, 50), "p99": _ms(whole, 99), **told}


def _ms(seconds: Sequence[float], percentile: float) -> float | None:
    return round(1e3 * float(np.percentile(seconds, percentile)), 4) if seconds else None
