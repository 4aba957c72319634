# SPDX-License-Identifier: Apache-2.0
"""The Memory Bridge: brings the arm to where the next policy is at home."""
