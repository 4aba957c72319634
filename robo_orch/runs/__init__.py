# SPDX-License-Identifier: Apache-2.0
"""Runs: what is asked for, the folder that records what happened, replaying it and reporting on it."""
