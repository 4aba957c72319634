# SPDX-License-Identifier: Apache-2.0
"""What bridges are called."""

from __future__ import annotations

#: To where the next card declares that it is at home, by planned motion.
DECLARED_START = "declared-start"
#: No motion between two policies; also the method of a hand-over that needed none.
NONE = "none"
#: Names that ``--bridge`` takes, the usual one first.
METHODS = (DECLARED_START, NONE)
