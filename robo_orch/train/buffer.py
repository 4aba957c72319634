# SPDX-License-Identifier: Apache-2.0
"""A replay buffer that never forgets its demonstrations."""

from __future__ import annotations

from typing import Any

import numpy as np
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.type_aliases import ReplayBufferSamples

#: Share of each batch that is demonstrations (Ball et al., "Efficient online reinforcement learning with offline data",
#: ICML 2023: half and half).
SHARE = 0.5


class MixedBuffer(ReplayBuffer):
    """Half of every batch is drawn from what was added before :meth:`seal`, half from all that came later."""

    sealed = 0

    def seal(self) -> None:
        """What is in the buffer now are the demonstrations."""
        self.sealed = self.pos

    def sample(self, batch_size: int, env: Any = None) -> ReplayBufferSamples:
        """A batch; without anything learned yet it is demonstrations only."""
        later = self.pos - self.sealed
        shown = batch_size if later <= 0 else round(SHARE * batch_size) if self.sealed else 0
        drawn = np.random.randint(0, max(self.sealed, 1), size=shown)
        own = np.random.randint(self.sealed, max(self.pos, self.sealed + 1), size=batch_size - shown)
        return self._get_samples(np.concatenate([drawn, own]), env=env)
