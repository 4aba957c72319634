# SPDX-License-Identifier: Apache-2.0
"""The loop, on a real simulated robot with what it perceives."""

from __future__ import annotations

import numpy as np
import pytest

from robo_orch.errors import CardError
from robo_orch.orchestrator import Orchestrator
from robo_orch.planners.grounding import ground
from robo_orch.planners.symbolic import SymbolicPlanner
from robo_orch.policies.card import StartSet
from robo_orch.policies.registry import Registry
from robo_orch.predicates import Facts
from robo_orch.robots import load_robot
from robo_orch.sim.build import build
from robo_orch.types import Code, Pose, Predicate, Stage

GOAL = "put the red cube on the plate and stack the green cube on the blue cube"
NEEDED = [("cube", "red"), ("cube", "green"), ("cube", "blue"), ("cube", "yellow"), ("plate", "")]


class Bench:
    """A scene, its loop, and every event that the loop emitted."""

    def __init__(self, seed: int = 1, goal: str = GOAL, loader: str | None = None, on_event=None, **options):
        self.simulation = build("kitchen", "mujoco", seed, require=NEEDED)
        self.inventory = self.simulation.layout.inventory
        self.events, self._on_event = [], on_event
        cards = Registry.load(only=["tamp/pick-place-v1"])
        if loader:
            cards = Registry((cards.cards[0].model_copy(update={"loader": loader}),))
        planner = SymbolicPlanner(cards.skills)
        robot = self.simulation.robot
        spec = load_robot("panda")
        self.loop = Orchestrator(robot, spec, self.inventory, cards, planner, emit=self.emit, seed=seed, **options)
        for _ in range(5):  # a first look: estimates come with latency
            robot.tick()
        seen = robot.observe()
        self.goal = ground(goal, self.inventory, Facts.of(self.inventory, seen.objects, seen.state))

    def emit(self, event, /, **data):
        self.events.append((event, data))
        if self._on_event:
            self._on_event(self, event, data)

    def run(self):
        return self.loop.run(self.goal)

    def named(self, event):
        return [data for name, data in self.events if name == event]


def test_a_goal_of_two_steps_is_reached_and_truly_so():
    bench = Bench()
    report = bench.run()
    assert report.failure is None and report.plan.complete
    assert all(bench.simulation.world.referee.holds(p) for p in bench.goal.predicates)
    assert [t.verdict for t in report.trials] == [Code.OK, Code.OK]


def test_events_tell_the_whole_story_in_order():
    bench = Bench()
    bench.run()
    names = [name for name, _ in bench.events if name != "chunk"]
    step = ["routed", "step_started", "policy_ended", "verdict", "step_ended"]
    assert names == ["plan_made", *step, *step]


@pytest.mark.parametrize("rogue", ["Crash", "Empty", "Rogue"])
def test_a_policy_that_never_succeeds_is_tried_a_bounded_number_of_times(rogue):  # case C35
    bench = Bench(loader=f"python:tests.rogues:{rogue}")
    report = bench.run()
    assert len(report.trials) == 3
    assert report.failure is not None and report.failure.message
    assert not report.plan.complete


def test_a_policy_that_failed_once_begins_anew_and_may_succeed():  # case C35
    bench = Bench(loader="python:tests.rogues:CrashesFirst", goal="put the red cube on the plate")
    report = bench.run()
    assert [trial.verdict for trial in report.trials] == [Code.POLICY_ERROR, Code.OK]
    assert report.failure is None


def test_an_outcome_is_what_was_verified_and_not_that_the_motion_has_finished():  # case C32
    bench = Bench(loader="python:tests.rogues:Rogue", goal="put the red cube on the plate")
    report = bench.run()
    assert all(told["code"] == "OK" for told in bench.named("policy_ended"))
    assert {told["code"] for told in bench.named("verdict")} == {"NOT_YET"}
    assert all("above plate" in told["because"] or "border" in told["because"] for told in bench.named("verdict"))
    assert all(told["verifier"] == "predicates-v1" for told in bench.named("verdict"))
    assert [trial.verdict for trial in report.trials] == [Code.NOT_YET] * 3


def test_a_claim_of_success_is_not_believed():  # case C33
    report = Bench(loader="python:tests.rogues:Rogue").run()
    assert report.failure.stage is Stage.VERIFY and report.failure.code is Code.NOT_YET


def test_an_unsafe_command_ends_the_run_at_once():
    report = Bench(loader="python:tests.rogues:NotANumber").run()
    assert len(report.trials) == 1 and report.failure.stage is Stage.SAFETY


def teleport(bench: Bench, name: str, position) -> None:
    """Somebody reaches in and moves a thing; perception finds out by itself."""
    bench.simulation.world.place(name, Pose.of(position))


def test_a_world_that_changed_between_plan_and_step_is_noticed_and_dealt_with():  # case C37
    moved = []

    def on_event(bench, event, data):
        if event == "step_ended" and data["index"] == 0 and not moved:
            on_blue = bench.simulation.world.referee.facts().objects["blue_cube"].pose.position
            spare = next(n for n in bench.inventory if n.endswith("cube") and n not in GOAL.replace(" cube", "_cube"))
            teleport(bench, spare, on_blue + np.array([0.0, 0.0, 0.06]))
            moved.append(spare)

    bench = Bench(on_event=on_event)
    report = bench.run()
    assert moved
    assert report.failure is None and report.plan.complete
    assert not bench.simulation.world.referee.holds(Predicate("on", (moved[0], "blue_cube")))
    assert all(bench.simulation.world.referee.holds(p) for p in bench.goal.predicates)


def test_a_done_step_that_is_undone_is_done_again():
    undone = []

    def on_event(bench, event, data):
        if event == "step_started" and data["index"] == 1 and not undone:
            undone.append(True)
            teleport(bench, "red_cube", bench.simulation.layout.poses["red_cube"].position)

    bench = Bench(on_event=on_event)
    report = bench.run()
    assert undone and report.failure is None
    assert any(r["action"] == "reopen" for r in bench.named("recovery"))
    assert all(bench.simulation.world.referee.holds(p) for p in bench.goal.predicates)


def test_time_runs_out_with_a_reason():
    bench = Bench()
    bench.loop._time_limit = 1.0
    report = bench.run()
    assert report.failure.code is Code.TIMEOUT


def test_an_arm_that_is_forced_away_while_it_is_judged_ends_the_run_safely():
    def force(bench, event, data):
        if event == "policy_ended":
            robot = bench.simulation.robot
            tick = robot.tick

            def forced():
                tick()
                bench.simulation.world._data.qpos[bench.simulation.world._qpos[5]] += 0.2

            robot.tick = forced

    bench = Bench(loader="python:tests.rogues:Rogue", on_event=force)
    report = bench.run()
    assert (report.failure.code, report.failure.stage) == (Code.TRACKING_ERROR, Stage.SAFETY)


#: A set that the arm is in at home, and one that is not.
HOME = StartSet(posture=tuple(load_robot("panda").home), within=(0.05,) * 3, turn=0.2)
AWAY = HOME.model_copy(update={"posture": (0.5, *HOME.posture[1:])})
UNDER_THE_TABLE = HOME.model_copy(update={"posture": (0.0, 1.7, 0.0, -1.0, 0.0, 1.5, 0.0)})


def rival(bench: Bench, **changes) -> None:
    """Another card comes first; the shipped one stays behind it."""
    known = bench.loop._roster.cards.cards
    first = known[0].model_copy(update={"id": "rl/rival-v1"} | changes)
    bench.loop._roster.cards = Registry((first, *known))


def test_the_arm_is_brought_to_the_start_that_the_chosen_card_declares():
    bench = Bench(goal="put the red cube on the plate")
    rival(bench, start=AWAY)
    report = bench.run()
    (handoff,) = bench.named("handoff")
    assert (handoff["from"], handoff["to"], handoff["method"]) == (None, "rl/rival-v1", "declared-start")
    assert handoff["ok"] and handoff["seconds"] > 0.5
    assert report.failure is None
    names = [name for name, _ in bench.events if name != "chunk"]
    assert names[1:5] == ["routed", "step_started", "handoff", "policy_ended"]


def test_where_the_arm_is_at_the_start_already_nothing_is_handed_over():
    bench = Bench(goal="put the red cube on the plate")
    rival(bench, start=HOME)
    assert bench.run().failure is None and not bench.named("handoff")


def test_without_a_bridge_the_policy_starts_where_the_arm_is():
    bench = Bench(goal="put the red cube on the plate", bridge="none")
    rival(bench, start=AWAY)
    assert bench.run().failure is None and not bench.named("handoff")


def test_a_card_to_whose_start_there_is_no_way_lets_the_next_one_do_it():
    bench = Bench(goal="put the red cube on the plate")
    rival(bench, start=UNDER_THE_TABLE)
    report = bench.run()
    assert [(t.card, t.verdict) for t in report.trials] == [
        ("rl/rival-v1", Code.NO_BRIDGE),
        ("tamp/pick-place-v1", Code.OK),
    ]
    assert report.trials[0].outcome.stage is Stage.BRIDGE
    assert "could not be brought to its start" in bench.named("routed")[1]["because"]
    assert report.failure is None


def test_a_bridge_that_never_gets_there_fails_the_step_at_that_stage():
    bench = Bench(goal="put the red cube on the plate")
    only = bench.loop._roster.cards.cards[0].model_copy(update={"start": UNDER_THE_TABLE})
    bench.loop._roster.cards = Registry((only,))
    report = bench.run()
    assert (report.failure.stage, report.failure.code) == (Stage.BRIDGE, Code.NO_BRIDGE)
    assert len(report.trials) == 3


def test_after_two_failures_with_one_card_the_next_that_fits_is_tried_and_it_is_said_why():
    bench = Bench(goal="put the red cube on the plate")
    rival(bench, loader="python:tests.rogues:Rogue")
    report = bench.run()
    assert [t.card for t in report.trials] == ["rl/rival-v1", "rl/rival-v1", "tamp/pick-place-v1"]
    assert report.failure is None
    assert "rl/rival-v1: it failed at this 2 times" in bench.named("routed")[2]["because"]


def test_what_is_wrong_with_a_card_that_a_step_needs_is_told_before_anything_moves():
    bench = Bench(loader="python:robo_orch.nowhere:Policy")
    with pytest.raises(CardError, match="nowhere"):
        bench.run()
    assert not bench.named("step_started") and not bench.named("chunk")
