# SPDX-License-Identifier: Apache-2.0
"""The pushing policy as the executor sees it; what it does is in :mod:`robo_orch.policies.mpc.pushing`."""

from __future__ import annotations

from robo_orch.motion.failure import MotionFailure
from robo_orch.policies.loaders import PolicyContext
from robo_orch.policies.mpc.hand import Hand, Script
from robo_orch.policies.mpc.pushing import Pushing
from robo_orch.types import ActionChunk, Code, Done, Failed, Observation, Step, Subgoal


class Push:
    """The policy of the card ``mpc/push-v1``."""

    def __init__(self, context: PolicyContext) -> None:
        self._hand = Hand(context)
        self._script: Script[None] | None = None

    def reset(self, subgoal: Subgoal, observation: Observation, seed: int) -> None:
        """Start on a subgoal; all sampling and planning follows from ``seed``."""
        self._hand.begin(observation, seed)
        self._script = Pushing(self._hand, subgoal.args["object"], subgoal.args["target"]).run()

    def act(self, observation: Observation, committed: ActionChunk | None = None) -> Step:
        """The next motion, ``Done`` at the end, ``Failed`` with the reason where it cannot go on."""
        if self._script is None:
            return Failed(Code.POLICY_ERROR, "act was called before reset")
        self._hand.observe(observation)
        try:
            return next(self._script)
        except StopIteration:
            return Done("pushed there and let go")
        except MotionFailure as failure:
            return Failed(failure.code, failure.reason)

    def close(self) -> None:
        """Forget the subgoal."""
        self._script = None
