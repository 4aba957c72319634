# SPDX-License-Identifier: Apache-2.0
"""Benches: every figure that is claimed, on one engine (docs/benches.md)."""
