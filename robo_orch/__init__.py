# SPDX-License-Identifier: Apache-2.0
"""robo_orch: robot policies that were built apart do one long job together."""

__version__ = "0.1.0"
