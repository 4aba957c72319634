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
from typing import TYPE_CHECKING

from robo_orch.motion.failure import MotionFailure
from robo_orch.policies.tamp.symbols import Errand, Symbols
from robo_orch.types import Code

if TYPE_CHECKING:
    from unified_planning.model import Problem

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
    problem = _problem(symbols, errand)
    parameters = {"fast_downward_search_config": SEARCH}
    with problem.environment.factory.OneshotPlanner(name=ENGINE, params=parameters) as planner:
        result = planner.solve(problem)
    if result.plan is None:
        reason = f"no order of actions brings {errand.thing} to {errand.target} ({result.status.name.lower()})"
        raise MotionFailure(Code.NO_PLACE, reason)
    return [Action(a.action.name, tuple(map(str, a.actual_parameters))) for a in result.plan.actions]


def warm() -> None:
    """Load what planning needs, which takes a second or two, so that no plan has to wait for it."""
    if find_spec(PACKAGE) is not None:
        _domain()


@cache
def _domain() -> Problem:
    """The actions, as a problem without objects; copied for each errand, since parsing takes longer than planning."""
    from unified_planning.environment import get_environment
    from unified_planning.io.pddl_reader import PDDLReader

    get_environment().credits_stream = None
    text = files("robo_orch.policies.tamp").joinpath("domain.pddl").read_text()
    problem: Problem = PDDLReader().parse_problem_string(text)
    return problem


def _problem(symbols: Symbols, errand: Errand) -> Problem:
    """The errand over the things that may have to do with it."""
    problem = _domain().clone()
    items = symbols.concerned(errand)
    item = problem.user_type("item")
    objects = {name: problem.add_object(name, item) for name in items}
    for name, *args in sorted(_facts(symbols, errand, items)):
        problem.set_initial_value(problem.fluent(name)(*(objects[arg] for arg in args)), True)
    problem.add_goal(problem.fluent("at")(objects[errand.thing], objects[errand.target]))
    problem.add_goal(problem.fluent("empty")())
    return problem


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
