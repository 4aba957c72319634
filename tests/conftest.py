# SPDX-License-Identifier: Apache-2.0
"""How property tests draw: the same examples in every run, unless ``HYPOTHESIS_PROFILE=explore`` asks for new ones."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
