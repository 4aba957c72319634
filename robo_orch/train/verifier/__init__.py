# SPDX-License-Identifier: Apache-2.0
"""How the visual classifier is made: situations after work on a subgoal, questions about them, training, export."""

#: What ``robo-orch train`` calls it.
NAME = "verifier"
