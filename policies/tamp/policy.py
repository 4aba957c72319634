# SPDX-License-Identifier: Apache-2.0
"""The TAMP policy: one script a skill, carried out on planned motions and fresh looks.

A script is a generator that yields chunks, so that it reads in the order in which things happen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from robo_orch.motion.failure import MotionFailure
from robo_orch.policies.loaders import PolicyContext
from robo_orch.policies.tamp.arm import Arm, Script
from robo_orch.policies.tamp.errands import run
from robo_orch.policies.tamp.handles import close_part, open_part
from robo_orch.policies.tamp.symbols import Errand
from robo_orch.types import ActionChunk, Code, Done, Failed, Observation, Step, Subgoal


def _bring(how: str) -> Callable[[Arm, Subgoal], Script[None]]:
    def script(arm: Arm, subgoal: Subgoal) -> Script[None]:
        yield from run(arm, Errand(subgoal.args["object"], subgoal.args["target"], how))

    return script


def _open(arm: Arm, subgoal: Subgoal) -> Script[None]:
    yield from open_part(arm, subgoal.args["object"])


def _close(arm: Arm, subgoal: Subgoal) -> Script[None]:
    yield from close_part(arm, subgoal.args["object"])


#: What is done for each skill.
SCRIPTS: Mapping[str, Callable[[Arm, Subgoal], Script[None]]] = {
    "pick_place": _bring("place"),
    "stack": _bring("stack"),
    "place_in": _bring("put_in"),
    "open_drawer": _open,
    "open_door": _open,
    "close_drawer": _close,
    "close_door": _close,
}


class Tamp:
    """The policy of every card of the family; the subgoal's skill says which script."""

    def __init__(self, context: PolicyContext) -> None:
        self._arm = Arm(context)
        self._script: Script[None] | None = None

    def reset(self, subgoal: Subgoal, observation: Observation, seed: int) -> None:
        """Start on a subgoal; all sampling and planning follows from ``seed``."""
        self._arm.begin(observation, seed)
        self._script = SCRIPTS[subgoal.skill](self._arm, subgoal)

    def act(self, observation: Observation, committed: ActionChunk | None = None) -> Step:
        """The next motion of the script, ``Done`` at its end, ``Failed`` with the reason where it cannot go on."""
        if self._script is None:
            return Failed(Code.POLICY_ERROR, "act was called before reset")
        self._arm.observe(observation)
        try:
            return next(self._script)
        except StopIteration:
            return Done("done and let go")
        except MotionFailure as failure:
            return Failed(failure.code, failure.reason)

    def close(self) -> None:
        """Forget the subgoal."""
        self._script = None
