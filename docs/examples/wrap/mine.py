# SPDX-License-Identifier: Apache-2.0
from theirs import TheirPolicy

from robo_orch.policies.wrap import Wrapped


class Mine(Wrapped):
    """Their policy behind our contract."""

    def make(self, context):
        """Load it, with its weights."""
        return TheirPolicy(gain=context.card.parameters["gain"])
