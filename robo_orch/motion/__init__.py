# SPDX-License-Identifier: Apache-2.0
"""Motion: kinematics, collision, path and timing, on the scene as it is estimated."""
