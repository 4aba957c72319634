# SPDX-License-Identifier: Apache-2.0
"""Subgoals in an order that works, without a model: what stands below comes first, what is in the way is moved aside.

::

    for each stage of the goal ("then", "before"):
        while a wanted fact does not hold:
            fact = the first one said whose support is where it shall be
            put aside what is on the object, what fills the place; open what is shut
            bring the fact about

Every pass settles a fact on settled ground or puts an object aside on furniture, where it is never in the way again, so
that this ends. Plans are short but not always the shortest: finding those is NP-hard (Gupta and Nau, 1992).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from robo_orch.errors import GoalError
from robo_orch.objects import Inventory
from robo_orch.plan import Plan
from robo_orch.planners.belief import Belief
from robo_orch.planners.consistency import PLACED, agree, area, carried, check_consistent, check_possible
from robo_orch.predicates import Facts
from robo_orch.skills import Skill, achieving
from robo_orch.types import Code, Goal, Predicate, Subgoal

#: Things put aside shall have room for a hand's fingers between them, m (chosen).
FINGERS = 0.04


@dataclass(frozen=True, slots=True)
class SymbolicPlanner:
    """The offline planner. ``skills_offered``: names of the skills that the cards at hand can do."""

    skills_offered: Collection[str]

    def plan(self, goal: Goal, inventory: Inventory, facts: Facts) -> Plan:
        """Subgoals that bring about the goal; facts that hold already need none.

        Raises:
            GoalError: ``NO_SKILL``, ``IMPOSSIBLE_GOAL``, ``CONTRADICTORY_GOAL`` or unknown names.
        """
        for facts_together in (goal.predicates, *goal.stages):
            check_possible(facts_together, inventory)
            check_consistent(facts_together, inventory)
        _check_perceived(goal.predicates, facts)
        work = Construction(Belief.of(facts), frozenset(self.skills_offered))
        wanted: list[Predicate] = []
        for i, stage in enumerate(bottom_up(goal.stages or (goal.predicates,), inventory)):
            wanted = carried(wanted, stage, inventory)
            work.belief.others -= {f for f in stage if i and f.name == "pressed"}  # "then press it again"
            work.reach(wanted)
        if missed := [str(f) for f in goal.predicates if not work.belief.holds(f)]:
            raise RuntimeError(f"the plan would not reach {', '.join(missed)}")
        return Plan.of(*work.steps)


def bottom_up(stages: Sequence[Sequence[Predicate]], inventory: Inventory) -> list[list[Predicate]]:
    """The stages, with what stands under something moved to before it, whatever the order said.

    "Put A on B, then put B on the plate" is done as B, then A: in the order said, A would have to be taken off again.
    """
    out = [list(stage) for stage in stages]
    for i, stage in enumerate(out):
        queue = list(stage)
        while queue:
            fact = queue.pop()
            below = fact.args[1] if _places(fact) else None
            if below is None or any(_places(f) and f.args[0] == below for f in stage):
                continue
            for later in out[i + 1 :]:
                for base in [f for f in later if _places(f) and f.args[0] == below]:
                    if not agree([base, *stage], inventory):
                        continue
                    later.remove(base)
                    stage.insert(0, base)
                    queue.append(base)
    return out


@dataclass(slots=True)
class Construction:
    """Builds one plan: the state reached so far, and the steps that lead there."""

    belief: Belief
    offered: frozenset[str]
    steps: list[Subgoal] = field(default_factory=list)
    wanted: list[Predicate] = field(default_factory=list)

    def reach(self, wanted: Sequence[Predicate]) -> None:
        """Add steps until all of ``wanted`` holds."""
        self.wanted = list(wanted)
        self._check_grounds()
        for _ in range(8 * (len(self.belief.where) + len(wanted) + 1)):
            unmet = [f for f in self.wanted if not self.belief.holds(f)]
            if not unmet:
                return
            self._advance(unmet)
        raise RuntimeError(f"no end of steps towards {', '.join(map(str, wanted))}")

    def _advance(self, unmet: list[Predicate]) -> None:
        ready = [f for f in unmet if self._ready(f, unmet)]
        if not ready:
            raise RuntimeError(f"nothing can be done first among {', '.join(map(str, unmet))}")
        held = self.belief.held
        if held is not None and Predicate("holding", (held,)) not in self.wanted:
            mine = [f for f in ready if _places(f) and f.args[0] == held and self._open_to(f, unmet)]
            if not mine:
                return self._put_aside(held)
            ready = mine
        grounded = [f for f in ready if not _places(f) or not self._shaky(f.args[1], unmet)]
        return self._bring_about((grounded or ready)[0], unmet)

    def _ready(self, fact: Predicate, unmet: Sequence[Predicate]) -> bool:
        moving = {f.args[0] for f in unmet if _places(f)}
        if _places(fact):
            return fact.args[1] not in moving
        if fact.name in PLACED:
            return fact.args[0] not in moving
        if fact.name == "clear":
            return not fact.negated and not moving.intersection(self.belief.loose(fact.args[0]))
        if _closes(fact):
            hollows = self.belief.behind(fact.args[0])
            filling = any(_places(f) and f.args[1] in hollows for f in unmet)
            inside = {name for hollow in hollows for name in self.belief.within(hollow)}
            return not filling and not inside.intersection(f.args[0] for f in unmet)
        return True

    def _shaky(self, place: str, unmet: Sequence[Predicate]) -> bool:
        """Whether something below ``place`` has yet to be moved."""
        moving = {f.args[0] for f in unmet if _places(f)}
        return bool(moving.intersection(self.belief.chain(place)))

    def _open_to(self, fact: Predicate, unmet: Sequence[Predicate]) -> bool:
        """Whether an object in the hand can go to its place at once."""
        thing, place = fact.args
        if self._shaky(place, unmet) or self.belief.shut(place, PLACED[fact.name] == "in"):
            return False
        return PLACED[fact.name] == "in" or self.belief.room(thing, place)

    def _bring_about(self, fact: Predicate, unmet: Sequence[Predicate]) -> None:
        if _places(fact):
            self._place(fact, unmet)
        elif fact.name in PLACED:
            self._put_aside(fact.args[0])
        elif fact.name == "clear" and not fact.negated:
            for name in self.belief.loose(fact.args[0]):
                self._put_aside(name)
        elif fact.name in ("open", "closed"):
            self._set_joint(fact.args[0], not _closes(fact))
        else:
            self._do(self._skill(fact), fact.args)
            self.belief.others.add(fact)

    def _place(self, fact: Predicate, unmet: Sequence[Predicate]) -> None:
        thing, place = fact.args
        if self._shaky(place, unmet):
            self._put_aside(place)
        self._free(thing, place)
        self._reach_into(place, PLACED[fact.name] == "in")
        while PLACED[fact.name] == "on" and not self.belief.room(thing, place):
            self._put_aside(self._least_wanted(place, thing))
        self._put(thing, self._narrowed(fact))

    def _put(self, thing: str, fact: Predicate) -> None:
        self._do(self._skill(fact), fact.args)
        self.belief.move(thing, PLACED[fact.name], fact.args[1])

    def _narrowed(self, fact: Predicate) -> Predicate:
        """Where parts of the place shall stay free of the object, another part: the table, but not its left side."""
        thing, place = fact.args
        avoided = self._unwanted(thing)
        regions = [region for region, ground in self.belief.ground.items() if ground == place]
        other = [region for region in regions if region not in avoided]
        if fact.name == "in" or not avoided.intersection(regions) or not other:
            return fact
        return Predicate("at", (thing, max(other, key=lambda n: area(self.belief.inventory[n]))))

    def _free(self, thing: str, region: str = "") -> None:
        """Take everything off ``thing``, and open what it is in; it must be such that it can be moved at all."""
        spec = self.belief.inventory[thing]
        pushed = ("on", self.belief.ground.get(region, "")) in self.belief.where.get(thing, ())
        if not spec.movable and not pushed:
            expected, remedy = "something that the robot can pick up", "ask for something else"
            raise GoalError(expected, f"the {_said(thing)}", remedy, Code.IMPOSSIBLE_GOAL)
        for above in self.belief.on(thing):
            self._put_aside(above)
        self._reach_into(thing)

    def _reach_into(self, name: str, inside: bool = False) -> None:
        for part in self.belief.shut(name, inside):
            self._set_joint(part, True)

    def _least_wanted(self, place: str, thing: str) -> str:
        kept = {f.args[0] for f in self.wanted if _places(f) and f.args[1] == place}
        there = [name for name in self.belief.loose(place) if name != thing and name not in kept]
        if not there:
            expected = f"room for the {_said(thing)} on the {_said(place)}"
            got = f"{', '.join(map(_said, self.belief.on(place)))} there, to stay"
            raise GoalError(expected, got, "choose another place", Code.IMPOSSIBLE_GOAL)
        return there[0]

    def _put_aside(self, thing: str) -> None:
        """Move something that is in the way to where it is not."""
        self._free(thing)
        self._put(thing, self._aside(thing))

    def _aside(self, thing: str) -> Predicate:
        """Where to put a thing that is in the way: the largest free furniture or part of it, else an open hollow."""
        belief, specs = self.belief, self.belief.inventory
        barred = self._unwanted(thing) | {place for _, place in belief.where[thing]}
        off = self._unwanted(thing) | {place for _, place in belief.where[thing] if place not in belief.ground.values()}
        places = [n for n, s in specs.items() if s.fixed and n not in barred and self._whole(n, barred)]
        found = [Predicate("on", (thing, n)) for n in places if specs[n].tops and not specs[n].floors]
        found += [Predicate("at", (thing, r)) for r, g in belief.ground.items() if r not in barred and g not in off]
        found += [Predicate("in", (thing, n)) for n in places if specs[n].interior and not belief.shut(n, inside=True)]
        if not found:
            expected = f"a surface to put the {_said(thing)} aside"
            remedy = f"say where the {_said(thing)} shall go"
            raise GoalError(expected, "none that the goal leaves free", remedy, Code.IMPOSSIBLE_GOAL)
        return max(
            found, key=lambda f: (belief.room(thing, f.args[1], FINGERS), f.name != "in", area(specs[f.args[1]]))
        )

    def _whole(self, place: str, barred: Collection[str]) -> bool:
        """Whether no part of a place is barred."""
        return place not in self.belief.ground and place not in {self.belief.ground.get(name) for name in barred}

    def _unwanted(self, thing: str) -> set[str]:
        """Where the goal does not want an object."""
        away = {f.args[1] for f in self.wanted if f.name in PLACED and f.negated and f.args[0] == thing}
        return away | {f.args[0] for f in self.wanted if f.name == "clear" and not f.negated}

    def _check_grounds(self) -> None:
        """Refuse a region together with another place than its ground, or with its ground left free."""
        for fact in [f for f in self.wanted if _places(f) and f.args[1] in self.belief.ground]:
            thing, region = fact.args
            ground = self.belief.ground[region]
            for other in self.wanted:
                elsewhere = other.name in PLACED and other.args[0] == thing and other.args[1] != region
                free = other == Predicate("clear", (ground,)) and self.belief.inventory[thing].movable
                if free or (elsewhere and (other.args[1] == ground) == other.negated):
                    got = f"'{other}' together with '{fact}'"
                    raise GoalError("facts that can hold at the same time", got, "drop one", Code.CONTRADICTORY_GOAL)

    def _set_joint(self, part: str, opened: bool) -> None:
        self._do(self._skill(Predicate("open" if opened else "closed", (part,))), (part,))
        self.belief.joints[part] = opened

    def _do(self, skill: Skill, args: Sequence[str]) -> None:
        self.steps.append(skill.subgoal(*args))

    def _skill(self, fact: Predicate) -> Skill:
        able = achieving(fact, self.belief.inventory)
        for skill in able:
            if skill.name in self.offered:
                return skill
        got = f"cards for {', '.join(sorted(self.offered)) or 'nothing'} only"
        if not able:
            raise GoalError(f"a skill that brings about '{fact}'", got, "ask for something else", Code.NO_SKILL)
        needed, words = able[0], able[0].subgoal(*fact.args).text
        remedy = f"add a card that offers {needed.name}, or ask for something else"
        raise GoalError(f"a card that offers the skill {needed.name}, to {words}", got, remedy, Code.NO_SKILL)


def _check_perceived(goal: Sequence[Predicate], facts: Facts) -> None:
    """What shall be away from somewhere must be known to be away: silence is no evidence."""
    for fact in goal:
        empty = fact.name == "clear" or (fact.name in PLACED and fact.negated)
        movable = [name for name, spec in facts.inventory.items() if spec.movable and name != facts.holding]
        needed = (*fact.args, *(movable if fact.name == "clear" else ())) if empty else ()
        for name in needed:
            if name not in facts.objects:
                expected, remedy = f"to know where the {_said(name)} is", "bring it into view"
                raise GoalError(expected, "no estimate of its pose", remedy, Code.NOT_PERCEIVED)


def _places(fact: Predicate) -> bool:
    return fact.name in PLACED and not fact.negated


def _closes(fact: Predicate) -> bool:
    return fact.name in ("open", "closed") and (fact.name == "closed") != fact.negated


def _said(name: str) -> str:
    return name.replace("_", " ")
