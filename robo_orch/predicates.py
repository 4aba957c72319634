# SPDX-License-Identifier: Apache-2.0
"""Facts about the world, evaluated on pose estimates with their uncertainty.

Every predicate returns a signed margin (m, or rad turned into a length): how far the fact is from
flipping. Together with the estimates' sigma it becomes a probability, so that poor perception gives
``unknown`` and never a confident lie. The same functions judge for the robot (on estimates) and for
the simulator's referee (on true poses, sigma 0).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from robo_orch.errors import GoalError, unknown
from robo_orch.latch import Peak, joint_estimate
from robo_orch.objects import Inventory, Joint, ObjectSpec, Surface
from robo_orch.types import Code, PoseEstimate, Predicate, RobotState

#: A fact counts as true above this probability, as false below its complement (chosen).
CONFIDENCE = 0.9
#: How far (m) the bottom of an object may be from the surface it is said to stand on (chosen).
CONTACT_TOLERANCE = 0.010
#: How many sigma are added to that, and how much of a sigma counts, m (chosen: what was let go stands on something, so
#: that estimates of model precision that are two sigma apart in height still say on what).
HEIGHT_SIGMAS, HEIGHT_SIGMA = 2.0, 0.006
#: Surfaces this close in height (m) are one: a table and its left side (chosen).
FLUSH = 0.005
#: A joint counts as closed below, and as open above, these shares of its range (chosen).
CLOSED_BELOW, OPEN_ABOVE = 0.06, 0.7
#: A button counts as pressed beyond this share of its travel, a knob as turned beyond this share of its range (chosen).
PRESSED_ABOVE, TURNED_ABOVE = 0.5, 0.7
#: Largest tilt (rad) of something upright (chosen: 15 degrees).
UPRIGHT_TILT = 0.26


@dataclass(frozen=True, slots=True)
class Truth:
    """How a fact stands: its margin (positive = true), the margin's sigma, and why.

    ``known`` is false where something needed was never perceived.
    """

    margin: float
    sigma: float
    because: str = ""
    known: bool = True

    @property
    def probability(self) -> float:
        """Probability that the fact holds, from margin over sigma under a normal error."""
        if not self.known:
            return 0.5
        if self.sigma <= 0.0:
            return 1.0 if self.margin > 0.0 else 0.0
        return float(ndtr(self.margin / self.sigma))

    @property
    def holds(self) -> bool:
        """Whether the fact is true with confidence."""
        return self.probability >= CONFIDENCE

    @property
    def fails(self) -> bool:
        """Whether the fact is false with confidence."""
        return self.probability <= 1.0 - CONFIDENCE

    def negate(self) -> Truth:
        """The truth of the opposite fact."""
        return Truth(-self.margin, self.sigma, self.because, self.known)


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What predicates are evaluated on.

    Attributes:
        inventory: the things that the scene is known to contain.
        objects: pose estimates by name.
        holding: what the gripper holds.
        peaks: how far buttons were pressed in the stretch of time that is judged (:mod:`robo_orch.latch`).
    """

    inventory: Inventory
    objects: Mapping[str, PoseEstimate]
    holding: str | None = None
    peaks: Mapping[str, Peak] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        inventory: Inventory,
        objects: Mapping[str, PoseEstimate],
        state: RobotState,
        peaks: Mapping[str, Peak] | None = None,
    ) -> Facts:
        """Facts as one observation gives them."""
        return cls(inventory, objects, state.holding, peaks or {})


_Evaluator = Callable[..., Truth]
_TABLE: dict[str, tuple[int, _Evaluator]] = {}


def _predicate(name: str, arity: int) -> Callable[[_Evaluator], _Evaluator]:
    def register(function: _Evaluator) -> _Evaluator:
        _TABLE[name] = (arity, function)
        return function

    return register


def names() -> list[str]:
    """All predicates that exist."""
    return sorted(_TABLE)


def check(predicate: Predicate, inventory: Inventory) -> None:
    """Refuse a predicate that does not exist, has the wrong number of arguments or names unknown objects.

    Raises:
        GoalError: with what exists and the closest names.
    """
    if predicate.name not in _TABLE:
        raise unknown(GoalError, "a predicate", predicate.name, _TABLE)
    arity, _ = _TABLE[predicate.name]
    if len(predicate.args) != arity:
        raise GoalError(f"{arity} argument(s) of {predicate.name}", str(predicate), "give that many object names")
    for name in predicate.args:
        if name not in inventory:
            raise unknown(GoalError, "an object", name, inventory, Code.UNKNOWN_OBJECT)


def evaluate(predicate: Predicate, facts: Facts) -> Truth:
    """How a predicate stands, given what is perceived.

    Raises:
        GoalError: the predicate is malformed or names an object that the scene does not have.
    """
    check(predicate, facts.inventory)
    _, function = _TABLE[predicate.name]
    for name in predicate.args:
        if name not in facts.objects:
            return _unseen(name)
    truth = function(facts, *predicate.args)
    return truth.negate() if predicate.negated else truth


def all_of(truths: list[Truth]) -> Truth:
    """The least probable of several facts stands for their conjunction."""
    return min(truths, key=lambda t: t.probability)


def any_of(truths: list[Truth]) -> Truth:
    """The most probable of several facts stands for their disjunction."""
    return max(truths, key=lambda t: t.probability)


@_predicate("on", 2)
def on(facts: Facts, top: str, support: str) -> Truth:
    """``top`` stands on one of ``support``'s surfaces, released; a hollow's floor counts only where that is all."""
    surfaces = facts.inventory[support].tops
    if not surfaces:
        return Truth(-1.0, 0.0, f"nothing can stand on {support}")
    foot = facts.inventory[top].height_below(facts.objects[top].pose)
    return any_of([_stands_on(facts, top, foot, support, surface) for surface in surfaces])


@_predicate("stacked", 2)
def stacked(facts: Facts, top: str, support: str) -> Truth:
    """``top`` stands on ``support``, and ``support`` itself stands free (is not held)."""
    return all_of([on(facts, top, support), not_holding(facts, support)])


@_predicate("in", 2)
def inside(facts: Facts, thing: str, container: str) -> Truth:
    """``thing``'s centre is inside ``container``'s hollow, released."""
    interior = facts.inventory[container].interior
    if interior is None:
        return Truth(-1.0, 0.0, f"nothing can be put into {container}")
    a, b = facts.objects[thing], facts.objects[container]
    margin = interior.inside(b.pose.inverse().apply(a.pose.position))
    where = _away(margin, "inside", "outside")
    contained = Truth(margin, _sigma(a, b), f"{thing} is {where} the border of {container}")
    return all_of([contained, not_holding(facts, thing)])


@_predicate("open", 1)
def is_open(facts: Facts, part: str) -> Truth:
    """A drawer or door stands open; of something hollow, every door before it. What has no door is never shut."""
    spec = facts.inventory[part]
    if spec.joint is None and spec.interior is not None:
        doors = [is_open(facts, door) for door in shutters(part, facts.inventory)]
        return all_of(doors) if doors else Truth(1.0, 0.0, f"nothing shuts {part}")
    return _joint_above(facts, part, OPEN_ABOVE)


@_predicate("closed", 1)
def is_closed(facts: Facts, part: str) -> Truth:
    """A drawer or door is shut; of something hollow, every door before it."""
    spec = facts.inventory[part]
    if spec.joint is None and spec.interior is not None:
        doors = [is_closed(facts, door) for door in shutters(part, facts.inventory)]
        return all_of(doors) if doors else Truth(-1.0, 0.0, f"nothing shuts {part}")
    truth = _joint_above(facts, part, CLOSED_BELOW)
    return truth.negate() if spec.joint is not None else truth


@_predicate("turned", 1)
def turned(facts: Facts, part: str) -> Truth:
    """A knob stands turned."""
    return _joint_above(facts, part, TURNED_ABOVE)


@_predicate("pressed", 1)
def pressed(facts: Facts, part: str) -> Truth:
    """A button is down, or was at some moment of the stretch that is judged (:mod:`robo_orch.latch`)."""
    now = _joint_above(facts, part, PRESSED_ABOVE)
    peak = facts.peaks.get(part)
    if peak is None or not now.known:
        return now
    travel = _joint(facts, part).limits[1]
    share = min(max(peak.sure / travel, 0.0), 1.0)
    because = f"{part} was pressed by at least {100 * share:.0f} % of its travel"
    return any_of([now, Truth(peak.sure - PRESSED_ABOVE * travel, peak.sigma, because)])


@_predicate("accessible", 1)
def accessible(facts: Facts, thing: str) -> Truth:
    """``thing`` is in nothing that is shut, nor is it a drawer that is."""
    spec = facts.inventory[thing]
    own = [thing] if spec.opens else []
    free = not spec.fixed and spec.joint is None  # furniture is in nothing
    hollows = [n for n, s in facts.inventory.items() if free and s.interior is not None and n in facts.objects]
    around = [hollow for hollow in hollows if hollow != thing and not inside(facts, thing, hollow).fails]
    truths = [is_open(facts, name) for name in (*own, *around)]
    return all_of(truths) if truths else Truth(1.0, 0.0, f"nothing shuts {thing} off")


@_predicate("holding", 1)
def holding(facts: Facts, thing: str) -> Truth:
    """The gripper holds ``thing``."""
    return Truth(1.0 if facts.holding == thing else -1.0, 0.0, f"the gripper holds {facts.holding or 'nothing'}")


@_predicate("clear", 1)
def clear(facts: Facts, support: str) -> Truth:
    """Nothing movable stands on ``support``."""
    truths = [on(facts, name, support).negate() for name in things_on(facts, support, certain=False)]
    return all_of(truths) if truths else Truth(1.0, 0.0, f"nothing is on {support}")


@_predicate("upright", 1)
def upright(facts: Facts, thing: str) -> Truth:
    """``thing`` stands as made, whatever its heading."""
    estimate = facts.objects[thing]
    tilt = float(np.arccos(np.clip(estimate.pose.matrix[2, 2], -1.0, 1.0)))
    return Truth(UPRIGHT_TILT - tilt, estimate.sigma_angle, f"{thing} is tilted by {np.degrees(tilt):.0f} degrees")


@_predicate("at", 2)
def at(facts: Facts, thing: str, region: str) -> Truth:
    """``thing``'s centre is over a region (a fixed object with a surface), released."""
    return on(facts, thing, region)


def not_holding(facts: Facts, thing: str) -> Truth:
    """``thing`` has been let go."""
    return holding(facts, thing).negate()


def things_on(facts: Facts, support: str, certain: bool = True) -> list[str]:
    """Names of movable objects standing on ``support``; ``certain=False`` includes doubtful ones."""
    surfaces = facts.inventory[support].surfaces
    found = []
    for name, spec in facts.inventory.items():
        if name == support or not spec.movable or name not in facts.objects or not surfaces:
            continue
        if support not in facts.objects:
            continue
        truth = on(facts, name, support)
        if truth.holds if certain else not truth.fails:
            found.append(name)
    return found


def shutters(hollow: str, inventory: Inventory) -> list[str]:
    """The drawer that ``hollow`` is, or the doors before it: what must be open to reach into it."""
    own = [hollow] if inventory[hollow].opens else []
    return own + [name for name, spec in inventory.items() if _door_of(spec, hollow)]


def _door_of(spec: ObjectSpec, hollow: str) -> bool:
    return spec.opens and spec.interior is None and spec.joint is not None and spec.joint.parent == hollow


def opening(facts: Facts, part: str) -> float:
    """Estimated joint value (m or rad) of a drawer, door, button or knob."""
    joint = _joint(facts, part)
    return joint.value(facts.objects[joint.parent].pose, facts.objects[part].pose)


def _joint(facts: Facts, part: str) -> Joint:
    joint = facts.inventory[part].joint
    if joint is None:
        remedy = "name a drawer, a door, a button or a knob"
        raise GoalError("a part that moves on a joint", part, remedy, Code.IMPOSSIBLE_GOAL)
    return joint


def _stands_on(facts: Facts, top: str, foot: float, support: str, surface: Surface) -> Truth:
    """``foot``: how far (m) ``top``'s lowest point is below its origin."""
    a, b = facts.objects[top], facts.objects[support]
    gap, within = _height_over(facts, top, foot, support, surface)
    sigma = _sigma(a, b)
    tolerance = CONTACT_TOLERANCE + HEIGHT_SIGMAS * min(sigma, HEIGHT_SIGMA)
    truths = [
        Truth(tolerance - abs(gap), sigma, f"{top} is {_away(gap, 'above', 'below')} {support}"),
        Truth(within, sigma, f"{top}'s centre is {_away(within, 'inside', 'outside')} {support}'s border"),
        not_holding(facts, top),
    ]
    if not any(truth.fails for truth in truths):
        truths += _rivals(facts, top, foot, support, gap)
    return all_of(truths)


def _rivals(facts: Facts, top: str, foot: float, support: str, gap: float) -> list[Truth]:
    """That no higher surface below ``top``'s centre is nearer to its bottom: what is on a tray is not on the table.

    Lower ones are covered by the support itself. All heights share the error of ``top``'s own.
    """
    found = []
    for name, spec in facts.inventory.items():
        if name in (top, support) or name not in facts.objects or not spec.geoms:
            continue
        for surface in spec.tops:
            other, within = _height_over(facts, top, foot, name, surface)
            if within > 0.0 and gap - other > FLUSH and abs(other) < CONTACT_TOLERANCE + abs(gap):
                sigma = math.hypot(facts.objects[top].sigma, facts.objects[name].sigma, facts.objects[support].sigma)
                found.append(Truth((abs(other) - abs(gap)) / 2, sigma, f"{top} is rather on {name}"))
    return found


def _height_over(facts: Facts, top: str, foot: float, support: str, surface: Surface) -> tuple[float, float]:
    """How far (m) ``top``'s bottom is above a surface, and its centre inside the surface's border."""
    a, b = facts.objects[top].pose, facts.objects[support].pose
    local = b.inverse().apply(a.position)
    return float(local[2] - foot - surface.centre[2]), surface.inside(local[:2])


def _joint_above(facts: Facts, part: str, share: float) -> Truth:
    joint = facts.inventory[part].joint
    if joint is None:
        return Truth(-1.0, 0.0, f"{part} moves on no joint")
    for name in (part, joint.parent):
        if name not in facts.objects:
            return _unseen(name)
    value, sigma = joint_estimate(joint, facts.objects[joint.parent], facts.objects[part])
    reach = joint.limits[1]
    return Truth(value - share * reach, sigma, f"{part} is at {100 * value / reach:.0f} % of its range")


def _unseen(name: str) -> Truth:
    return Truth(0.0, 1.0, f"{name} has not been perceived", known=False)


def _sigma(a: PoseEstimate, b: PoseEstimate) -> float:
    return float(np.hypot(a.sigma, b.sigma))


def _mm(metres: float) -> str:
    return f"{1000 * metres:.0f} mm"


def _away(metres: float, above: str, below: str) -> str:
    """A signed distance in words: ``5 mm above``, ``5 mm below``."""
    return f"{_mm(abs(metres))} {above if metres > -5e-4 else below}"
