# SPDX-License-Identifier: Apache-2.0
"""Whether a subgoal was reached, on what is perceived alone: pose estimates first, pictures where those do not tell."""

from robo_orch.verification.verdict import VERIFIER, Verdict, verify

__all__ = ["VERIFIER", "Verdict", "verify"]
