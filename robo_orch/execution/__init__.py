# SPDX-License-Identifier: Apache-2.0
"""From a policy's chunks to the robot's setpoints: checks, adapters, the executor."""
