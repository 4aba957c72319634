# SPDX-License-Identifier: Apache-2.0
"""Task-and-motion planning policies: they move by planned paths over perceived poses."""
