# SPDX-License-Identifier: Apache-2.0
"""Which actions, in which order: plans over symbols by Fast Downward (unified-planning, in a process of its own).

The actions stand in ``domain.pddl``: pick, place, stack, put in, move aside (put what is in the hand somewhere out of
the way) and open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec

from robo_orch.motion.failure import MotionFailure
from robo_orch.policies.tamp.symbols import Errand, Symbols
from robo_orch.types import Code

#: The engine that extra ``[tamp]`` installs; GPL-3.0, hence never imported here.
ENGINE, PACKAGE = "fast-downward", "up_fast_downward"
#: Shortest plans, and no clock; problems are tiny (chosen).
SEARCH = "astar(blind())"


@dataclass(frozen=True, slots=True)
class Action:
    """One symbolic action: its name and the objects it concerns."""

    name: str
    args: tuple[str, ...]


def plan(symbols: Symbols, errand: Errand) -> list[Action]:
    """A shortest plan that runs the errand and leaves the hand empty.

    Raises:
        MotionFailure: ``NO_PLACE`` where there is none; ``PRECONDITION`` where Fast Downward is not installed.
    """
    if find_spec(PACKAGE) is None:
        reason = "something must be moved or opened first, which needs Fast Downward: `make setup` installs it"
        raise MotionFailure(Code.PRECONDITION, reason)
    from unified_planning.io import PDDLReader
    from unified_planning.shortcuts import OneshotPlanner, get_environment

    get_environment().credits_stream = None
    problem = PDDLReader().parse_problem_string(_domain(), _problem(symbols, errand))
    with OneshotPlanner(name=ENGINE, params={"fast_downward_search_config": SEARCH}) as planner:
        result = planner.solve(problem)
    if result.plan is None:
        reason = f"no order of actions brings {errand.thing} to {errand.target} ({result.status.name.lower()})"
        raise MotionFailure(Code.NO_PLACE, reason)
    return [Action(a.action.name, tuple(map(str, a.actual_parameters))) for a in result.plan.actions]


@cache
def _domain() -> str:
    return files("robo_orch.policies.tamp").joinpath("domain.pddl").read_text()


def _problem(symbols: Symbols, errand: Errand) -> str:
    """The errand as PDDL, over the things that may have to do with it."""
    items = symbols.concerned(errand)
    facts = sorted(f"({' '.join(fact)})" for fact in _facts(symbols, errand, items))
    return f"""(define (problem errand) (:domain errand)
  (:objects {" ".join(items)} - item)
  (:init {" ".join(facts)})
  (:goal (and (at {errand.thing} {errand.target}) (empty))))"""


def _facts(symbols: Symbols, errand: Errand, items: list[str]) -> Iterator[tuple[str, ...]]:
    parts = {part for shut in symbols.behind.values() for part in shut}
    if symbols.held:
        yield from (("holding", symbols.held), ("moved", symbols.held))
    else:
        yield ("empty",)
    yield (f"to_{errand.how}", errand.thing, errand.target)
    yield from (("resting", x) for x in items if x != symbols.held)
    yield from (("part", d) for d in items if d in parts)
    yield from (("behind", d, x) for x in items for d in symbols.behind.get(x, ()) if d in items)
    yield from (("obstructs", y, x) for y, x in symbols.obstructs if {y, x} <= set(items))
    yield from (("blocks", y, x, p) for y, x, p in symbols.blocks if {y, x, p} <= set(items))
