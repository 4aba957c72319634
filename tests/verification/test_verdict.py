# SPDX-License-Identifier: Apache-2.0
"""A verdict needs the fact to be there, to stay, and to be seen."""

from __future__ import annotations

from types import SimpleNamespace

from robo_orch.types import Code, Predicate
from robo_orch.verification import verify
from tests.scenes import INVENTORY, ON_PLATE, observation

FACT = Predicate("on", ("red_cube", "plate"))


def watched(*frames: dict):
    return verify(FACT, INVENTORY, [observation(0.1 * (i + 1), **f) for i, f in enumerate(frames)])


def test_a_fact_that_holds_throughout_is_ok():
    verdict = watched(*[{"red_cube": ON_PLATE}] * 5)
    assert verdict.code is Code.OK and verdict.probability > 0.99
    assert verdict.verifier == "predicates-v1"  # case C33


def test_a_fact_that_is_not_there_is_not_yet_and_says_why():
    verdict = watched(*[{}] * 5)
    assert verdict.code is Code.NOT_YET and "plate" in verdict.because


def test_a_fact_that_does_not_last_is_no_success():  # case C33
    assert watched(*[{"red_cube": ON_PLATE}] * 4, {}).code is Code.NOT_YET


def test_what_is_still_held_is_not_set_down():  # case C33
    assert watched(*[{"red_cube": ON_PLATE, "holding": "red_cube"}] * 5).code is Code.NOT_YET


def test_poor_perception_gives_unknown_and_never_a_confident_answer():
    assert watched(*[{"red_cube": ON_PLATE, "sigma": 0.05}] * 5).code is Code.UNKNOWN


def test_what_was_never_seen_is_unknown():
    verdict = watched(*[{"missing": ("red_cube",)}] * 3)
    assert verdict.code is Code.UNKNOWN and "red_cube" in verdict.because
    assert verify(FACT, INVENTORY, []).code is Code.UNKNOWN


def test_a_repeated_frame_counts_once():
    seen = observation(0.1, red_cube=ON_PLATE)
    gone = observation(0.2)
    assert verify(FACT, INVENTORY, [seen] * 50 + [gone]).code is Code.NOT_YET


class Pictures:
    """Somebody who sees: what each look says, in turn."""

    about = SimpleNamespace(id="seer-v1", done_above=0.8, failed_below=0.2)

    def __init__(self, *looks):
        self._looks = iter(looks)

    def asked(self, fact, inventory):
        return fact == FACT

    def look(self, fact, inventory):
        said = next(self._looks)
        return said if isinstance(said, str) else SimpleNamespace(probability=said, completion=said)


def seen(*looks, **frame):
    frames = [observation(0.1 * (i + 1), **{"sigma": 0.04, **frame}) for i in range(4)]
    return verify(FACT, INVENTORY, frames, sight=Pictures(*looks))


def test_pictures_decide_where_poses_are_coarse_and_say_so():
    verdict = seen(0.9, 0.95, red_cube=ON_PLATE)
    assert (verdict.code, verdict.by, verdict.verifier) == (Code.OK, "classifier", "seer-v1")  # case C33
    assert verdict.probability == verdict.completion == 0.9
    assert seen(0.1, 0.1).code is Code.NOT_YET
    assert seen(0.5, 0.6).code is Code.UNKNOWN


def test_pictures_must_show_it_at_both_ends_of_the_hold_time():  # case C33
    assert seen(0.9, 0.1).code is Code.NOT_YET
    assert seen(0.1, 0.9).code is Code.NOT_YET


def test_what_the_hand_holds_is_not_set_down_whatever_pictures_say():  # case C33
    verdict = seen(0.99, 0.99, red_cube=ON_PLATE, holding="red_cube")
    assert (verdict.code, verdict.by) == (Code.NOT_YET, "predicates")


def test_without_pictures_a_coarse_pose_is_unknown_with_the_reason():
    verdict = seen("no GL here", "no GL here", red_cube=ON_PLATE)
    assert (verdict.code, verdict.by) == (Code.UNKNOWN, "predicates")
    assert "no GL here" in verdict.because


def test_pictures_are_not_asked_about_what_poses_tell():
    frames = [observation(0.1 * (i + 1), red_cube=ON_PLATE) for i in range(4)]
    assert verify(Predicate("on", ("red_cube", "table")), INVENTORY, frames, sight=Pictures()).by == "predicates"
