# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import dataclass, field

from robo_orch.runs.judge import Judge
from robo_orch.types import Code, Goal, Predicate, Stage
from tests.runs.stories import attempt, beginning, events

GOAL = Goal("two things", (Predicate("on", ("red_cube", "plate")), Predicate("stacked", ("green_cube", "blue_cube"))))


@dataclass
class _Ruling:
    safe: bool = True
    peak_force: float = 3.0
    peak_pair: tuple[str, str] = ("table", "red_cube")
    bound: float = 20.0
    moved: dict = field(default_factory=dict)
    because: str = ""


class _Referee:
    def __init__(self, ruling=None, false=()) -> None:
        self.calls, self._ruling, self._false = [], ruling or _Ruling(), false

    def begin(self, args, bounds):
        self.calls.append(("begin", dict(args), list(bounds)))

    def end(self):
        self.calls.append(("end",))
        return self._ruling

    def holds(self, predicate, ever=False):
        return str(predicate) not in self._false


def _judged(referee, story):
    findings = []
    judge = Judge(referee, lambda **found: findings.append(found))
    for event in events(story):
        judge.hear(event)
    return judge, findings


def test_each_attempt_is_watched_with_the_bounds_of_its_skill():
    referee = _Referee()
    _, findings = _judged(referee, [*beginning(), *attempt(0, 1, 0, 1, "OK"), *attempt(1, 1, 1, 2, "OK")])
    assert [call[0] for call in referee.calls] == ["begin", "end", "begin", "end"]
    assert referee.calls[0][1] == {"object": "red_cube", "target": "plate"}
    assert (("finger", "object"), 80.0) in referee.calls[0][2]
    assert [(found["index"], found["done"], found["safe"]) for found in findings] == [(0, True, True), (1, True, True)]


def test_success_needs_every_fact_of_the_goal_to_be_true():
    judge, _ = _judged(_Referee(false=["stacked(green_cube, blue_cube)"]), beginning())
    done, objection = judge.verdict(GOAL)
    assert not done
    assert (objection.stage, objection.code) == (Stage.VERIFY, Code.NOT_YET)
    assert "stacked(green_cube, blue_cube)" in objection.message


def test_what_is_done_unsafely_is_no_success_and_says_why():
    referee = _Referee(_Ruling(safe=False, because="finger pressed plate with 61 N, 20 N allowed"))
    judge, _ = _judged(referee, [*beginning(), *attempt(0, 1, 0, 1, "OK")])
    done, objection = judge.verdict(GOAL)
    assert done
    assert (objection.stage, objection.code) == (Stage.SAFETY, Code.UNSAFE)
    assert objection.message == "put the red cube on the plate: finger pressed plate with 61 N, 20 N allowed"


def test_an_attempt_that_was_cut_off_is_judged_too():
    referee = _Referee(_Ruling(safe=False, because="something was hit"))
    judge, findings = _judged(referee, [*beginning(), *attempt(0, 1, 0, 1, "OK")[:2]])
    _, objection = judge.verdict(GOAL)
    assert objection.code is Code.UNSAFE
    assert len(findings) == 1


def test_all_true_and_safe_is_success():
    judge, _ = _judged(_Referee(), [*beginning(), *attempt(0, 1, 0, 1, "OK")])
    assert judge.verdict(GOAL) == (True, None)
