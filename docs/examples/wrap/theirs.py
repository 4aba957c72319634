# SPDX-License-Identifier: Apache-2.0
"""Stands for a policy class of another framework, as it comes from there: a dict of arrays in, actions out."""

import numpy as np


class TheirPolicy:
    """Plans three actions at a time and gives them out one by one."""

    def __init__(self, gain):
        self.gain, self.queue = gain, []

    def reset(self):
        """A new episode."""
        self.queue = []

    def select_action(self, batch):
        """One action ``(1, 7)``: of the way to the target, rotation, gripper."""
        if not self.queue:
            part = np.clip(self.gain * batch["observation.state"][:, :3], -0.02, 0.02)
            action = np.concatenate([part, np.zeros((1, 3)), np.full((1, 1), 0.08)], axis=1)
            self.queue = [action] * 3
        return self.queue.pop(0)
