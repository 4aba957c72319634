# SPDX-License-Identifier: Apache-2.0
"""Inference sessions and numeric kernels."""
