# SPDX-License-Identifier: Apache-2.0
"""What trains the shipped policies. Needs the ``train`` extra."""
