# SPDX-License-Identifier: Apache-2.0
"""Frames to learn from: moments of the expert's work, disturbed by noise, each labelled for several instructions.

::

    lay a scene out; repeat: scatter its objects, draw an errand and a start
        put the hand beside a grasp, and with the object beside the goal; and
        let the expert work, its actions disturbed, kinematically; now and then
            pose the world so, take pictures, and ask the undisturbed expert what it would do from here:
            for this errand, and for others that could be asked for here

What the expert does is a function of the state alone, so noise never enters labels, and a picture costs no physics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from robo_orch.errors import SceneError
from robo_orch.sim.scenes import Layout, lay_out, load_scene
from robo_orch.train.vla.errand import Errand, drawn, errands
from robo_orch.train.vla.expert import Action, Aim, Hand, Work, act, chosen, chunk, step, wrapped
from robo_orch.train.vla.shards import INSTRUCTIONS, Shard, View
from robo_orch.train.vla.stage import Stage, scattered, start
from robo_orch.train.vla.table import BIN, DROP, Table
from robo_orch.types import Array, Pose

#: Actions in a chunk, and the opening of the gripper, m.
CHUNK, OPENED = 10, 0.08
#: Errands on one layout, and actions in an errand at most (chosen).
ERRANDS, LONGEST = 10, 90
#: Shares of moments that become frames: anywhere, and near a grasp or goal (chosen: where precision counts).
SHARE, SHARE_NEAR = 0.10, 0.30
#: Noise on each action, m and rad; how often a burst of noise comes, and how strong, m and rad (chosen).
NOISE, NOISE_TURN = 0.004, 0.02
BURST, BURST_MOVE, BURST_TURN = 0.03, 0.03, 0.2
#: Moments just beside a grasp, and as many just beside the goal; how far above at most, m; how far aside, m: at the
#: bottom, and more by so much a metre above it; and how much farther where fingers are above what they take (chosen).
BESIDE, HIGH, SIDEWARD, LESS_SURE = 4, 0.10, (0.004, 0.2), 0.010
#: The hand must be within this of where it should be for a picture to be taken, m.
REACHED = 0.004
#: Frames in a file.
SIZE = 256
#: Share of layouts with a look-alike of another kind or colour beside what is always there (chosen).
ALIKE = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """One state: the hand, the scene, the errand at hand, where its object is, how it lies in the hand if it does."""

    hand: Hand
    table: Table
    errand: Errand
    work: Work
    at: Pose
    in_hand: Pose | None = None


def frames(views: Sequence[View], seeds: Sequence[int], seed: int, scene: str = "kitchen") -> Iterator[dict[str, Any]]:
    """Frames of layouts drawn from ``seeds``, without end."""
    rng, spec = np.random.default_rng([seed, 0xF7A3]), load_scene(scene)
    while True:
        layout = _any_layout(spec, int(seeds[int(rng.integers(len(seeds)))]), rng)
        if layout is None or len(errands(layout.inventory)) < 4:
            continue
        stage = Stage(layout)
        for _ in range(ERRANDS):
            poses = {**layout.poses, **scattered(layout, spec, rng)}
            yield from _errand(stage, poses, views, rng)
        stage.close()


def _any_layout(spec: Any, seed: int, rng: np.random.Generator) -> Layout | None:
    """A layout, or none where what was wanted beside each other finds no room."""
    try:
        return laid_out(spec, seed, rng)
    except SceneError:
        return None


def laid_out(spec: Any, seed: int, rng: np.random.Generator) -> Layout:
    """A layout of a seed; mostly with objects that look alike in colour or kind, as far as its set allows them."""
    pool = [(e.kind, c) for e in spec.pool for c in e.colours if spec.sets.allows(seed, (e.kind, c))]
    wanted = []
    if rng.random() < ALIKE:
        kind, colour = pool[int(rng.integers(len(pool)))]
        alike = [p for p in pool if (p[1] == colour) != (p[0] == kind)]
        wanted = [(kind, colour), *(alike[i] for i in rng.choice(len(alike), size=2, replace=False))]
    return lay_out(spec, seed, wanted)


def _errand(stage: Stage, poses: dict[str, Pose], views: Sequence[View], rng: np.random.Generator) -> Iterator[dict]:
    """Frames of one errand."""
    free = {n: poses[n] for n, o in stage.layout.inventory.items() if not o.fixed and o.joint is None}
    stage.rest(free)
    hand = start(rng, stage.home)
    table = Table(stage.layout.inventory, poses, stage.furniture)
    found = _doable(table, hand.position, rng)
    if found is None:
        return
    moment, after = Moment(hand, table, *found, poses[found[0].object]), 0
    for near in _near(moment, rng):
        if stage.pose(near.hand, {near.errand.object: near.at}) < REACHED:
            yield _frame(stage, near, views, rng)
    stage.rest(free)
    for _ in range(LONGEST):
        grasp = chosen(moment.hand, moment.work)
        action, done = act(moment.hand, moment.work, grasp, OPENED)
        after += done
        shown = rng.random() < _share(moment, grasp)
        if shown and stage.pose(moment.hand, {moment.errand.object: moment.at}) < REACHED:
            yield _frame(stage, moment, views, rng)
        if after > 2:
            return
        moment = _next(moment, _disturbed(moment, action, rng), grasp)


def _near(moment: Moment, rng: np.random.Generator) -> Iterator[Moment]:
    """Moments from which little is left to put right: where an imitator is that came nearly as the expert does."""
    grasp = chosen(moment.hand, moment.work)
    aim, table, errand = moment.work.grasps[grasp], moment.table, moment.errand
    for _ in range(BESIDE):
        hand = _beside(aim, OPENED, False, rng)
        work = table.work(errand, hand.position)
        if work is not None:
            yield replace(moment, hand=hand, work=work)
    taking = Hand(aim.position, aim.yaw, np.zeros(2), moment.work.width, True)
    in_hand = taking.pose.inverse() @ table.gripped(errand.object, moment.at, taking.pose)
    for _ in range(BESIDE):
        hand = _beside(moment.work.goal[grasp], moment.work.width, True, rng)
        at = hand.pose @ in_hand
        work = table.work(errand, hand.position, at, in_hand)
        if work is not None:
            yield Moment(hand, table, errand, work, at, in_hand)


def _beside(aim: Aim, width: float, gripped: bool, rng: np.random.Generator) -> Hand:
    up = float(rng.uniform(0.0, HIGH))
    aside = SIDEWARD[0] + SIDEWARD[1] * up + (LESS_SURE if up > 0.03 else 0.0)
    position = aim.position + np.array([*(aside * rng.normal(size=2)), up])
    return Hand(position, aim.yaw + float(rng.normal(0.0, 0.15)), rng.normal(0.0, 0.02, 2), width, gripped)


def _doable(
    table: Table, hand: Array, rng: np.random.Generator, choices: Sequence[Errand] = ()
) -> tuple[Errand, Work] | None:
    """An errand that can be done and is not; none after a few draws."""
    choices = choices or errands(table.inventory)
    for _ in range(4):
        errand = drawn(choices, rng)
        work = table.work(errand, hand)
        if work is not None and not work.placed:
            return errand, work
    return None


def _share(moment: Moment, grasp: int) -> float:
    aim = moment.work.goal[grasp] if moment.hand.gripped or moment.work.placed else moment.work.grasps[grasp]
    return SHARE_NEAR if float(np.linalg.norm(aim.position - moment.hand.position)) < 0.07 else SHARE


def _disturbed(moment: Moment, action: Action, rng: np.random.Generator) -> Action:
    """An action with noise: less of it near what is touched, now and then a burst or a wrong gripper."""
    near = min(float(np.linalg.norm(g.position - moment.hand.position)) for g in moment.work.grasps) < 0.03
    scale = 0.4 if near else 1.0
    move = action.move + scale * NOISE * rng.normal(size=3)
    turn = action.turn + scale * NOISE_TURN * rng.normal(size=3)
    width = action.width
    if rng.random() < BURST:
        move, turn = move + BURST_MOVE * rng.normal(size=3), turn + BURST_TURN * rng.normal() * np.array([0, 0, 1.0])
    if not moment.hand.gripped and not moment.work.placed and rng.random() < BURST:
        width = float(rng.uniform(0.0, OPENED))
    lowest = 0.010 - float(moment.hand.position[2])
    return Action(np.array([*move[:2], max(float(move[2]), lowest)]), turn, width)


def _next(moment: Moment, action: Action, grasp: int) -> Moment:
    """The state after an action: what is held moves along, what is let go comes to lie below."""
    hand, work = step(moment.hand, moment.work, action, OPENED)
    table, at, in_hand = moment.table, moment.at, moment.in_hand
    if hand.gripped and not moment.hand.gripped:
        in_hand = moment.hand.pose.inverse() @ table.gripped(moment.errand.object, at, moment.hand.pose)
        work = Work((work.grasps[grasp],), work.width, {0: work.goal[grasp]}, spot=work.spot)
    if hand.gripped and in_hand is not None:
        at = hand.pose @ in_hand
    elif moment.hand.gripped:
        at, in_hand = _dropped(at, moment.work.goal[0], moment.hand, moment.errand.target == "bin"), None
        table = table.moved(moment.errand.object, at)
    return Moment(hand, table, moment.errand, work, at, in_hand)


def _dropped(pose: Pose, goal: Aim, hand: Hand, into_bin: bool) -> Pose:
    """Where an object lies that was let go over its goal: as far below as the hand was above where it lets go."""
    fall = max(0.0, float(hand.position[2] - goal.position[2])) + DROP
    if into_bin:
        fall += max(0.0, float(goal.position[2]) - BIN) if goal.position[2] > BIN else 0.02
    return Pose(pose.position - np.array([0.0, 0.0, fall]), pose.quaternion)


def _frame(stage: Stage, moment: Moment, views: Sequence[View], rng: np.random.Generator) -> dict[str, Any]:
    """Pictures, the robot's own numbers, and labels for several instructions."""
    sizes = {v.camera: v.size for v in views}
    seen = stage.pictures(sizes)
    tasks = [(moment.errand, moment.work), *_others(stage, moment, rng)]
    labels = [_label(stage, moment, e, w, rng) for e, w in tasks]
    points = np.array([label.pop("points") for label in labels])  # (K, 2, 3)
    frame: dict[str, Any] = {f"image_{v.camera}": v.cut(seen[v.camera]) for v in views}
    frame["state"] = stage.proprioception(moment.hand.gripped)
    shares = [_seen(stage, v, points.reshape(-1, 3)).reshape(len(tasks), 2, 3) for v in views]
    frame["points"] = np.stack(shares, axis=1).astype(np.float32)
    return {**frame, **{name: np.stack([np.asarray(label[name]) for label in labels]) for name in labels[0]}}


def _others(stage: Stage, moment: Moment, rng: np.random.Generator) -> list[tuple[Errand, Work]]:
    """Other errands that could be asked for here: with something in hand, other targets for it."""
    table = moment.table
    held = moment.errand.object if moment.hand.gripped else None
    choices = [e for e in errands(table.inventory) if held in (None, e.object)]
    found: list[tuple[Errand, Work]] = []
    for _ in range(4 * INSTRUCTIONS if choices else 0):
        errand = drawn(choices, rng)
        work = table.work(errand, moment.hand.position, moment.at if held else None, moment.in_hand)
        if work is not None:
            found.append((errand, work))
        if len(found) == INSTRUCTIONS - 1:
            return found
    return found + [(moment.errand, moment.work)] * (INSTRUCTIONS - 1 - len(found))


def _label(stage: Stage, moment: Moment, errand: Errand, work: Work, rng: np.random.Generator) -> dict[str, Any]:
    rows, done = chunk(moment.hand, work, CHUNK, OPENED)
    grasp = chosen(moment.hand, work)
    spot = work.spot if work.spot is not None else work.goal[grasp].position
    at = moment.at if errand.object == moment.errand.object else moment.table.poses[errand.object]
    return {
        "text": np.array(errand.words(stage.layout.inventory, rng)),
        "chunk": rows.astype(np.float32),
        "points": np.stack([at.position, spot]),
        "where": where(moment.hand, work, grasp).astype(np.float32),
        "done": np.float32(done),
    }


def where(hand: Hand, work: Work, grasp: int) -> Array:
    """What the picture should tell, ``(10,)``: the ways to grasp and goal (m), turns (rad), gripped, placed."""
    take, goal = work.grasps[grasp], work.goal[grasp]
    turns = [wrapped(take.yaw - hand.yaw), wrapped(goal.yaw - hand.yaw)]
    ways = [*(take.position - hand.position), *(goal.position - hand.position)]
    return np.array([*ways, *turns, float(hand.gripped), float(work.placed)])


def _seen(stage: Stage, view: View, points: Array) -> Array:
    """Points in a view: column and row as shares of its window, and 1 where they are within it, ``(n, 3)``."""
    pixels = stage.lens(view.camera, view.size).project(points, stage.mount(view.camera))
    left, top, width, height = view.window
    share = (pixels[:, :2] - (left, top)) / (width, height)
    inside = (pixels[:, 2] > 0.02) & (share > 0.0).all(axis=1) & (share < 1.0).all(axis=1)
    return np.concatenate([np.clip(share, 0.0, 1.0), inside[:, None]], axis=1)


def write(folder: Path, views: Sequence[View], seeds: Sequence[int], seed: int, count: int, size: int = SIZE) -> None:
    """Shards ``frames-<seed>-<i>.npz`` of ``size`` frames each, at least ``count`` frames in all.

    Where this was cut off before, all is drawn again from the beginning, so that frames depend on the seed alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shard, index = Shard(), 0
    for frame in frames(views, seeds, seed):
        shard.add(frame)
        if len(shard) == size:
            shard.save(folder / shard_name(seed, index))
            shard, index = Shard(), index + 1
            if index * size >= count:
                return


def shard_name(seed: int, index: int) -> str:
    """The file of a seed's shard number ``index``."""
    return f"frames-{seed}-{index:04d}.npz"
