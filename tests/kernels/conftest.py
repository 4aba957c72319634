# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def gpu():
    """Skips where there is no device; where there is one, a library that does not find it is a failure."""
    if not Path("/dev/nvidiactl").exists():
        pytest.skip("no NVIDIA device (/dev/nvidiactl)")
