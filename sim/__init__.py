# SPDX-License-Identifier: Apache-2.0
"""Simulated worlds, perception and robot."""
