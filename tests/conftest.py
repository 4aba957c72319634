# SPDX-License-Identifier: Apache-2.0
"""How property tests draw: the same examples in every run, unless ``HYPOTHESIS_PROFILE=explore`` asks for new ones.

A slow machine fails no test: there are no deadlines.
"""

from __future__ import annotations

import contextlib
import os

from hypothesis import HealthCheck, settings

with contextlib.suppress(ImportError):
    # Torch's optimizers load it where it is installed. Its LLVM crashes when it comes after the GL driver's own, which
    # tests load as they are collected.
    import triton._C.libtriton  # noqa: F401

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", patient, derandomize=True)
settings.register_profile("explore", patient, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
